"""What Debezium writes for a value that the log does not hold, as an unchanged TOAST value.

It is a placeholder, and means unknown. Bytes, arrays and maps have it in forms of their own.
Source: the property `unavailable.value.placeholder` of Debezium's PostgreSQL connector.
"""

from __future__ import annotations

import base64

from cutline.sources.sql_text import literal

_TEXT = "__debezium_unavailable_value"
_BYTES = _TEXT.encode()
_FORMS = (
    _TEXT,
    base64.b64encode(_BYTES).decode(),
    _BYTES.hex(),
    _BYTES.hex().upper(),
    f'["{_TEXT}"]',
    f'{{"{_TEXT}":"{_TEXT}"}}',
    f"[{','.join(map(str, _BYTES))}]",
)


def unavailable(text: str) -> str:
    """SQL for whether the text of a value stands for one that is not known."""
    forms = ", ".join(literal(form) for form in _FORMS)
    return f"coalesce({text} IN ({forms}), false)"
