"""Histories made from what a contract says: its types, checks, stable columns and lifecycle."""

from cutline.conformance.generate.histories import histories_of

__all__ = ["histories_of"]
