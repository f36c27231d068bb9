"""Payloads: the data of events as canonical JSON, and the faults of their fields."""

from cutline.engine.payloads.payload import Payload, check_given_type, given_columns

__all__ = [
    "Payload",
    "check_given_type",
    "given_columns",
]
