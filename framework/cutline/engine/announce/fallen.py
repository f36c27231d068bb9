"""Facts that rose and fell within a transaction: they held between two of its rows only."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.announce.frames import (
    COMMIT_NAMES,
    FALLEN_TYPES,
    IMAGE_NAMES,
    NAMED_IMAGES,
    NAMES_BEFORE,
)
from cutline.engine.compose import SUPERSEDED, of_commit
from cutline.engine.facts import Fact
from cutline.engine.frames import step
from cutline.translator.rules import CHANGES


def no_types() -> Column:
    """An empty array of types."""
    return F.array().cast(FALLEN_TYPES.type)


@step(needs=NAMED_IMAGES, adds=(FALLEN_TYPES,))
def with_fallen_types(images: DataFrame, facts: Sequence[Fact]) -> DataFrame:
    """The images with FALLEN_TYPES; empty for all but superseded changes."""
    types = [F.lit(fact.rule.event.event_type()) for fact in facts]
    before, left = (
        F.coalesce(F.first(names).over(of_commit()), no_types())
        for names in (NAMES_BEFORE, COMMIT_NAMES)
    )
    own_names = F.coalesce(IMAGE_NAMES, no_types())
    fallen = F.array_except(own_names, F.concat(before, left))
    moves = [
        str(i)
        for i, fact in enumerate(facts, start=1)
        if fact.rule.kind == CHANGES and not fact.rule.opening
    ]
    if moves:
        # The first value of a column that moves is no move.
        fallen = F.filter(
            fallen,
            lambda name: (
                ~_ordinal(name).isin(moves)
                | F.exists(before, lambda earlier: _ordinal(earlier) == _ordinal(name))
            ),
        )
    named = F.transform(
        fallen, lambda name: F.element_at(F.array(*types), _ordinal(name).cast("int"))
    )
    return images.withColumn(FALLEN_TYPES, F.when(F.col(SUPERSEDED), named).otherwise(no_types()))


def _ordinal(name: Column) -> Column:
    return F.substring_index(name, "\u0000", 1)
