"""What a row is called through its key changes, and what its subject is called in the end."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.restore.id_history import (
    arrival_before,
    departure_after,
    group_by_id,
    trace_ids,
)
from cutline.engine.rules import joined_subject, subject_of
from cutline.positions import FIRST_DIGITS
from cutline.tables.change import CREATE, SNAPSHOT
from cutline.translator.part import Part

HISTORY_GROUP = "history_group"
"""What all changes of one history share: a row's, as far as it goes on under other keys."""

LEFT_GROUP = "left_group"
"""The HISTORY_GROUP that a key change ended; null where it ended none."""

FINAL_SUBJECT = "final_subject"
"""The subject's id in the end, where it was given another later; else null."""


@dataclass(frozen=True)
class KeyRenames:
    """What became of the keys of a part whose key tells its subject: `trace_ids`."""

    history: DataFrame

    @property
    def subjects(self) -> DataFrame:
        """One row per id that a subject gave up: `id` and `steps`, as `group_by_id`."""
        own = self.history.where(F.col("subject") != F.col("old_subject"))
        return group_by_id(own.withColumn("id", F.col("old_subject")))


def trace_key_changes(changes: DataFrame, part: Part, *, splits: bool) -> DataFrame:
    """What became of the keys of a part's rows; `changes` are those that count."""
    renames = changes.where(F.col("old_key").isNotNull()).select(
        F.col("old_key").alias("old"),
        F.col("key").alias("new"),
        "position",
        _old_subject(part).alias("old_subject"),
        subject_of(part, F.col("after")).alias("new_subject"),
        F.lit(False).alias("shown"),
    )
    involved = renames.select(F.explode(F.array("old", "new")).alias("id")).distinct()
    born = changes.where(F.col("op").isin(CREATE, SNAPSHOT)).select(
        "key", "position", (F.col("op") == SNAPSHOT).alias("shown")
    )
    births = born.join(involved, born["key"] == involved["id"], "left_semi")
    nothing = F.lit(None).cast("string")
    alone = births.select(
        nothing.alias("old"),
        F.col("key").alias("new"),
        "position",
        nothing.alias("old_subject"),
        nothing.alias("new_subject"),
        "shown",
    )
    return trace_ids(renames.unionByName(alone), splits=splits)


def with_groups(rows: DataFrame, id_history: DataFrame, group: str) -> DataFrame:
    """The rows with one text in `group` for all changes of a row, whatever its key was.

    With HISTORY_GROUP, LEFT_GROUP and FINAL_SUBJECT too.
    """
    ids = group_by_id(id_history)
    joined = rows.join(ids, rows["key"] == ids["id"], "left").withColumns(
        {
            "step": departure_after(F.col("steps"), F.col("arrivals"), F.col("position")),
            "arrival": arrival_before(F.col("arrivals"), F.col("position")),
        }
    )
    step, arrival = F.col("step"), F.col("arrival")
    since = F.when(arrival.isNotNull(), F.concat_ws("@", "key", arrival.getField("at")))
    arrives_now = arrival.getField("at") == F.col("position")
    return joined.withColumns(
        {
            HISTORY_GROUP: F.coalesce(step.getField("kept"), since, group),
            LEFT_GROUP: F.when(arrives_now, arrival.getField("left")),
            FINAL_SUBJECT: step.getField("subject"),
            group: F.coalesce(step.getField("row"), since, group),
        }
    ).drop("id", "steps", "arrivals", "step", "arrival")


def with_final_subject(rows: DataFrame, ids: DataFrame, name: str) -> DataFrame:
    """The rows with the id in column `name` replaced by the one that its subject has in the end.

    Rows of other tables than the one whose key changed may speak of a subject's old id until the
    transaction ends that gave it a new one; so there it means the same until then.
    """
    joined = rows.join(ids, F.col(name) == ids["id"], "left")
    # The beginning of a commit's positions sorts before all of them.
    at = F.substring("position", 1, FIRST_DIGITS)
    final = departure_after(F.col("steps"), F.col("arrivals"), at).getField("subject")
    return joined.withColumn(name, F.coalesce(final, name)).drop("id", "steps", "arrivals")


def _old_subject(part: Part) -> Column:
    """The subject before a key change, as far as the key tells it."""
    key = part.contract.key()
    columns = [
        F.get_json_object("old_key", f"$[{key.index(name)}]") if name in key else F.lit(None)
        for name in part.subject
    ]
    return F.coalesce(subject_of(part, F.col("before")), joined_subject(columns))
