"""Decisions: the one end of each row, from its image, its facts and its moves."""
