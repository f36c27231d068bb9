"""Read models: projected states as versioned tables of a database, which services read by views."""

from cutline.readmodels.model import (
    ForeignWrite,
    ReadModelColumn,
    ReadModelTable,
    ReadModelVersion,
)
from cutline.readmodels.read_model import ReadModel, read_model_of

__all__ = [
    "ForeignWrite",
    "ReadModel",
    "ReadModelColumn",
    "ReadModelTable",
    "ReadModelVersion",
    "read_model_of",
]
