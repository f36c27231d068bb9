"""Lifecycles: which status of a row may follow which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cutline.errors import ConfigurationError

OTHERWISE = ("infer", "hold", "reject")
"""The values of `otherwise`, for a row that moves as its lifecycle does not allow."""


@dataclass(frozen=True)
class Lifecycle:
    """The statuses that the column `column` goes through.

    `start` are those a row is created with; `follows` maps a status to those that may come next. A
    row may always stay as it is, and a null is no transition. One in a change file that is not
    allowed is a finding, `lifecycle:<source>.<table>.<column>`, with its count in the report and
    the events that the row announced. `otherwise` decides about the row:

    - left out: its facts are announced as ever;
    - "infer": the events of the move are `inferred`, where they would be `exact`;
    - "reject": the row is quarantined under the finding's name, until the lifecycle allows the move
      from its last sound status to the present one;
    - "hold": the same, under `lifecycle-awaited:…`: it waits for such a move.

    A status that a row is created with and that is no start is a finding only.
    """

    column: str
    start: tuple[str, ...]
    follows: Mapping[str, tuple[str, ...]]
    otherwise: str | None = None

    @property
    def statuses(self) -> tuple[str, ...]:
        """Every status that is named, each once, in the order of declaration."""
        named = [*self.start]
        for status, following in self.follows.items():
            named += [status, *following]
        return tuple(dict.fromkeys(named))


def lifecycle(
    column: str,
    *,
    start: Sequence[str],
    follows: Mapping[str, Sequence[str]],
    otherwise: str | None = None,
) -> Lifecycle:
    """Which status may follow which, and what becomes of a row if another does; see Lifecycle."""
    if otherwise not in (None, *OTHERWISE):
        raise ConfigurationError(
            f"lifecycle of {column}: `otherwise` is {otherwise!r}; it must be one of "
            f"{', '.join(OTHERWISE)}, or left out"
        )
    following = {status: tuple(after) for status, after in follows.items()}
    return Lifecycle(column, tuple(start), following, otherwise)
