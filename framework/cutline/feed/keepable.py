"""Which new events are applied where a subject's state would hold what no database keeps."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from cutline.feed.admission import NO_VALUE_RULE, event_aside, waits_behind
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

    Of a subject whose state no database keeps, the first new event with which that is so is put
    aside; what stands behind it waits, and what stands before it is applied. So the rows do not
    depend on which events came in one transaction.
    """
    applied = sorted(new, key=lambda event: event.place)
    aside: list[AsideRecord] = []
    touched = project(applied)
    while unkept := _unkept(touched, applied):
        out = _put_out(_first_unkept(unkept, project), applied)
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
    """The subjects whose states no database keeps, with those new events that the merge saw."""
    merged = {verdict.identity for verdict in touched.verdicts}
    unkept: dict[Subject, list[OfferedEvent]] = {}
    for event in applied:
        if _is_unkept(touched, event.of) and event.identity in merged:
            unkept.setdefault(event.of, []).append(event)
    return unkept


def _first_unkept(
    unkept: Mapping[Subject, Sequence[OfferedEvent]], project: Project
) -> dict[Subject, OfferedEvent]:
    """By subject, an event with which its state cannot be kept, and before which it can."""
    sound, spoilt = dict.fromkeys(unkept, 0), {of: len(events) for of, events in unkept.items()}
    while apart := [of for of in unkept if spoilt[of] - sound[of] > 1]:
        middle = {of: (sound[of] + spoilt[of]) // 2 for of in apart}
        touched = project([event for of in apart for event in unkept[of][: middle[of]]])
        for of in apart:
            (spoilt if _is_unkept(touched, of) else sound)[of] = middle[of]
    return {of: events[spoilt[of] - 1] for of, events in unkept.items()}


def _is_unkept(touched: TouchedSubjects, of: Subject) -> bool:
    return NO_VALUE in touched.states.get(of, b"")


def _put_out(
    first: Mapping[Subject, OfferedEvent], applied: Sequence[OfferedEvent]
) -> dict[Record, AsideRecord]:
    """By place, these events and what waits behind them."""
    brings = {event.place for event in first.values()}
    holds: dict[Holder, int] = {}
    out: dict[Record, AsideRecord] = {}
    for event in applied:
        position = holds.get(event.holder)
        if position is not None:
            out[event.place] = waits_behind(event, position)
        elif event.place in brings:
            holds[event.holder] = event.position
            out[event.place] = event_aside(event, NO_VALUE_RULE, _reason(event.aggregate))
    return out


def _reason(aggregate: str) -> str:
    return (
        f"its {aggregate} would hold a text with the character U+0000, or a date or time outside "
        "of the years 1 to 9999"
    )


def _without(touched: TouchedSubjects, subjects: Collection[Subject]) -> TouchedSubjects:
    return TouchedSubjects(
        [verdict for verdict in touched.verdicts if verdict.of not in subjects],
        {of: values for of, values in touched.states.items() if of not in subjects},
    )


def _with(touched: TouchedSubjects, more: TouchedSubjects) -> TouchedSubjects:
    return TouchedSubjects([*touched.verdicts, *more.verdicts], {**touched.states, **more.states})
