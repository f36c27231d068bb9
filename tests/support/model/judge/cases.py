"""A case: one history, how it is cut, and how its changes are delivered."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property

from support.model.connector import Manners, Record, delivered, reread, snapshot_of
from support.model.history import History, played
from support.model.judge.cuts import CUTS, FIRST, IN_LOG, REREADING, SECOND, Cut, Kind, repaired
from support.model.random_steps import Mix, random_steps
from support.model.steps import Steps

KINDS = {**CUTS, **REREADING}


@dataclass(frozen=True)
class Case:
    """What is judged. `cut` names one of KINDS; `seed` decides how its records are delivered."""

    steps: Steps
    cut: str = "visibility"
    manners: Manners = field(default_factory=Manners)
    seed: int = 0

    @cached_property
    def history(self) -> History:
        return played(self.steps, lagging=KINDS[self.cut].lagging)

    @cached_property
    def history_cut(self) -> Cut:
        """The history's cut."""
        return KINDS[self.cut].of(self.history, self.tail)

    @cached_property
    def tail(self) -> tuple[Record, ...]:
        """The log as it is delivered."""
        return tuple(delivered(self.history, self.manners, random.Random(self.seed)))

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """All that the engine is given: the snapshot's rows, then the tail."""
        if self.cut == IN_LOG:
            return tuple(reread(self.history, self.tail, self.manners))
        shown = self.history.rows_of(self.history_cut.shown)
        if self.history_cut.repair is None:
            return (*snapshot_of(shown), *self.tail)
        later = self.history.rows_of(self.history_cut.repair.shown)
        second = {key: row for key, row in later.items() if repaired(key)}
        return (*snapshot_of(shown, FIRST), *snapshot_of(second, SECOND), *self.tail)


def random_case(seed: int, manners: Manners, mix: Mix, kinds: Mapping[str, Kind] = CUTS) -> Case:
    """The case with that number: its history, a cut that can tell it, and the delivery.

    Of the `manners` that are allowed it has about half.
    """
    rng = random.Random(f"case {seed}")
    cut = rng.choice(sorted(kinds))
    kind = kinds[cut]
    has = {one.name: getattr(manners, one.name) for one in fields(manners)}
    half = {name: on and rng.random() < 0.5 for name, on in has.items() if isinstance(on, bool)}
    half["restarts"] &= kind.repeats
    half["key_only"] &= kind.partial
    half["toasted"] &= kind.partial
    mix = replace(mix, renames=mix.renames and kind.renames, reborn=mix.reborn and kind.reborn)
    return Case(random_steps(seed, mix), cut, replace(manners, **half), seed)
