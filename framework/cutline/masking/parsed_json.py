"""JSON as it was written: numbers with their digits, and objects with repeated keys."""

from __future__ import annotations

import json
from typing import Any


class WrittenNumber(str):
    """A number as it was written: 1.10 stays 1.10."""


class Members(tuple[tuple[str, Any], ...]):
    """The members of an object in their order, with repeated keys."""


def parse_json(text: str) -> Any:
    """The value of a JSON text; ValueError for another, RecursionError for one nested too deep."""
    return json.loads(
        text,
        parse_float=WrittenNumber,
        parse_int=WrittenNumber,
        parse_constant=WrittenNumber,
        object_pairs_hook=Members,
    )
