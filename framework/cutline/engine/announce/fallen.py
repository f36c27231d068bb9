"""What rose and fell within a transaction: facts that held between its rows only."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.compose import SUPERSEDED, of_commit
from cutline.engine.facts import Fact
from cutline.translator.rules import CHANGES

FALLEN_TYPES, FALLEN_WITHIN = "fell_types", "fell_within"
"""The types of the events that a change would have announced by itself and that its commit does
not, and how many they are."""


def no_types() -> Column:
    """An empty array of types."""
    return F.array().cast("array<string>")


def with_fallen_types(images: DataFrame, facts: Sequence[Fact]) -> DataFrame:
    """The images, which have `said`, `names` and `names_before`, with FALLEN_TYPES; never null.

    It is asked of changes that another of the same row follows in their commit, and is empty for
    all others.
    """
    types = [F.lit(fact.rule.event.event_type()) for fact in facts]
    before, left = (
        F.coalesce(F.first(names).over(of_commit()), no_types())
        for names in ("names_before", "names")
    )
    own_names = F.coalesce("said", no_types())
    fallen = F.array_except(own_names, F.concat(before, left))
    moves = [
        str(i)
        for i, fact in enumerate(facts, start=1)
        if fact.rule.kind == CHANGES and not fact.rule.opening
    ]
    if moves:
        # A value that is seen first is no move of it.
        fallen = F.filter(
            fallen,
            lambda name: (
                ~_ordinal(name).isin(moves)
                | F.exists(before, lambda known: _ordinal(known) == _ordinal(name))
            ),
        )
    named = F.transform(
        fallen, lambda name: F.element_at(F.array(*types), _ordinal(name).cast("int"))
    )
    return images.withColumn(FALLEN_TYPES, F.when(F.col(SUPERSEDED), named).otherwise(no_types()))


def _ordinal(name: Column) -> Column:
    return F.substring_index(name, "\u0000", 1)
