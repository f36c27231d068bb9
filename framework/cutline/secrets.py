"""Secrets of cutline.yaml from outside: shown texts have the reference of the file instead.

The process keeps all of them in one place, as its environment does: output leaves in many ways, and
an error of a library may contain any of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, TypeVar

T = TypeVar("T")
Document = TypeVar("Document")

_WRITTEN: dict[str, str] = {}
"""By each secret, or text around one, the text of the file in its place."""

_SHORT = 8
"""A shorter value is hidden only where it stands alone, between characters other than letters and
digits; one of less than half this length only together with the text around it.
"""


def keep_secret(value: str, written: str) -> None:
    """Show `written` from now on in place of `value`, in each of its spellings."""
    if len(value) >= _SHORT // 2:
        _keep(value, written)


def keep_secret_around(text: str, written: str) -> None:
    """As `keep_secret`, of any length, for a text such as `://USER:PASSWORD@`.

    It distinguishes a secret of a single letter from all other letters.
    """
    _keep(text, written)


def forget_secrets() -> None:
    """Forget all secrets."""
    _WRITTEN.clear()
    _secret_pattern.cache_clear()


def as_written(text: str) -> str:
    """The text with each secret replaced by the text of the file."""
    if not _WRITTEN:
        return text
    pattern, written = _secret_pattern()
    return pattern.sub(lambda match: written[(match.lastindex or 0) - 1], text)


def as_written_in(value: Any) -> Any:
    """A JSON value with each of its texts `as_written`; keys of objects as they are."""
    if isinstance(value, str):
        return as_written(value)
    if isinstance(value, dict):
        return {name: as_written_in(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [as_written_in(inner) for inner in value]
    return value


def document_as_written(make: Callable[[T], Document]) -> Callable[[T], Document]:
    """A method that returns a JSON value, with each text of the value `as_written`."""

    @wraps(make)
    def masked(result: T) -> Document:
        document: Document = as_written_in(make(result))
        return document

    return masked


def _keep(text: str, written: str) -> None:
    _WRITTEN[text] = written
    _secret_pattern.cache_clear()


@lru_cache(maxsize=1)
def _secret_pattern() -> tuple[re.Pattern[str], list[str]]:
    # The longest first: a secret may be a part of another.
    known_secrets = sorted(_WRITTEN, key=len, reverse=True)
    return re.compile("|".join(f"({_spelling_pattern(text)})" for text in known_secrets)), [
        _WRITTEN[t] for t in known_secrets
    ]


def _spelling_pattern(text: str) -> str:
    pattern = "".join(map(_character, text))
    return pattern if len(text) >= _SHORT else f"(?<![A-Za-z0-9]){pattern}(?![A-Za-z0-9])"


def _character(character: str) -> str:
    """A pattern for a character as it is, in URL encoding once or twice, and in source code."""
    encoded = "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
    spellings = {character, repr(character)[1:-1]}
    spellings |= {json.dumps(character, ensure_ascii=ascii)[1:-1] for ascii in (True, False)}
    spellings |= {"+"} if character == " " else set()
    spellings |= {f"\\{character}"} if character in "'\"" else set()
    in_urls = f"(?i:{encoded}|{encoded.replace('%', '%25')})"
    return f"(?:{'|'.join(map(re.escape, sorted(spellings)))}|{in_urls})"
