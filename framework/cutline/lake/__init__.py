"""The lake: Parquet tables of a run, written whole or not at all."""

from cutline.lake.lake import Lake, TableWrite, run_folder

__all__ = ["Lake", "TableWrite", "run_folder"]
