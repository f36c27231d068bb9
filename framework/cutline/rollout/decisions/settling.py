"""Settling a stray decision: a person says what became of it, in the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cutline.control import Control
from cutline.control.rollouts import SETTLE, LedgerLine, Rollout, RolloutChange
from cutline.errors import ConfigurationError
from cutline.rollout.decisions.result import SliceDecisions

if TYPE_CHECKING:
    from pyspark.sql import Column

_SETTLED: Final = "settled"
_TAKEN_BY: Final = "taken_by"

Taker = tuple[str, str | None]
"""The side that took a decision, and who announced it; null of the legacy."""


@dataclass(frozen=True)
class Settlement:
    """Who settled stray decisions of an id, and why.

    `taken_by` says whose they were: another one's may have the id later. Null where a ledger of an
    older version does not say it: then it is of all.
    """

    id: str
    taken_by: frozenset[Taker] | None
    changed_by: str
    why: str

    def is_of(self, id: str, side: str, producer: str | None) -> bool:
        """Whether it settles a decision."""
        return self.id == id and (self.taken_by is None or (side, producer) in self.taken_by)


def settlements(ledger: Iterable[LedgerLine]) -> tuple[Settlement, ...]:
    """Who settled what, newest first as the ledger is."""
    return tuple(_settlement(line) for line in ledger if line.command == SETTLE)


def is_settled(settled: Sequence[Settlement]) -> Column:
    """Whether a row, which has id, side and producer, is settled."""
    from pyspark.sql import functions as F

    # By taker: a condition for each settlement is more than Spark can plan where there are many.
    ids: dict[Taker | None, set[str]] = {}
    for settlement in settled:
        for taker in (None,) if settlement.taken_by is None else settlement.taken_by:
            ids.setdefault(taker, set()).add(settlement.id)
    column = F.lit(False)
    for taker, of_taker in sorted(ids.items(), key=lambda item: str(item[0])):
        of = F.col("id").isin(*sorted(of_taker))
        if taker is not None:
            side, producer = taker
            of &= (F.col("side") == side) & F.col("producer").eqNullSafe(F.lit(producer))
        column |= of
    return column


def _settlement(line: LedgerLine) -> Settlement:
    takers = line.recorded.get(_TAKEN_BY)
    return Settlement(
        line.recorded[_SETTLED],
        None if takers is None else frozenset((side, producer) for side, producer in takers),
        line.changed_by,
        line.why or "",
    )


def settle(
    control: Control, decisions: SliceDecisions, stray: str, changed_by: str, why: str
) -> Rollout:
    """The rollout, with a line in the ledger that the stray decisions of an id are settled: those
    that are among the decisions now.

    ConfigurationError if no stray decision has the id, or something is under way: its process
    would take the change of the row for another one's.
    """
    context, region = decisions.context, decisions.region
    again = f"cutline rollout decisions {context} --region {region}"
    taken_by = {(d.side, d.producer) for d in decisions.strays if d.id == stray}
    if not taken_by:
        raise ConfigurationError(
            f"No decision of {context}/{region} without authority has the id {stray!r}.",
            left_behind="Nothing was changed.",
            next_step=f"See them: {again}",
        )
    _refuse_under_way(control.rollout(context, region))
    with control.lease(context, region) as lease:
        rollout = _refuse_under_way(control.rollout(context, region))
        evidence = {_SETTLED: stray, _TAKEN_BY: sorted(map(list, taken_by), key=str)}
        change = RolloutChange(SETTLE, "done", changed_by, why=why, evidence=evidence)
        return control.change_rollout(rollout.version, change, lease)


def _refuse_under_way(rollout: Rollout | None) -> Rollout:
    """The rollout, of which nothing is under way."""
    assert rollout is not None
    if rollout.plan is not None:
        raise ConfigurationError(
            f"{rollout.command_under_way} of {rollout.context}/{rollout.region} is under way.",
            left_behind="Nothing was changed.",
            next_step=f"cutline rollout resume {rollout.context} --region {rollout.region}",
        )
    return rollout
