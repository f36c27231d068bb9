"""Finds the runs of a slice and their tables, and says where slices stand."""
