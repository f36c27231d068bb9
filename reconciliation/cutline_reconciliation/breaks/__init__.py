"""The breaks of a run: what explains them, what they are called, and their table."""
