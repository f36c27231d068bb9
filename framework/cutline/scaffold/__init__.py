"""Scaffolds: packages that already work, for a team to fill with meaning. Nothing is guessed."""
