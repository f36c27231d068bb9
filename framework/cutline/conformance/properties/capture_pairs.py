"""Which tellings of a history must agree, and by what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cutline.conformance.trial import Ends, Telling, Trial
from cutline.tables.change import DELETE, SNAPSHOT
from cutline.tables.disposition import EXCEPTIONAL
from cutline.testing.worlds import End, Told
from cutline.translator import Translator

Identity = tuple[str, str | None, str | None]
ByRule = dict[int, dict[Identity, Told]]
"""The first event under each identity, by the ordinal of its fact."""


@dataclass(frozen=True)
class Pair:
    """The events of a history told whole beside those of one telling from a snapshot.

    `complete` says that lasting facts must be in both: everything that the snapshot shows was sound
    at some time from then on. What is put aside or ignored waits, and its facts with it.
    """

    telling: Telling
    whole: ByRule
    seen: ByRule
    complete: bool


def pairs(trial: Trial) -> Iterator[Pair]:
    """Each telling from a snapshot beside the whole.

    Left out are snapshots taken after a row was deleted, which leaves no trace in them; and where
    rules ask of moves, those taken while a row was put aside: they do not show what it was before.
    """
    for whole, seen in trial.by_history():
        told = by_rule(whole)
        sound = _sound_until(trial, whole)
        aside = _without_last_sound(trial, whole)
        for telling in seen:
            history = trial.histories[telling.history]
            if not history.deleted_by(telling.moment) and telling.moment not in aside:
                shown = {_group(trial, e) for e in telling.ends if e.step.op == SNAPSHOT}
                complete = all(sound.get(one, 0) >= telling.moment for one in shown) or all(
                    _is_sound(trial, end) for end in telling.ends if end.step.op == SNAPSHOT
                )
                yield Pair(telling, told, by_rule(telling.ends), complete)


def _sound_until(trial: Trial, whole: Ends) -> dict[str, int]:
    """The place of the last sound image, by what is compared with its own past."""
    return {_group(trial, e): e.step.place or 0 for e in whole if _is_sound(trial, e)}


def _without_last_sound(trial: Trial, whole: Ends) -> set[int]:
    """The moments at which a row is not sound, of a translator that puts rows aside for a move.

    Its last sound image is what its next move is from, and a snapshot does not show it.
    """
    if not _asks_of_moves(trial.translator):
        return set()
    aside: dict[str, bool] = {}
    moments = set()
    for end in whole:
        aside[_group(trial, end)] = not _is_sound(trial, end)
        if any(aside.values()):
            moments.add(end.step.place or 0)
    return moments


def _asks_of_moves(translator: type[Translator]) -> bool:
    """Whether what a row was before may put it aside."""
    rules = any(rule.on_move for rule in translator.row_rules)
    facts = any(fact.on_move for fact in translator.facts)
    lifecycles = (part.contract.lifecycle() for part in translator.parts.values())
    return rules or facts or any(declared and declared.otherwise for declared in lifecycles)


def _group(trial: Trial, end: End) -> str:
    """Rows of one part stand for themselves; rows of several parts make one image."""
    return end.step.row.key if len(trial.translator.parts) == 1 else ""


def by_rule(ends: Ends) -> ByRule:
    """The events of ends, by their fact and their identity."""
    found: ByRule = {}
    for end in ends:
        for told in end.events:
            found.setdefault(told.ordinal, {}).setdefault(told.identity, told)
    return found


def _is_sound(trial: Trial, end: End) -> bool:
    """Whether a row stood there and was compared with what was said before, not put aside."""
    named = {rule.name for rule in trial.translator.row_rules}
    aside = end.disposition in EXCEPTIONAL or end.rule in named
    return end.step.op != DELETE and not aside
