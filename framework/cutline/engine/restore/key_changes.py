"""Key changes of a part: one name for all changes of a row, and the final id of its subject."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.frames import step
from cutline.engine.restore.frames import (
    FINAL_SUBJECT,
    HISTORY_GROUP,
    ID_HISTORY,
    IDS,
    LEFT_GROUP,
    grouped_changes,
    logged_changes,
)
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


@dataclass(frozen=True)
class KeyRenames:
    """The history of a part's keys, where the key contains the subject; as ID_HISTORY."""

    history: DataFrame

    @property
    def subjects(self) -> DataFrame:
        """One row per id that a subject gave up, as IDS."""
        renamed_subjects = self.history.where(F.col("subject") != F.col("old_subject"))
        return group_by_id(renamed_subjects.withColumn("id", F.col("old_subject")))


@step(needs=logged_changes, returns=ID_HISTORY)
def trace_key_changes(changes: DataFrame, part: Part, *, splits: bool) -> DataFrame:
    """What became of the keys of a part's rows, as ID_HISTORY; `changes` are its live changes."""
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


@step(needs=grouped_changes, adds=(HISTORY_GROUP, LEFT_GROUP, FINAL_SUBJECT))
def with_groups(rows: DataFrame, id_history: DataFrame, group: str) -> DataFrame:
    """The rows with HISTORY_GROUP, LEFT_GROUP and FINAL_SUBJECT; `group` follows key changes.

    The column `group`, the key until then, becomes one text for all changes of a row.
    """
    ids = group_by_id(id_history)
    joined = rows.join(ids, rows["key"] == ids["id"], "left").withColumns(
        {
            "departure": departure_after(F.col("position")),
            "arrival": arrival_before(F.col("position")),
        }
    )
    departure, arrival = F.col("departure"), F.col("arrival")
    since = F.when(arrival.isNotNull(), F.concat_ws("@", "key", arrival.getField("at")))
    arrives_now = arrival.getField("at") == F.col("position")
    return joined.withColumns(
        {
            HISTORY_GROUP: F.coalesce(departure.getField("kept"), since, group),
            LEFT_GROUP: F.when(arrives_now, arrival.getField("left")),
            FINAL_SUBJECT: departure.getField("subject"),
            group: F.coalesce(departure.getField("row"), since, group),
        }
    ).drop(*IDS.names, "departure", "arrival")


@step(needs=grouped_changes)
def with_final_subject(rows: DataFrame, ids: DataFrame, name: str) -> DataFrame:
    """The rows with the final id of each subject in place of the id in the column `name`.

    `ids` are IDS. Rows of other tables may use a subject's old id until the end of the transaction
    that gave it a new one; so a departure counts for all rows of its commit.
    """
    joined = rows.join(ids, F.col(name) == ids["id"], "left")
    # The beginning of a commit's positions sorts before all of them.
    at = F.substring("position", 1, FIRST_DIGITS)
    final = departure_after(at).getField("subject")
    return joined.withColumn(name, F.coalesce(final, name)).drop(*IDS.names)


def _old_subject(part: Part) -> Column:
    """The subject before a key change: from the row before, or else from the old key."""
    key = part.contract.key()
    columns = [
        F.get_json_object("old_key", f"$[{key.index(name)}]") if name in key else F.lit(None)
        for name in part.subject
    ]
    return F.coalesce(subject_of(part, F.col("before")), joined_subject(columns))
