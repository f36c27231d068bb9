"""The lake: Parquet tables of a run, written whole or not at all."""

from cutline.lake.lake import Lake, Written, run_folder

__all__ = ["Lake", "Written", "run_folder"]
