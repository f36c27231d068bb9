"""Compares two tables by key, wherever they are."""
