"""Which new events are applied where a subject's state would hold what no database keeps, or could
not be computed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from cutline.feed.admission import (
    NO_VALUE_RULE,
    UNCOMPUTABLE_RULE,
    event_aside,
    waits_behind,
)
from cutline.feed.offered import Holder, OfferedEvent
from cutline.feed.touched import TouchedSubjects
from cutline.readmodels import AsideRecord, Record, Subject
from cutline.readmodels.lines import NO_VALUE

Project = Callable[[Sequence[OfferedEvent]], TouchedSubjects]
"""The subjects of some new events, as they are with these and with what was applied before."""


def keepable(
    new: Collection[OfferedEvent], project: Project
) -> tuple[TouchedSubjects, list[AsideRecord]]:
    """The subjects with the new events that can be applied, and what is put aside.

    Of a subject whose state no database keeps or nobody can compute, the first new event with which
    that is so is put aside; what stands behind it waits, and what stands before it is applied. So
    the rows do not depend on which events came in one transaction.
    """
    applied = sorted(new, key=lambda event: event.place)
    aside: list[AsideRecord] = []
    touched = project(applied)
    while unkept := _unkept(touched, applied):
        out = _put_out(_first_unkept(unkept, touched, project), applied)
        aside += out.values()
        changed = {event.of for event in applied if event.place in out}
        applied = [event for event in applied if event.place not in out]
        again = [event for event in applied if event.of in changed]
        touched = _without(touched, changed)
        if again:
            touched = _with(touched, project(again))
    return touched, aside


def _unkept(
    touched: TouchedSubjects, applied: Sequence[OfferedEvent]
) -> dict[Subject, list[OfferedEvent]]:
    """The subjects whose states cannot be kept, with those new events that the merge saw."""
    merged = {verdict.identity for verdict in touched.verdicts}
    unkept: dict[Subject, list[OfferedEvent]] = {}
    for event in applied:
        if _fault(touched, event.of) and event.identity in merged:
            unkept.setdefault(event.of, []).append(event)
    return unkept


_Fault = tuple[str, str]
"""A rule, and the reason in words."""


def _first_unkept(
    unkept: Mapping[Subject, Sequence[OfferedEvent]], touched: TouchedSubjects, project: Project
) -> dict[Record, _Fault]:
    """By its place, of each subject an event with which its state cannot be kept, and before which
    it can."""
    sound, spoilt = dict.fromkeys(unkept, 0), {of: len(events) for of, events in unkept.items()}
    faults = {of: _fault(touched, of) for of in unkept}
    while apart := [of for of in unkept if spoilt[of] - sound[of] > 1]:
        middle = {of: (sound[of] + spoilt[of]) // 2 for of in apart}
        touched = project([event for of in apart for event in unkept[of][: middle[of]]])
        for of in apart:
            if fault := _fault(touched, of):
                spoilt[of], faults[of] = middle[of], fault
            else:
                sound[of] = middle[of]
    return {
        events[spoilt[of] - 1].place: fault
        for of, events in unkept.items()
        if (fault := faults[of]) is not None
    }


def _fault(touched: TouchedSubjects, of: Subject) -> _Fault | None:
    """Why the state of a subject cannot be kept; None where it can."""
    if (reason := touched.uncomputable.get(of)) is not None:
        return UNCOMPUTABLE_RULE, reason
    return (NO_VALUE_RULE, _no_value(of[0])) if NO_VALUE in touched.states.get(of, b"") else None


def _put_out(
    first: Mapping[Record, _Fault], applied: Sequence[OfferedEvent]
) -> dict[Record, AsideRecord]:
    """By place, these events and what waits behind them."""
    holds: dict[Holder, int] = {}
    out: dict[Record, AsideRecord] = {}
    for event in applied:
        position = holds.get(event.holder)
        if position is not None:
            out[event.place] = waits_behind(event, position)
        elif event.place in first:
            holds[event.holder] = event.position
            out[event.place] = event_aside(event, *first[event.place])
    return out


def _no_value(aggregate: str) -> str:
    return (
        f"its {aggregate} would hold a text with the character U+0000, or a date or time outside "
        "of the years 1 to 9999"
    )


def _without(touched: TouchedSubjects, subjects: Collection[Subject]) -> TouchedSubjects:
    return TouchedSubjects(
        [verdict for verdict in touched.verdicts if verdict.of not in subjects],
        {of: values for of, values in touched.states.items() if of not in subjects},
        {of: reason for of, reason in touched.uncomputable.items() if of not in subjects},
    )


def _with(touched: TouchedSubjects, more: TouchedSubjects) -> TouchedSubjects:
    return TouchedSubjects(
        [*touched.verdicts, *more.verdicts],
        {**touched.states, **more.states},
        {**touched.uncomputable, **more.uncomputable},
    )
