"""How well a run's events know when they happened: counted by source, said in the certificate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.cut import ASSUMED, PROVEN, Obligation
from cutline.tables.event import APPROXIMATE, COMMIT, EFFECTIVE, EXACT, EXTRACT, INFERRED

_LABELS: Mapping[str, tuple[tuple[str, str | None], str]] = {
    EXACT: ((EFFECTIVE, EXACT), "exact"),
    INFERRED: (
        (EFFECTIVE, INFERRED),
        "inferred, for its time or payload may have been written again since",
    ),
    APPROXIMATE: ((EFFECTIVE, APPROXIMATE), "approximate, as its translator says"),
    COMMIT: ((COMMIT, None), "of a write, and not of the fact"),
    EXTRACT: ((EXTRACT, None), "not known but for the extract"),
}
"""What the time of an event is worth: its basis and confidence (null for any), and in words."""


def time_counts(sources: Iterable[str]) -> dict[str, Column]:
    """Aggregates over EVENTS: how many of each source have a time of each worth."""
    return {
        f"time:{source}:{label}": F.count_if(
            (F.col("migsrcsystem") == source) & _has_worth(*labels)
        )
        for source in sources
        for label, (labels, _) in _LABELS.items()
    }


def time_labels(sources: Iterable[str], counts: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """Those counts, by source and label; labels that no event has are left out."""
    return {
        source: {
            label: counts[f"time:{source}:{label}"]
            for label in _LABELS
            if counts[f"time:{source}:{label}"]
        }
        for source in sources
    }


def time_names(labels: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """The counts of `time_labels`, by the names of `time_counts`."""
    return {
        f"time:{source}:{label}": number
        for source, numbers in labels.items()
        for label, number in numbers.items()
    }


def times_obligation(source: str, counted: Mapping[str, int]) -> Obligation:
    """O9 of a source: what its events' times are worth, and on whose word.

    What calls itself exact rests on the contract's word that a column is stable, or on the change
    that made the fact true having written the time.
    """
    if not counted:
        return Obligation("O9", PROVEN, "no event was made of it", source)
    worth = ", ".join(f"{n:,} {_LABELS[label][1]}" for label, n in counted.items())
    if EXACT not in counted:
        return Obligation("O9", PROVEN, f"none calls itself exact: {worth}", source)
    by = f"by its contracts, that what they call stable never moves: of the events' times {worth}"
    return Obligation("O9", ASSUMED, by, source)


def _has_worth(basis: str, confidence: str | None) -> Column:
    based = F.col("migtimebasis") == basis
    return based if confidence is None else based & (F.col("migconfidence") == confidence)
