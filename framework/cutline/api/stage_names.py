"""The names of the stages of a run, in order."""

from cutline.results.names import ORDER as STAGE_NAMES

__all__ = ["STAGE_NAMES"]
