"""How the column with a window's beginning has it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import types as sql_types

from cutline.repair.values import in_utc

Form = Literal["zoned", "plain", "date", "seconds", "text"]
TEXTS = (
    "%Y-%m-%dT%H:%M:%SZ",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%d %H:%M:%S.%f",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%dT%H:%M:%S+00:00",
    "%Y-%m-%d %H:%M:%S+00:00",
    "%Y-%m-%d",
)
"""How a text may have a moment, in UTC: each sorts as time goes."""


@dataclass(frozen=True)
class WindowColumn:
    """The form of the column's values; of a text also its `pattern`."""

    form: Form
    pattern: str = ""

    @property
    def finest(self) -> dt.timedelta:
        """The shortest window that the column can tell from the next one."""
        if self.form == "date" or (self.form == "text" and "%H" not in self.pattern):
            return dt.timedelta(days=1)
        if self.form == "seconds" or (self.form == "text" and "%f" not in self.pattern):
            return dt.timedelta(seconds=1)
        return dt.timedelta(microseconds=1)

    def value(self, moment: dt.datetime) -> Any:
        """A moment in UTC as the column has it."""
        match self.form:
            case "zoned":
                return moment
            case "plain":
                return moment.replace(tzinfo=None)
            case "date":
                return moment.date()
            case "seconds":
                return int(moment.timestamp())
            case "text":
                return moment.strftime(self.pattern)

    def has(self, text: str) -> bool:
        """Whether a text is written by the pattern."""
        try:
            return bool(self.value(self.moment(text)) == text)
        except ValueError:
            return False

    def moment(self, value: Any) -> dt.datetime:
        """The moment in UTC of a value of the column. ValueError for a text of another pattern."""
        match self.form:
            case "zoned" | "plain":
                return in_utc(value)
            case "date":
                return dt.datetime.combine(value, dt.time(), dt.UTC)
            case "seconds":
                return dt.datetime.fromtimestamp(value, dt.UTC)
            case "text":
                return dt.datetime.strptime(value, self.pattern).replace(tzinfo=dt.UTC)


def form_of(kind: sql_types.TypeEngine[Any]) -> Form | None:
    """The form by the type of a column; null where no window can stand in it."""
    if isinstance(kind, sql_types.DateTime):
        return "zoned" if kind.timezone else "plain"
    if isinstance(kind, sql_types.Date):
        return "date"
    if isinstance(kind, sql_types.Integer):
        return "seconds"
    return "text" if isinstance(kind, sql_types.String) else None


def pattern_of(texts: list[str]) -> str | None:
    """The pattern that all texts are written by; null if there is none."""
    for pattern in TEXTS:
        if all(WindowColumn("text", pattern).has(text) for text in texts):
            return pattern
    return None
