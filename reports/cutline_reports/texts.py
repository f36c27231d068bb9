"""Texts of a source made safe to show: invisible characters as their code points."""

from __future__ import annotations

import datetime as dt
import unicodedata

_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def visible(text: str) -> str:
    """The text with control, format and lone surrogate characters written as ⟨U+202E⟩.

    Line breaks stay. So a right-to-left override cannot reorder the text, a zero-width character
    cannot hide, and the text can always be encoded.
    """
    return "".join(_shown(c) for c in text) if not text.isascii() or _odd(text) else text


def _odd(text: str) -> bool:
    return not text.replace("\n", "").isprintable()


def _shown(char: str) -> str:
    if char == "\n" or unicodedata.category(char) not in _INVISIBLE:
        return char
    return f"⟨U+{ord(char):04X}⟩"


def words(name: str) -> str:
    """A name with blanks, such as customer order for `customer_order`."""
    return name.replace("_", " ").replace("-", " ")


def anchor(*parts: str | None) -> str:
    """An id for a link: letters, digits and dashes; distinct parts give distinct ids."""
    return "-".join("".join(_safe(c) for c in part or "") for part in parts)


def _safe(char: str) -> str:
    if char.isascii() and (char.isalnum() or char == "_"):
        return char
    return f".{ord(char):x}."


def moment_text(moment: dt.datetime) -> str:
    """A moment in UTC to the second: 2026-11-01 06:00:00 UTC."""
    return f"{moment.astimezone(dt.UTC):%Y-%m-%d %H:%M:%S} UTC"
