"""A policy administration system of the old kind, and what its rows mean."""
