"""The text of a failed expectation: what was expected and what came, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cutline.context import Context
from cutline.tables.disposition import EXCEPTIONAL
from cutline.testing.alignment import aligned
from cutline.testing.comparison import Difference, differences, end_differences, show
from cutline.testing.expected import Expected, ExpectedEnd, ExpectedEvent
from cutline.testing.step import Step
from cutline.testing.worlds.results import End, Told


def difference(
    context: Context, steps: Sequence[Step], expected: Sequence[Expected], ends: Sequence[End]
) -> str:
    """What differs, for people; empty if all is as expected.

    Events must be those expected, in the order of the steps and of the translator's facts. Where
    ends are expected, they must be those of the rows, in their order; where none is, no row may
    have been put aside.
    """
    wanted = [e for e in expected if isinstance(e, ExpectedEvent)]
    wrong = [
        *_of_events(context, wanted, ends),
        *_of_ends([e for e in expected if isinstance(e, ExpectedEnd)], ends),
    ]
    if not wrong:
        return ""
    return "\n".join(["given", *(f"  {n}. {s}" for n, s in enumerate(steps, start=1)), *wrong])


def _of_events(context: Context, wanted: Sequence[ExpectedEvent], ends: Sequence[End]) -> list[str]:
    came = [(end, told) for end in ends for told in end.events]
    pairs = aligned(wanted, came, lambda one, other: _distance(context, one, other[1]))
    lines: list[str] = []
    wrong = False
    for one, other in pairs:
        differs = differences(context, one, other[1]) if one and other else []
        wrong = wrong or bool(differs) or one is None or other is None
        lines += _event_lines(one, other, differs)
    counts = f"{len(wanted)} expected, {len(came)} announced"
    return [f"events: {counts}", *lines] if wrong else []


def _distance(context: Context, wanted: ExpectedEvent, told: Told) -> float:
    if wanted.name != told.type:
        return 2.5
    found = differences(context, wanted, told)
    return 1 + min(len(found), 9) / 10 if found else 0


def _event_lines(
    wanted: ExpectedEvent | None, came: tuple[End, Told] | None, differs: Sequence[Difference]
) -> Iterator[str]:
    if came is None:
        assert wanted is not None
        said = [f"{name}={show(value)}" for name, value in wanted.fields.items()]
        yield f"  - {' '.join([wanted.name, *said])}: expected, and not announced"
        return
    end, told = came
    label = f"{told.type} of {told.subject}"
    if wanted is None:
        yield f"  + {label}: announced, and not expected"
        yield f"      by {end.step}"
        yield f"      data {told.data}"
    elif differs:
        yield f"  ! {label}"
        yield from _sides(differs)
    else:
        yield f"    {label}"


def _of_ends(wanted: Sequence[ExpectedEnd], ends: Sequence[End]) -> list[str]:
    if not wanted:
        aside = [end for end in ends if end.disposition in EXCEPTIONAL]
        return ["rows: put aside, and not expected", *map(_aside, aside)] if aside else []
    if len(wanted) != len(ends):
        return [
            f"rows: {len(wanted)} ends expected, {len(ends)} rows have one",
            *(f"    {end.step.row.key} {end.disposition} by {end.rule}" for end in ends),
        ]
    lines: list[str] = []
    for one, end in zip(wanted, ends, strict=True):
        if found := end_differences(one, end):
            lines += [f"  ! {end.step}", *_sides(found), *([_reason(end)] if end.reason else [])]
    return ["rows:", *lines] if lines else []


def _sides(differs: Sequence[Difference]) -> Iterator[str]:
    width = max(len(one.field) for one in differs)
    for one in differs:
        yield f"      {one.field:{width}}  expected {one.expected}"
        yield f"      {'':{width}}  got      {one.got}"


def _aside(end: End) -> str:
    return f"  + {end.step}\n      {end.disposition} by {end.rule}: {end.reason}"


def _reason(end: End) -> str:
    return f"      because: {end.reason}"
