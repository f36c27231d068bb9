"""Debezium's placeholder for a value that the log does not hold, as an unchanged TOAST value.

It means unknown. Its form depends on the column's type: text (also of numbers, times and JSON that
are written as text, JSON as a string of it too), bytes, an array of one text, of one `bytea`, of
one `uuid` made from it, or of its bytes as numbers, each as arrays of its type are written (whole,
as a double, as text, as a decimal's bytes, with its scale or without), and the one entry of an
hstore. Source: UnchangedToastedPlaceholder and PostgresValueConverter of Debezium's PostgreSQL
connector, and the property `unavailable.value.placeholder`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import uuid

from cutline.project.changes import Changes, DebeziumChanges
from cutline.sql.spark import literal


def is_unavailable(text: str, section: Changes) -> str:
    """SQL for whether the text of a value is the placeholder."""
    if not isinstance(section, DebeziumChanges):
        return "false"
    plain, inside = _forms(section.placeholder)
    forms = ", ".join(literal(form) for form in (*plain, *inside))
    # Arrays of arrays have several brackets; no form within them holds a bracket or a quote.
    bare = f'regexp_extract({text}, r\'^(?:\\[\\s*)+"([^"]+)"(?:\\s*\\])+$\', 1)'
    nested = ", ".join(literal(form) for form in inside)
    brackets = f"startswith({text}, '[') AND {bare} IN ({nested})"
    return f"coalesce({text} IN ({forms}) OR ({brackets}), false)"


def _forms(placeholder: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The texts of the placeholder as a whole value; and those that occur in arrays as well."""
    content = placeholder.encode()
    if placeholder.startswith("hex:"):
        content = bytes.fromhex(placeholder.removeprefix("hex:"))
    text = content.decode(errors="replace")
    entry = json.dumps({text: text}, ensure_ascii=False, separators=(",", ":"))
    standard, url_safe = base64.b64encode(content), base64.urlsafe_b64encode(content)
    bytes_of_it = (standard.decode(), url_safe.decode(), content.hex(), content.hex().upper())
    # Java's UUID.nameUUIDFromBytes: version 3, and no name space before the bytes.
    digest = hashlib.md5(content, usedforsecurity=False).digest()
    of_it = str(uuid.UUID(bytes=digest, version=3))
    whole = (entry, json.dumps(text, ensure_ascii=False), *_byte_arrays(content))
    return whole, (text, *bytes_of_it, of_it)


def _byte_arrays(content: bytes) -> tuple[str, ...]:
    """The bytes as arrays of numbers: whole, as doubles, as texts, and as decimals' bytes: alone,
    and beside their scale, as those of a `numeric` without one are written."""
    numbers = [byte - 256 if byte > 127 else byte for byte in content]
    codes = [f'"{base64.b64encode(bytes([byte])).decode()}"' for byte in content]
    spelled = (
        [str(number) for number in numbers],
        [f"{number}.0" for number in numbers],
        [f'"{number}"' for number in numbers],
        codes,
        [f'{{"scale":0,"value":{code}}}' for code in codes],
    )
    return tuple(f"[{','.join(array)}]" for array in spelled)
