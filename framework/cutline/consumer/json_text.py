"""JSON that is read strictly: numbers with a point as Decimal, each member once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any


def parsed_json(text: bytes | str) -> Any:
    """The value of a JSON text. ValueError, with what is wrong, for any other text.

    A number with a point or an exponent is a Decimal, so that no cent is lost; NaN and infinity
    are refused, and so is an object that has a member twice.
    """
    try:
        return _STRICT.decode(text.decode() if isinstance(text, bytes) else text)
    except UnicodeDecodeError as error:
        raise ValueError(f"is no UTF-8: {error.reason}") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"is no JSON: {error}") from error
    except ArithmeticError as error:
        raise ValueError("has a number that is too large to be read") from error
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error


def member_texts(line: str) -> dict[str, str]:
    """The JSON text of each member of an object, as it is written. ValueError for other texts."""
    decoder = json.JSONDecoder(parse_float=str, parse_int=str)
    texts: dict[str, str] = {}
    place = _after_blanks(line, 0)
    if line[place : place + 1] != "{":
        raise ValueError("is no JSON object")
    place = _after_blanks(line, place + 1)
    while line[place : place + 1] != "}":
        name, place = decoder.raw_decode(line, place)
        place = _after_blanks(line, place)
        if not isinstance(name, str) or line[place : place + 1] != ":":
            raise ValueError("is no JSON object")
        start = _after_blanks(line, place + 1)
        _, end = decoder.raw_decode(line, start)
        texts[name] = line[start:end]
        place = _after_blanks(line, end)
        if line[place : place + 1] == ",":
            place = _after_blanks(line, place + 1)
        elif line[place : place + 1] != "}":
            raise ValueError("is no JSON object")
    if _after_blanks(line, place + 1) != len(line):
        raise ValueError("has text behind its JSON object")
    return texts


def _after_blanks(line: str, place: int) -> int:
    while place < len(line) and line[place] in " \t\r\n":
        place += 1
    return place


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"has {name}, which is no JSON")


def _members(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("has a member twice")
    return members


_STRICT = json.JSONDecoder(
    parse_float=Decimal, parse_constant=_refuse_constant, object_pairs_hook=_members
)
