"""A record as it comes from a topic, whatever kind of topic that is."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Headers = tuple[tuple[str, bytes | None], ...]


@dataclass(frozen=True)
class Received:
    """One record. `value` is null for a tombstone, `key` where it has none."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    headers: Headers
    value: bytes | None

    @property
    def key_text(self) -> str | None:
        """The key as text; null where there is none, or where it is no UTF-8."""
        try:
            return None if self.key is None else self.key.decode()
        except UnicodeDecodeError:
            return None

    def stored(self) -> dict[str, Any]:
        """The record as the columns of a table: headers as a list of name and text."""
        return {
            "topic": self.topic,
            "partition": self.partition,
            "offset": self.offset,
            "key": self.key,
            "headers": [[name, _stored_header(value)] for name, value in self.headers],
            "value": self.value,
        }

    @classmethod
    def restored(cls, row: Mapping[str, Any]) -> Received:
        """The record of a row that `stored` gave the columns of."""
        headers = tuple((name, _restored_header(value)) for name, value in row["headers"])
        places = (row["topic"], row["partition"], row["offset"])
        return cls(*places, key=row["key"], headers=headers, value=row["value"])


def _stored_header(value: bytes | None) -> Any:
    """Text where it is UTF-8, else an object with its base64."""
    try:
        return None if value is None else value.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value or b"").decode()}


def _restored_header(value: Any) -> bytes | None:
    if isinstance(value, dict):
        return base64.b64decode(value["base64"])
    return None if value is None else str(value).encode()
