"""The lake: Parquet tables of a run, written whole or not at all."""

from cutline.lake.base import Replaced
from cutline.lake.deltas import Over
from cutline.lake.lake import Lake, run_folder
from cutline.lake.table_write import TableWrite

__all__ = ["Lake", "Over", "Replaced", "TableWrite", "run_folder"]
