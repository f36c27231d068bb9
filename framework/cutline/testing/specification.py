"""Specifications: the cases of one translator, translated together, reported one by one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cutline.errors import ConfigurationError
from cutline.testing.case import Case, CaseResult, Given, given
from cutline.testing.expected import ExpectedEnd, ExpectedEvent
from cutline.testing.row import Row
from cutline.testing.text_table import split_cells, typed_values
from cutline.testing.worlds.translate import LATE, translate_worlds
from cutline.translator import Translator

END, RULE, EVENTS = "end", "rule", "events"


class Specification:
    """Named cases of one translator, translated in one Spark job when the first is verified.

    A case is `given(…).means(…)`. Rows of two cases never meet, so that keys may be used again.
    """

    def __init__(
        self, translator: type[Translator], cases: Mapping[str, Case], cut: dt.datetime = LATE
    ) -> None:
        self.translator, self.cases, self._cut = translator, dict(cases), cut
        self._results: dict[str, CaseResult] | None = None

    def __iter__(self) -> Iterator[str]:
        return iter(self.cases)

    def verify(self, name: str) -> None:
        """AssertionError, with the differences, unless the case of that name holds."""
        __tracebackhide__ = True
        self._translated()[name].expect(*self.cases[name].expected)

    def tests(self) -> Callable[..., None]:
        """One pytest test per case: `test_orders = specification(…).tests()`."""
        import pytest

        @pytest.mark.parametrize("case", list(self.cases))
        def test(case: str) -> None:
            __tracebackhide__ = True
            self.verify(case)

        return test

    def _translated(self) -> dict[str, CaseResult]:
        if self._results is None:
            worlds = [case.steps for case in self.cases.values()]
            ends_by_case = translate_worlds(self.translator, worlds, self._cut)
            self._results = {
                name: CaseResult(self.translator, case.steps, tuple(ends))
                for (name, case), ends in zip(self.cases.items(), ends_by_case, strict=True)
            }
        return self._results


def specification(
    translator: type[Translator], cases: Mapping[str, Case], cut: dt.datetime = LATE
) -> Specification:
    """The specification of a translator by named cases; `cut` is the cut line, if it matters.

    ORDERS = specification(ErpOrders, {
        "a released order was placed before": given(
            snapshot(ErpOrder, order_no="1", status="R")
        ).means(event(Placed), event(Released)),
    })
    test_orders = ORDERS.tests()
    """
    return Specification(translator, cases, cut)


def meanings(row: Row, text: str, *beside: Row) -> dict[str, Case]:
    """Cases as a table of text: one snapshot row per line, and what it means.

    The columns are those of the contract and, for what is expected, `end` (the disposition),
    `rule` and `events` (the types, parted by commas). Every line is `row` with its own columns, and
    `beside` are rows that stand beside it in every case. A case is named by its line's columns.

        meanings(row(ErpOrder, order_no="1"), '''
            status | released_at       | end         | rule       | events
            N      |                   | translated  |            | Placed
            R      | 2026-10-01T08:00Z | translated  |            | Placed, Released
            ?      |                   | quarantined | unreadable |
        ''')
    """
    head, *lines = split_cells(text)
    for name in (END, EVENTS):
        if name not in head:
            raise ConfigurationError(
                f"a table of meanings has no column {name!r}",
                next_step=f"Its head must have {END} and {EVENTS}, and may have {RULE}.",
            )
    return dict(_meaning(row, dict(zip(head, line, strict=True)), beside) for line in lines)


def _meaning(row: Row, cells: Mapping[str, str], beside: tuple[Row, ...]) -> tuple[str, Case]:
    row_cells = {n: v for n, v in cells.items() if n not in (END, RULE, EVENTS)}
    name = ", ".join(f"{n}={v}" for n, v in row_cells.items() if v) or "as it is"
    end = ExpectedEnd(cells[END], cells.get(RULE) or None)
    types = [kind.strip() for kind in cells[EVENTS].split(",") if kind.strip()]
    steps: Given = given(row.but(typed_values(row, row_cells)), *beside)
    expected: list[Any] = [end, *(ExpectedEvent(kind) for kind in types)]
    return name, Case(steps.steps, tuple(expected))
