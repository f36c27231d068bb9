"""Restoring: each change of a table with what its row's earlier changes say of it."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.cut import BEFORE, OVERLAP, CutLines
from cutline.engine.end import Question, end, first_end, question
from cutline.engine.frames import step
from cutline.engine.restore.frames import (
    ARRIVED_AT_SUBJECT,
    FINAL_SUBJECT,
    HISTORY_GROUP,
    LEFT_GROUP,
    LEFT_SUBJECT,
    LIVE,
    OUTRANKED,
    READ_AGAIN,
    REREAD,
    RESTORE_END,
    RESTORED_COLUMNS,
    ROW_GROUP,
    SEEN_BEFORE,
    SNAPSHOT_SIDE,
    STILL_UNKNOWN,
    SUBJECT,
    logged_changes,
    snapshot_rows,
)
from cutline.engine.restore.generations import with_outranked
from cutline.engine.restore.key_changes import (
    KeyRenames,
    trace_key_changes,
    with_final_subject,
    with_groups,
)
from cutline.engine.restore.options import ChangeFeatures
from cutline.engine.restore.row_history import with_columns_filled, with_image_before, with_rereads
from cutline.engine.rules import subject_of
from cutline.tables.change import DELETE, SNAPSHOT, UPDATE
from cutline.tables.disposition import NO_OP, QUARANTINED, VISIBLE
from cutline.translator.part import Part

READ_AGAIN_RULE = "read-again"
"""The rule of a row that a snapshot read once more."""


@dataclass(frozen=True)
class RestoreOptions:
    """How the changes of a part are restored.

    `lines` are the cut lines in the log of its source, `features` what the extract counted in its
    changes. `key_renames` are the key changes by which the translator's subjects go on; None where
    there are none, or where the context lets a changed key begin another subject.
    """

    lines: CutLines
    features: ChangeFeatures
    key_renames: KeyRenames | None = None

    @property
    def rereads(self) -> bool:
        """Whether rows may have been read more than once."""
        return self.features.rereads or self.expects_rereads

    @property
    def expects_rereads(self) -> bool:
        """Whether a row may be read for the first time after the log has a change of it."""
        return self.lines.snapshot is not None and self.lines.snapshot.rereads

    @property
    def needed(self) -> bool:
        """Whether anything must be restored at all."""
        return self.features.need_restoring or self.rereads


_WHILE_RESTORING = (
    *(LIVE, OUTRANKED, READ_AGAIN, STILL_UNKNOWN, SEEN_BEFORE),
    *(HISTORY_GROUP, LEFT_GROUP, FINAL_SUBJECT),
)


@step(needs=logged_changes, adds=(*RESTORED_COLUMNS, RESTORE_END))
def restore_changes(changes: DataFrame, part: Part, options: RestoreOptions) -> DataFrame:
    """The changes with whole images `before` and `after`, each with a position.

    One row per change, and one more, with LEFT_SUBJECT, per change by which a row left its subject
    for another.
    """
    rows = changes.withColumns({ROW_GROUP: F.coalesce("key", row_without_key()), LIVE: is_live()})
    if options.features.renames:
        id_history = _id_history(rows.where(LIVE), part, options)
        rows = with_groups(rows, id_history, ROW_GROUP)
    rows = rows.repartition(ROW_GROUP)
    rows = rows.withColumn(OUTRANKED, F.lit(False))
    if options.features.generations:
        rows = with_outranked(rows, ROW_GROUP)
    rows = rows.withColumns({REREAD: F.lit(False), READ_AGAIN: F.lit(False)})
    if options.rereads:
        rows = with_rereads(rows, ROW_GROUP)
    if options.features.partial:
        rows = with_columns_filled(rows, ROW_GROUP, list(part.contract.columns()))
    else:
        rows = rows.withColumn(
            STILL_UNKNOWN, F.coalesce("unknown", F.array().cast(STILL_UNKNOWN.type))
        )
    rows = with_image_before(rows, ROW_GROUP)
    rows = rows.withColumn(RESTORE_END, _restore_end(rereads=options.expects_rereads))
    rows = _with_halves(_with_subjects(rows, part, options))
    if options.features.renames:
        # What goes on under another key is one history; what does not is another for each key.
        ended = F.when(F.col(LEFT_SUBJECT), F.col(LEFT_GROUP))
        group = F.coalesce(ended, HISTORY_GROUP) if key_names_subject(part) else F.col(ROW_GROUP)
        rows = rows.withColumn(ROW_GROUP, group)
    return rows.drop(*_WHILE_RESTORING)


def _id_history(changes: DataFrame, part: Part, options: RestoreOptions) -> DataFrame:
    """The history of the part's ids, as ID_HISTORY.

    Where subjects go on under new keys, it is the one that the subjects' other tables follow.
    """
    if options.key_renames is not None and key_names_subject(part):
        return options.key_renames.history
    return trace_key_changes(changes, part, splits=True)


@step(needs=logged_changes, adds=(*RESTORED_COLUMNS, RESTORE_END))
def accept_whole_changes(changes: DataFrame, part: Part, options: RestoreOptions) -> DataFrame:
    """As `restore_changes`, for a table all of whose changes are whole, as its extract says.

    A change that is not whole after all is quarantined.
    """
    strange = (
        F.col("position").isNull() | F.col("old_key").isNotNull() | F.col("unknown").isNotNull()
    )
    reason = F.lit("it is not as the extract said that all changes of its table are")
    rows = changes.withColumns(
        {
            RESTORE_END: F.when(strange, end(QUARANTINED, F.lit("no-prior-image"), reason)),
            ROW_GROUP: F.coalesce("key", row_without_key()),
            LIVE: is_live(),
            REREAD: F.lit(False),
        }
    )
    return _with_halves(_with_subjects(rows, part, options)).drop(LIVE)


@step(needs=snapshot_rows, adds=RESTORED_COLUMNS)
def accept_snapshot_rows(rows: DataFrame, part: Part) -> DataFrame:
    """As `restore_changes`, for the snapshot of a source without a log: without RESTORE_END.

    No row moved, and none was read twice.
    """
    never: dict[str, Column] = dict.fromkeys(
        (LEFT_SUBJECT, ARRIVED_AT_SUBJECT, REREAD), F.lit(False)
    )
    return rows.withColumns(
        {SUBJECT: subject_of(part, F.col("after")), ROW_GROUP: F.col("key"), **never}
    )


def is_live() -> Column:
    """Whether a change says something that the snapshot does not show, and could be read."""
    shown = F.coalesce(F.col(SNAPSHOT_SIDE) != BEFORE, F.lit(False))
    return ((F.col("op") == SNAPSHOT) | shown) & (F.size("defects") == 0)


def key_names_subject(part: Part) -> bool:
    """Whether the key contains all columns of the subject."""
    return set(part.subject) <= set(part.contract.key())


def row_without_key() -> Column:
    """A group of its own for a row without a key: all of them in one would go to one task."""
    stray = F.xxhash64("source", "table", "payload", "position", "partition", "offset")
    return F.concat(F.lit("?"), stray.cast("string"))


def _restore_end(*, rereads: bool) -> Column:
    """RESTORE_END: the first question that holds decides."""
    unseen = F.col(LIVE) & (F.col("op") == DELETE) & ~F.col(SEEN_BEFORE)
    # In an overlap zone the snapshot may show already that the row is gone.
    expected = F.lit(True) if rereads else F.col(SNAPSHOT_SIDE) == OVERLAP
    zone = F.col(LIVE) & (F.col(SNAPSHOT_SIDE) == OVERLAP) & F.col("old_key").isNotNull()
    unknown_reason = F.concat(
        F.lit("the change does not tell, and nothing before did: "),
        F.concat_ws(", ", STILL_UNKNOWN),
    )
    return first_end(
        [
            question(
                F.col(OUTRANKED),
                VISIBLE,
                "shown-by-a-later-batch",
                "a batch of a higher generation has the row as it was after this",
            ),
            question(
                F.col(READ_AGAIN),
                NO_OP,
                READ_AGAIN_RULE,
                "the snapshot read the row once more, and that image counts",
            ),
            Question(
                F.size(STILL_UNKNOWN) > 0, QUARANTINED, F.lit("no-prior-image"), unknown_reason
            ),
            question(
                zone,
                QUARANTINED,
                "overlap-zone",
                "it changes a key, and the snapshot may show that already",
            ),
            question(
                unseen & expected,
                NO_OP,
                "deleted-unseen",
                "it was deleted before it was ever read: nothing was announced of it",
            ),
            question(
                unseen,
                QUARANTINED,
                "no-prior-image",
                "a deletion came of a row of which nothing was known before",
            ),
        ]
    )


def _with_subjects(rows: DataFrame, part: Part, options: RestoreOptions) -> DataFrame:
    """The rows with SUBJECT, and `old_subject` from the image before."""
    columns = {
        SUBJECT: subject_of(part, F.coalesce("after", "before")),
        "old_subject": subject_of(part, F.col("before")),
    }
    rows = rows.withColumns(columns)
    if options.key_renames is None:
        return rows
    if key_names_subject(part):
        if not options.features.renames:
            return rows
        subject = F.coalesce(FINAL_SUBJECT, SUBJECT)
        # A change of a key by which a history goes on is none by which a row leaves it.
        old = (
            F.when(F.col("old_key").isNull(), F.coalesce(FINAL_SUBJECT, "old_subject"))
            .when(F.col(LEFT_GROUP).isNull(), subject)
            .otherwise(F.col("old_subject"))
        )
        return rows.withColumns({"old_subject": old, SUBJECT: subject})
    subjects = options.key_renames.subjects
    for name in columns:
        rows = with_final_subject(rows, subjects, name)
    return rows


def _with_halves(rows: DataFrame) -> DataFrame:
    """The rows in halves: two per change that took a row away from a subject, else one.

    Such a row has another subject then, or none. One that had none before only arrives.
    """
    moved = F.col(LIVE) & (F.col("op") == UPDATE) & F.col(RESTORE_END).isNull()
    moved &= F.col("before").isNotNull() & ~F.equal_null("old_subject", SUBJECT)
    moved = F.coalesce(moved, F.lit(False))
    left = F.col("moved") & F.col("old_subject").isNotNull()
    halves = F.when(left, F.array(F.lit(False), F.lit(True))).otherwise(F.array(F.lit(False)))
    split = rows.withColumn("moved", moved).select("*", F.explode(halves).alias(LEFT_SUBJECT))
    leaving = F.col(LEFT_SUBJECT)
    nothing = F.lit(None).cast(rows.schema["after"].dataType)
    halves_apart = {
        "op": F.when(leaving, F.lit(DELETE)).otherwise(F.col("op")),
        "after": F.when(leaving, nothing).otherwise(F.col("after")),
        "key": F.when(leaving, F.coalesce("old_key", "key")).otherwise(F.col("key")),
        SUBJECT: F.when(leaving, F.col("old_subject")).otherwise(F.col(SUBJECT)),
        ARRIVED_AT_SUBJECT: ~leaving & F.col("moved"),
    }
    return split.withColumns(halves_apart).drop("old_subject", "moved")
