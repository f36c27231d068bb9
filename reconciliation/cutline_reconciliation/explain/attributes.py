"""Attributes of subjects: columns with few distinct values, from their legacy rows.

A subject has an attribute if any of its rows has it. Subjects are never given their attributes one
by one: what a subject has is a few words of bits (`places`), and the subjects of a label that have
the same are counted together, as one profile.
"""

from __future__ import annotations

from collections.abc import Collection

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.stages.wholes import read_wholes
from cutline.tables.breaks import OUTCOME
from cutline.workspace import Workspace
from cutline_reconciliation.explain.groups import GROUP
from cutline_reconciliation.explain.images import last_images
from cutline_reconciliation.explain.places import AttributePlaces
from cutline_reconciliation.explain.rows import (
    ROW,
    SUBJECT,
    announcing_rows,
    rows_of_subjects,
)

LABEL, MATCHED_LABEL = "label", ""
"""The column with the cluster of a subject that broke, and its value for one that matches."""
PLACES, NUMBER = "places", "number"


def attribute_profiles(
    workspace: Workspace,
    members: DataFrame,
    groups: Collection[tuple[str, str]],
    looked_into: Collection[str] | None,
) -> tuple[DataFrame, AttributePlaces]:
    """How many members of each label have just which attributes, and the attributes' places.

    `members` has one row per subject and label (MATCHED_LABEL for a match), of these groups of
    level and name: `grouped`, `label`, `aggregate`, `subject`. A profile is `grouped`, `label`,
    `number` and `places`, an array. Subjects of labels that are not looked into, where that is not
    None, have no attributes.

    The rows of a subject are those that dispositions give it, those of its declared parts, and
    those that announced an event of it, accepted or refused. Attributes come from a row's last
    image and from its translator's lookups; `images` chooses the columns.
    """
    if not workspace.translation.translators:
        places = AttributePlaces()
        return _profiles(members, places), places
    images, places = last_images(workspace)
    if not places.words:
        # Every column is a key or personal.
        return _profiles(members, places), places
    of_groups = F.col("aggregate").isin(*_aggregates(workspace, groups))
    by_subject = (
        _rows_behind(workspace)
        .where(of_groups)
        .distinct()
        .join(images, list(ROW))
        .groupBy(*SUBJECT)
        .agg(*(F.bit_or(word).alias(word) for word in places.words))
    )
    joined = members.join(by_subject, list(SUBJECT), "left")
    has_attributes = F.lit(True)
    if looked_into is not None:
        has_attributes = F.col(LABEL).isin(MATCHED_LABEL, *looked_into)
    words = {
        word: F.coalesce(F.when(has_attributes, F.col(word)), F.lit(0)) for word in places.words
    }
    return _profiles(joined.withColumns(words), places), places


def _profiles(members: DataFrame, places: AttributePlaces) -> DataFrame:
    counted = members.groupBy(GROUP, LABEL, *places.words).agg(F.count("*").alias(NUMBER))
    return counted.select(GROUP, LABEL, NUMBER, F.expr(places.places()).alias(PLACES))


def _aggregates(workspace: Workspace, groups: Collection[tuple[str, str]]) -> list[str]:
    """The aggregates whose subjects are members of the groups."""
    of_outcomes = {one.name: one.aggregate for one in workspace.context.outcomes}
    names = {of_outcomes.get(name) if level == OUTCOME else name for level, name in groups}
    return sorted(name for name in names if name is not None)


def _rows_behind(workspace: Workspace) -> DataFrame:
    """The legacy rows behind every subject: `aggregate`, `subject`, `source`, `table`, `key`."""
    rows = rows_of_subjects(workspace)
    of_parts = read_wholes(workspace.lake, workspace.spark, workspace.context.aggregates)
    if of_parts is not None:
        named = F.col("whole_aggregate").alias("aggregate"), F.col("whole").alias("subject")
        parts = rows.join(of_parts, list(SUBJECT)).select(*named, *ROW)
        rows = rows.unionByName(parts)
    return rows.unionByName(announcing_rows(workspace)).dropna()
