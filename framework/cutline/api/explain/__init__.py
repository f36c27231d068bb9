"""Tells of one subject, or of one cluster of breaks, what a run knows of it."""
