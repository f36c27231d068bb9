"""The breaks of a run: their explanations, ids and annotations, and their table."""
