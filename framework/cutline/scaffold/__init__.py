"""Scaffolds: packages of a context or a translation that run at once, with to-dos as rules."""
