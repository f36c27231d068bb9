"""Payloads: the data of events as canonical JSON, and the faults of their fields."""

from cutline.engine.payloads.payload import Payload, given_columns

__all__ = [
    "Payload",
    "given_columns",
]
