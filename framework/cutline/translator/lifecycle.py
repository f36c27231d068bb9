"""Lifecycles: which status of a row may follow which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Lifecycle:
    """The statuses that the column `column` goes through.

    `start` are those a row is created with; `follows` maps a status to those that may come next. A
    row may always stay as it is, and a null is no transition. One in a change file that is not
    allowed is a finding, `lifecycle:<source>.<table>.<column>`, with its count in the report; it
    does not stop the row.
    """

    column: str
    start: tuple[str, ...]
    follows: Mapping[str, tuple[str, ...]]

    @property
    def statuses(self) -> tuple[str, ...]:
        """Every status that is named, each once, in the order of declaration."""
        named = [*self.start]
        for status, following in self.follows.items():
            named += [status, *following]
        return tuple(dict.fromkeys(named))


def lifecycle(
    column: str, *, start: Sequence[str], follows: Mapping[str, Sequence[str]]
) -> Lifecycle:
    """Which status may follow which; see Lifecycle."""
    return Lifecycle(column, tuple(start), {s: tuple(after) for s, after in follows.items()})
