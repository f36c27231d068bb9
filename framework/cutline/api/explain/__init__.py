"""Tells of one subject, or of one cluster of breaks, what a run knows of it."""

from cutline.api.explain.history import ClusterHistory, SubjectHistory, TableRow

__all__ = ["ClusterHistory", "SubjectHistory", "TableRow"]
