"""Counts of breaks, and of subjects that are explained instead, from the passes that write them."""

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
    """Counts of one aggregate at record and state level."""

    missing: int
    """Breaks of the kind `missing`: subjects that only the legacy has."""
    unexpected: int
    """Breaks of the kind `unexpected`: subjects that only the new side has."""
    duplicated: int
    """Breaks of the kind `duplicated`: subjects with several rows on a side."""
    state: int
    """Breaks at state level: one per differing column of a subject."""
    by_column: Mapping[str, int]
    """Breaks at state level by compared column, zeros included."""
    missing_explained_by: Mapping[str, int]
    """Missing subjects that an exception explains, by the exception's rule, without zeros."""
    differing_explained: int
    """Differing subjects that an exception explains."""
    filtered: int
    """Missing subjects that a translator ignores by rule."""


@dataclass(frozen=True)
class BreakCounts:
    """Counts of the rows of the table `breaks`."""

    by_level: Mapping[str, int]
    """All breaks by level, zeros included."""
    by_aggregate: Mapping[str, AggregateBreaks]
    """Counts by aggregate with a truth."""

    @property
    def filtered(self) -> int:
        """Missing subjects of all aggregates that translators ignore by rule."""
        return sum(counts.filtered for counts in self.by_aggregate.values())


@dataclass(frozen=True)
class BreakCounting:
    """The Spark aggregates from which `BreakCounts` are read, over breaks and over subjects."""

    by_level: KeyedCounts[str]
    by_kind: KeyedCounts[tuple[str, str]]
    state: KeyedCounts[str]
    by_column: KeyedCounts[tuple[str, str]]
    missing_explained: KeyedCounts[tuple[str, str]]
    differing_explained: KeyedCounts[str]
    filtered: KeyedCounts[str]

    @property
    def over_breaks(self) -> dict[str, Column]:
        """Aggregates over rows of `breaks`, by metric."""
        counts = (self.by_level, self.by_kind, self.state, self.by_column)
        return {name: column for keyed in counts for name, column in keyed.columns.items()}

    @property
    def over_subjects(self) -> dict[str, Column]:
        """Aggregates over subjects, by metric.

        The subjects have `name`, `record_rule`, `state_rule` and FILTERED.
        """
        counts = (self.missing_explained, self.differing_explained, self.filtered)
        return {name: column for keyed in counts for name, column in keyed.columns.items()}

    def read(self, of_breaks: Mapping[str, int], of_subjects: Mapping[str, int]) -> BreakCounts:
        """The counts from the metrics of both passes."""
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
    """The Spark aggregates that count breaks.

    `columns` are the compared columns by aggregate with a truth; `exception_rules` the rules whose
    exceptions may explain a subject.
    """
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
    """The counts of one aggregate by the second part of their keys."""
    return {rest: number for (name, rest), number in counts.items() if name == aggregate}
