"""The text of a failed expectation: expected and actual events and ends, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cutline.context import Context
from cutline.tables.disposition import EXCEPTIONAL
from cutline.testing.alignment import align
from cutline.testing.comparison import Difference, differences, end_differences, show
from cutline.testing.expected import Expected, ExpectedEnd, ExpectedEvent
from cutline.testing.step import Step
from cutline.testing.worlds.results import AnnouncedEvent, RowEnd


def failure_text(
    context: Context, steps: Sequence[Step], expected: Sequence[Expected], ends: Sequence[RowEnd]
) -> str:
    """The differences as a text for people; empty if all is as expected.

    Events are compared in the order of the steps and of the translator's facts. If ends are
    expected, they are compared with those of the rows, in their order; otherwise no row may be
    quarantined or ambiguous.
    """
    wanted = [e for e in expected if isinstance(e, ExpectedEvent)]
    wrong = [
        *_event_section(context, wanted, ends),
        *_end_section([e for e in expected if isinstance(e, ExpectedEnd)], ends),
    ]
    if not wrong:
        return ""
    return "\n".join(["given", *(f"  {n}. {s}" for n, s in enumerate(steps, start=1)), *wrong])


def _event_section(
    context: Context, wanted: Sequence[ExpectedEvent], ends: Sequence[RowEnd]
) -> list[str]:
    announced = [(end, told) for end in ends for told in end.events]
    pairs = align(wanted, announced, lambda left, right: _distance(context, left, right[1]))
    lines: list[str] = []
    wrong = False
    for expected, actual in pairs:
        differing = differences(context, expected, actual[1]) if expected and actual else []
        wrong = wrong or bool(differing) or expected is None or actual is None
        lines += _event_lines(expected, actual, differing)
    counts = f"{len(wanted)} expected, {len(announced)} announced"
    return [f"events: {counts}", *lines] if wrong else []


def _distance(context: Context, wanted: ExpectedEvent, event: AnnouncedEvent) -> float:
    if wanted.name != event.type:
        return 2.5
    differing = differences(context, wanted, event)
    return 1 + min(len(differing), 9) / 10 if differing else 0


def _event_lines(
    wanted: ExpectedEvent | None,
    announced: tuple[RowEnd, AnnouncedEvent] | None,
    differs: Sequence[Difference],
) -> Iterator[str]:
    if announced is None:
        assert wanted is not None
        expected_fields = [f"{name}={show(value)}" for name, value in wanted.fields.items()]
        yield f"  - {' '.join([wanted.name, *expected_fields])}: expected, and not announced"
        return
    end, event = announced
    label = f"{event.type} of {event.subject}"
    if wanted is None:
        yield f"  + {label}: announced, and not expected"
        yield f"      by {end.step}"
        yield f"      data {event.data}"
    elif differs:
        yield f"  ! {label}"
        yield from _side_by_side(differs)
    else:
        yield f"    {label}"


def _end_section(wanted: Sequence[ExpectedEnd], ends: Sequence[RowEnd]) -> list[str]:
    if not wanted:
        aside = [end for end in ends if end.disposition in EXCEPTIONAL]
        return ["rows: put aside, and not expected", *map(_unexpected_end, aside)] if aside else []
    if len(wanted) != len(ends):
        return [
            f"rows: {len(wanted)} ends expected, {len(ends)} rows have one",
            *(f"    {end.step.row.key} {end.disposition} by {end.rule}" for end in ends),
        ]
    lines: list[str] = []
    for expectation, end in zip(wanted, ends, strict=True):
        if differing := end_differences(expectation, end):
            lines += [
                f"  ! {end.step}",
                *_side_by_side(differing),
                *([_reason(end)] if end.reason else []),
            ]
    return ["rows:", *lines] if lines else []


def _side_by_side(differs: Sequence[Difference]) -> Iterator[str]:
    width = max(len(difference.field) for difference in differs)
    for difference in differs:
        yield f"      {difference.field:{width}}  expected {difference.expected}"
        yield f"      {'':{width}}  got      {difference.actual}"


def _unexpected_end(end: RowEnd) -> str:
    return f"  + {end.step}\n      {end.disposition} by {end.rule}: {end.reason}"


def _reason(end: RowEnd) -> str:
    return f"      because: {end.reason}"
