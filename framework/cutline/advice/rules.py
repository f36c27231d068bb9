"""The table of the advice: what of a situation speaks for or against which strategy.

A strategy does not fit where a rule `rules-out` it; it is open where a rule `opens` it, as
something is not known that it depends on; else it fits. What `warns` is said beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from cutline.advice.needs import NONE
from cutline.advice.situation import RetainedEvents, Situation
from cutline.advice.strategies import Strategy

Effect = Literal["rules-out", "opens", "warns", "speaks-for"]
Test = Callable[[Situation], bool]

MOST_UNMAPPED = 0.1
"""The largest share without a meaning of what is sent on all the same."""
MOST_UNCLEAR = 0.5
"""The largest share of events without an order of their own in what is called a sequence."""
WINDOWS = 3
"""How many times what reading all rows takes a script needs: it reads, writes and is checked."""
LARGE_ROWS, LARGE_BYTES = 10_000_000, 10_000_000_000
"""From where on a slice is large: too much for a script in a window, and a message for each subject
is the slow way to fill a table."""


@dataclass(frozen=True)
class AdviceRule:
    """One line of the table: for which strategies it counts, what it does where it holds, and the
    sentence that says why, with names of `cutline.advice.sentences` in braces."""

    strategies: tuple[Strategy, ...]
    effect: Effect
    holds: Test
    says: str


def is_large(situation: Situation) -> bool:
    """Whether its tables are large: by their rows, or where these are not known by the files, which
    may hold other slices as well."""
    if situation.rows is not None:
        return situation.rows >= LARGE_ROWS
    return (situation.bytes or 0) >= LARGE_BYTES


def window_of(situation: Situation) -> float | None:
    """The seconds that a script needs at least; null where reading was not measured."""
    return None if situation.reading_seconds is None else situation.reading_seconds * WINDOWS


def acts(situation: Situation) -> bool:
    """Whether consumers act on what they read: as is said, else as the context says of its
    events."""
    if situation.side_effects is None:
        return bool(situation.acting)
    return situation.side_effects


def _always(situation: Situation) -> bool:
    del situation
    return True


def _history(situation: Situation) -> bool:
    """Whether more is needed than how things are."""
    return bool(situation.needs & {"sequence", "facts"})


def _window_is_short(situation: Situation) -> bool:
    window, downtime = window_of(situation), situation.downtime
    if window is None or downtime is None or downtime == NONE:
        return False
    return window > downtime.total_seconds()


def _sequence(test: Test) -> Test:
    return lambda s: "sequence" in s.needs and test(s)


def _after_run(test: Test) -> Test:
    return lambda s: s.run is not None and test(s)


def _of_best(test: Callable[[RetainedEvents], bool]) -> Test:
    """The test of what a replay would send; it does not hold where nothing is retained."""
    return lambda s: s.best_retained is not None and test(s.best_retained)


def _short_of(test: Callable[[Situation, RetainedEvents], bool]) -> Test:
    """The test of what makes a replay of it too little; nothing does where an archive may have
    more."""
    return lambda s: not s.archive and s.best_retained is not None and test(s, s.best_retained)


def _is_empty(situation: Situation, retained: RetainedEvents) -> bool:
    del situation
    return retained.records == 0


def _begins_late(situation: Situation, retained: RetainedEvents) -> bool:
    return retained.records != 0 and situation.reaches(retained) is False


def _has_last_only(situation: Situation, retained: RetainedEvents) -> bool:
    return retained.compacted and _history(situation)


def _lacks_aggregates(situation: Situation, retained: RetainedEvents) -> bool:
    del situation
    return bool(retained.missing)


def _is_unread(situation: Situation, retained: RetainedEvents) -> bool:
    del situation
    return (retained.unread or 0) > MOST_UNMAPPED


_FLAWS = (_is_empty, _begins_late, _has_last_only, _lacks_aggregates, _is_unread)


def _falls_short(situation: Situation) -> bool:
    """Whether what is retained is less than what is needed, which an archive may have."""
    best = situation.best_retained
    return best is None or any(flaw(situation, best) for flaw in _FLAWS)


def _reach(situation: Situation) -> bool | None:
    """Whether what a replay would send reaches back; null where that is not known, and where there
    is nothing."""
    best = situation.best_retained
    return None if best is None or best.records == 0 else situation.reaches(best)


def _is_shared(situation: Situation) -> bool:
    """Whether a replay would send what live topics have of other regions too, as far as is seen."""
    best = situation.best_retained
    if best is None or best.replay is not None or best.records == 0:
        return False
    return situation.shares_topics and situation.reaches(best) is not False


_NOTHING: tuple[Strategy, ...] = ("no-backfill",)
_SCRIPT: tuple[Strategy, ...] = ("script",)
_STATE: tuple[Strategy, ...] = ("state-backfill",)
_EVENTS: tuple[Strategy, ...] = ("synthetic-events",)
_TRANSLATED: tuple[Strategy, ...] = ("state-backfill", "synthetic-events")
_REPLAY: tuple[Strategy, ...] = ("raw-replay",)
_HISTORY: tuple[Strategy, ...] = ("synthetic-events", "raw-replay")
_REBUILD: tuple[Strategy, ...] = ("read-model-rebuild",)

RULES: tuple[AdviceRule, ...] = (
    # Nobody needs the past.
    AdviceRule(_NOTHING, "rules-out", lambda s: s.horizon != NONE and s.rows != 0, "{horizon}"),
    AdviceRule(
        _NOTHING,
        "speaks-for",
        lambda s: s.horizon == NONE,
        "nothing from before the cut is needed: live events bring all that is",
    ),
    AdviceRule(_NOTHING, "speaks-for", lambda s: s.rows == 0, "its tables have no row"),
    AdviceRule(
        _NOTHING,
        "opens",
        lambda s: s.rows == 0 and s.horizon != NONE and s.decision != "go",
        "run {run} is no GO: that its tables have no row may be a fault, such as a region that is "
        "spelt another way",
    ),
    # A script and a window.
    AdviceRule(
        _SCRIPT, "rules-out", _history, "it copies what stands in rows, and brings no {history}"
    ),
    AdviceRule(
        _SCRIPT,
        "rules-out",
        lambda s: s.downtime == NONE,
        "the legacy may not stand still, and a script needs it to",
    ),
    AdviceRule(
        _SCRIPT, "rules-out", is_large, "{volume} are too much for what begins anew when it fails"
    ),
    AdviceRule(
        _SCRIPT,
        "rules-out",
        _window_is_short,
        "reading all rows alone took {reading}; with writing and checking that is {window}, and "
        "the legacy may stand still for {downtime}",
    ),
    AdviceRule(
        _SCRIPT,
        "opens",
        lambda s: s.downtime is None,
        "nobody said how long the legacy may stand still",
    ),
    AdviceRule(
        _SCRIPT,
        "opens",
        lambda s: s.downtime is not None and s.reading_seconds is None,
        "how long reading all rows takes is not measured",
    ),
    AdviceRule(
        _SCRIPT,
        "speaks-for",
        lambda s: s.downtime is not None and s.reading_seconds is not None,
        "{volume} were read in {reading}, and the legacy may stand still for {downtime}: nothing "
        "moves while it is copied",
    ),
    # States and events that translators make.
    AdviceRule(
        _STATE, "rules-out", _history, "a state says how things are: it brings no {history}"
    ),
    AdviceRule(
        _TRANSLATED,
        "rules-out",
        lambda s: (s.unmapped or 0) > MOST_UNMAPPED,
        "no rule says what {unmapped} of the rows mean: with more than {most_unmapped} too much is "
        "missing",
    ),
    AdviceRule(
        _TRANSLATED,
        "opens",
        lambda s: s.run is None,
        "no run has read the slice: how much of it has a meaning is not known",
    ),
    AdviceRule(
        _TRANSLATED,
        "opens",
        _after_run(lambda s: s.unmapped is None),
        "run {run} did not count what has no meaning",
    ),
    AdviceRule(
        _TRANSLATED,
        "warns",
        lambda s: 0 < (s.unmapped or 0) <= MOST_UNMAPPED,
        "no rule says what {unmapped} of the rows mean: they are missing until one does",
    ),
    AdviceRule(
        _TRANSLATED,
        "warns",
        lambda s: bool(s.exceptional),
        "{exceptional} of the rows are put aside for a person",
    ),
    AdviceRule(
        _TRANSLATED,
        "warns",
        _after_run(lambda s: s.decision != "go"),
        "run {run} is no GO, and nothing is sent before one is: {decided_by}",
    ),
    AdviceRule(
        _STATE,
        "speaks-for",
        _always,
        "{states}, one for each subject, which consumers may take in any order, and again",
    ),
    AdviceRule(
        _EVENTS,
        "rules-out",
        _sequence(lambda s: (s.unclear or 0) > MOST_UNCLEAR),
        "for {unclear} of the events rows do not tell the order in which things happened: a "
        "sequence of them would be made up",
    ),
    AdviceRule(
        _EVENTS,
        "opens",
        _sequence(_after_run(lambda s: s.unclear is None)),
        "run {run} did not count the events whose order rows do not tell",
    ),
    AdviceRule(
        _EVENTS,
        "warns",
        _sequence(lambda s: 0 < (s.unclear or 0) <= MOST_UNCLEAR),
        "for {unclear} of the events rows do not tell the order in which things happened: they "
        "stand where the context declares it, and say so",
    ),
    AdviceRule(
        _EVENTS,
        "warns",
        lambda s: "facts" in s.needs and bool(s.timeless),
        "{timeless} of the events do not know when they happened",
    ),
    AdviceRule(
        _EVENTS,
        "warns",
        lambda s: not _history(s),
        "it is more than is needed: {events}, where {states} would do",
    ),
    AdviceRule(
        _EVENTS,
        "speaks-for",
        _always,
        "each fact that rows tell becomes an event in its place, labelled with what its time and "
        "order are worth",
    ),
    # Events that somebody still has.
    AdviceRule(
        _REPLAY,
        "rules-out",
        lambda s: s.best_retained is None and not s.archive,
        "no live topic is declared, and {nothing_named}",
    ),
    AdviceRule(_REPLAY, "rules-out", _short_of(_is_empty), "{retained}: no record is there"),
    AdviceRule(
        _REPLAY,
        "opens",
        _is_shared,
        "{retained}: the topics have the events of other regions as well, and whether those of "
        "this one reach back as far is not known",
    ),
    AdviceRule(
        _REPLAY,
        "rules-out",
        _short_of(_begins_late),
        "{retained}: everything since {since} is there, and the past is wanted since {wanted}",
    ),
    AdviceRule(
        _REPLAY,
        "rules-out",
        _short_of(_has_last_only),
        "{retained}: only the last record of each key is there",
    ),
    AdviceRule(
        _REPLAY,
        "rules-out",
        _short_of(_lacks_aggregates),
        "{retained}: nothing is there of {missing}",
    ),
    AdviceRule(
        _REPLAY,
        "rules-out",
        _short_of(_is_unread),
        "{retained}: {unread} of the records could not be read as events, so that their meaning is "
        "not mapped",
    ),
    AdviceRule(
        _REPLAY,
        "opens",
        lambda s: bool(s.archive) and _falls_short(s),
        "the archive is none that a replay of cutline.yaml declares, or that one is not named",
    ),
    AdviceRule(
        _REPLAY,
        "opens",
        lambda s: s.best_retained is not None and s.reaches(s.best_retained) is None,
        "{retained}: {reach_unknown}",
    ),
    AdviceRule(
        _REPLAY,
        "opens",
        _of_best(lambda r: r.unread is None),
        "{retained}: whether its records can be read as events is not measured",
    ),
    AdviceRule(
        _REPLAY,
        "warns",
        _of_best(lambda r: 0 < (r.unread or 0) <= MOST_UNMAPPED),
        "{retained}: {unread} of the records could not be read as events, and wait for a person",
    ),
    AdviceRule(
        _REPLAY,
        "warns",
        _of_best(lambda r: r.kept_for is not None),
        "{retained}: what is older than {kept_for} is removed, so that tomorrow less is there",
    ),
    AdviceRule(
        _REPLAY,
        "speaks-for",
        lambda s: _reach(s) is True,
        "{retained}: everything since {since} is there, as it was said then and in that order",
    ),
    AdviceRule(
        _HISTORY,
        "warns",
        acts,
        "consumers act on what they read, {acting}: each needs a gate that tells history from live "
        "events before the first record is sent",
    ),
    # The table itself.
    AdviceRule(
        _REBUILD,
        "rules-out",
        lambda s: bool(s.needs - {"read-model"}),
        "it fills tables and sends nothing: {beyond_tables} would have to come otherwise",
    ),
    AdviceRule(
        _REBUILD,
        "warns",
        _always,
        "what the legacy writes later comes by no live event: it is rebuilt again. Live events are "
        "applied with the history of a run that the rows agree with, and of no other",
    ),
    AdviceRule(
        _REBUILD, "speaks-for", _always, "tables are filled from tables: {volume}, and no message"
    ),
)
