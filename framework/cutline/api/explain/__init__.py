"""The rows of a run about one subject, or about one cluster of breaks."""

from cutline.api.explain.history import ClusterHistory, SubjectHistory, TableRow

__all__ = ["ClusterHistory", "SubjectHistory", "TableRow"]
