"""Which tellings of a history must agree, and by what."""

from __future__ import annotations

from collections.abc import Iterator

from cutline.conformance.trial import Ends, Telling, Trial
from cutline.tables.change import DELETE
from cutline.tables.disposition import EXCEPTIONAL
from cutline.testing.worlds import End, Told

Identity = tuple[str, str | None, str | None]
ByRule = dict[int, dict[Identity, Told]]
"""The first event under each identity, by the ordinal of its fact."""


def pairs(trial: Trial) -> Iterator[tuple[ByRule, Telling, ByRule]]:
    """Each telling from a snapshot with its events, beside the events of the history told whole.

    Left out are histories with a row that was put aside or ignored, for its facts wait for a
    person; and snapshots taken after a row was deleted, which leaves no trace in them.
    """
    named = {rule.name for rule in trial.translator.row_rules}
    for whole, seen in trial.by_history():
        if any(_is_aside(end, named) for end in whole):
            continue
        told = by_rule(whole)
        for telling in seen:
            if not trial.histories[telling.history].deleted_by(telling.moment):
                yield told, telling, by_rule(telling.ends)


def by_rule(ends: Ends) -> ByRule:
    """The events of ends, by their fact and their identity."""
    found: ByRule = {}
    for end in ends:
        for told in end.events:
            found.setdefault(told.ordinal, {}).setdefault(told.identity, told)
    return found


def _is_aside(end: End, named: set[str]) -> bool:
    if end.step.op == DELETE:
        return False
    return end.disposition in EXCEPTIONAL or end.rule in named
