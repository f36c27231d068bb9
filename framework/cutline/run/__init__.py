"""A run: its name, its stages in order, what it tells and what comes out of it."""
