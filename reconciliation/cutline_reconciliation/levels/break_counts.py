"""How many breaks a run has, and what explains instead: counted in the passes that write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.tables.breaks import DUPLICATED, LEVELS, MISSING, RECORD, STATE, UNEXPECTED
from cutline_reconciliation.compare.counts.keyed import KeyedCounts
from cutline_reconciliation.levels.excuses.filters import FILTERED


@dataclass(frozen=True)
class AggregateBreaks:
    """The breaks of one aggregate at record and state level, and the subjects explained instead."""

    missing: int
    """Breaks of the kind `missing`: subjects that only the legacy has."""
    unexpected: int
    """Breaks of the kind `unexpected`."""
    duplicated: int
    """Breaks of the kind `duplicated`."""
    state: int
    """Breaks at state level: one per differing column of a subject."""
    by_column: Mapping[str, int]
    """Those by compared column, 0 included."""
    missing_explained_by: Mapping[str, int]
    """Missing subjects that an exception explains, by its rule; rules of none are left out."""
    differing_explained: int
    """Subjects that differ and that an exception explains."""
    filtered: int
    """Missing subjects that a translator left out by rule."""


@dataclass(frozen=True)
class BreakCounts:
    """The rows of the table `breaks`, counted."""

    by_level: Mapping[str, int]
    """All of them, by level."""
    by_aggregate: Mapping[str, AggregateBreaks]
    """By aggregate that has a truth."""

    @property
    def filtered(self) -> int:
        """Subjects of all aggregates that translators left out by rule."""
        return sum(counts.filtered for counts in self.by_aggregate.values())


@dataclass(frozen=True)
class BreakCounting:
    """The aggregates that make `BreakCounts`, over breaks and over the subjects behind them."""

    by_level: KeyedCounts[str]
    by_kind: KeyedCounts[tuple[str, str]]
    state: KeyedCounts[str]
    by_column: KeyedCounts[tuple[str, str]]
    missing_explained: KeyedCounts[tuple[str, str]]
    differing_explained: KeyedCounts[str]
    filtered: KeyedCounts[str]

    @property
    def over_breaks(self) -> dict[str, Column]:
        """Aggregates over rows in the columns of `breaks`."""
        counts = (self.by_level, self.by_kind, self.state, self.by_column)
        return {name: column for keyed in counts for name, column in keyed.columns.items()}

    @property
    def over_subjects(self) -> dict[str, Column]:
        """Aggregates over subjects with `name`, `record_rule`, `state_rule` and FILTERED."""
        counts = (self.missing_explained, self.differing_explained, self.filtered)
        return {name: column for keyed in counts for name, column in keyed.columns.items()}

    def read(self, of_breaks: Mapping[str, int], of_subjects: Mapping[str, int]) -> BreakCounts:
        """The counts, of the metrics of both passes."""
        kinds, columns = self.by_kind.read(of_breaks), self.by_column.read(of_breaks)
        states = self.state.read(of_breaks)
        explained = self.missing_explained.read(of_subjects)
        differing = self.differing_explained.read(of_subjects)
        filtered = self.filtered.read(of_subjects)
        by_aggregate = {
            name: AggregateBreaks(
                missing=kinds[name, MISSING],
                unexpected=kinds[name, UNEXPECTED],
                duplicated=kinds[name, DUPLICATED],
                state=states[name],
                by_column=_of(name, columns),
                missing_explained_by={r: n for r, n in _of(name, explained).items() if n},
                differing_explained=differing[name],
                filtered=filtered[name],
            )
            for name in states
        }
        return BreakCounts(self.by_level.read(of_breaks), by_aggregate)


def break_counting(
    columns: Mapping[str, Sequence[str]], exception_rules: Sequence[str]
) -> BreakCounting:
    """What is counted of breaks, where `columns` are the compared columns of each aggregate with a
    truth, and an exception of one of the rules may explain a subject."""
    level, kind, name = F.col("level"), F.col("kind"), F.col("name")
    state_column = F.col("column")

    def breaks_of(of_level: str, aggregate: str) -> Column:
        return (level == of_level) & (name == aggregate)

    return BreakCounting(
        by_level=KeyedCounts({of: F.count_if(level == of) for of in LEVELS}, "level"),
        by_kind=KeyedCounts(
            {
                (aggregate, of): F.count_if(breaks_of(RECORD, aggregate) & (kind == of))
                for aggregate in columns
                for of in (MISSING, UNEXPECTED, DUPLICATED)
            },
            "kind",
        ),
        state=KeyedCounts(
            {aggregate: F.count_if(breaks_of(STATE, aggregate)) for aggregate in columns}, "state"
        ),
        by_column=KeyedCounts(
            {
                (aggregate, column): F.count_if(
                    breaks_of(STATE, aggregate) & (state_column == column)
                )
                for aggregate, compared in columns.items()
                for column in compared
            },
            "column",
        ),
        missing_explained=KeyedCounts(
            {
                (aggregate, rule): F.count_if((name == aggregate) & (F.col("record_rule") == rule))
                for aggregate in columns
                for rule in exception_rules
            },
            "missing_explained",
        ),
        differing_explained=KeyedCounts(
            {
                aggregate: F.count_if((name == aggregate) & F.col("state_rule").isNotNull())
                for aggregate in columns
            },
            "differing_explained",
        ),
        filtered=KeyedCounts(
            {
                aggregate: F.count_if((name == aggregate) & F.col(FILTERED).isNotNull())
                for aggregate in columns
            },
            "filtered",
        ),
    )


def _of(aggregate: str, counts: Mapping[tuple[str, str], int]) -> dict[str, int]:
    """The counts of one aggregate, by what else is in their keys."""
    return {rest: number for (name, rest), number in counts.items() if name == aggregate}
