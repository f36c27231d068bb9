"""The ways to give a new side its past, and what each of them asks of people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from cutline.advice.needs import Need

Strategy = Literal[
    "no-backfill",
    "script",
    "state-backfill",
    "synthetic-events",
    "raw-replay",
    "read-model-rebuild",
]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)


@dataclass(frozen=True)
class StrategyWords:
    """A strategy for people: what it is, what it gives, and the work that it asks for."""

    title: str
    gives: frozenset[Need]
    work: str


WORDS: Mapping[Strategy, StrategyWords] = {
    "no-backfill": StrategyWords(
        "Do not backfill: the new side begins at the cut",
        frozenset(),
        "none, but for saying so to everybody who will ask where last year is",
    ),
    "script": StrategyWords(
        "A plain script in a maintenance window",
        frozenset({"state", "read-model"}),
        "a script, a rehearsal of it on a copy, and a way back by hand if the window is over first",
    ),
    "state-backfill": StrategyWords(
        "State backfill: publish the current state of each subject",
        frozenset({"state", "read-model"}),
        "translators, and consumers that take a state for what it is, again and in any order",
    ),
    "synthetic-events": StrategyWords(
        "Synthetic events: legacy rows and changes become labelled domain events",
        frozenset({"state", "sequence", "read-model", "facts"}),
        "translators that say what every value means, exceptions to be worked through, and "
        "consumers that tell history from live events",
    ),
    "raw-replay": StrategyWords(
        "Raw replay: send the events that are retained once more",
        frozenset({"state", "sequence", "read-model", "facts"}),
        "upcasters where payloads have changed, and consumers that cause no effect for what is "
        "labelled as replayed",
    ),
    "read-model-rebuild": StrategyWords(
        "Rebuild the read model straight from legacy rows",
        frozenset({"read-model"}),
        "SQL that gives one row for each subject, and a run to compare it with, with whose history "
        "live events are applied (--feed)",
    ),
}
