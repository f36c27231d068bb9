"""Generated histories that keep a contract: its types, checks, stable columns and lifecycle."""

from cutline.conformance.generate.histories import generate_histories

__all__ = ["generate_histories"]
