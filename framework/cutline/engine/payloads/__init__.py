"""Payloads: the data of an event as canonical JSON, and what may be wrong with it."""

from cutline.engine.payloads.payload import Payload, given_columns

__all__ = [
    "Payload",
    "given_columns",
]
