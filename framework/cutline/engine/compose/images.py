"""Images: a subject's parts before and after each commit, as a translator's rules see them.

A table without changes needs no exchange: each snapshot row is an image. Otherwise the changes of
all parts are brought together by subject, in the stage's one exchange, and ordered by commit. All
snapshot rows of a subject are one moment, and so are all rows of a commit: one of them stands for
all, and the others share its disposition.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.engine.compose.carry import carry_images
from cutline.engine.compose.commits import (
    commit_id,
    commit_order,
    is_quarantined,
    row_state,
    with_commits,
)
from cutline.engine.compose.frames import (
    CHANGE_AFTER,
    CHANGE_BEFORE,
    COMMIT_AT,
    COMMIT_OF,
    COMMIT_TIME,
    GROUP,
    IMAGE_AFTER,
    IMAGE_BEFORE,
    LANE,
    LOG,
    NO_PRIOR,
    PART,
    PART_NUMBER,
    PASSENGER,
    PHASE,
    REFERENCE,
    ROW_BEFORE,
    SEVERAL,
    SKEW,
    SOUND,
    STANDS_FOR,
    SUPERSEDED,
    TAKEN_AWAY,
    TURN,
    UNREAD,
    UNREADABLE,
    composed_images,
    images_of_snapshot,
    optional_parts,
)
from cutline.engine.compose.views import passenger_parts, view_columns, with_passengers, with_views
from cutline.engine.end import end
from cutline.engine.frames import Frame, step
from cutline.engine.restore import (
    ARRIVED_AT_SUBJECT,
    EXISTED_BEFORE,
    LEFT_SUBJECT,
    REREAD,
    ROW_END,
    ROW_GROUP,
    key_names_subject,
    snapshot_rows,
)
from cutline.engine.rules import image
from cutline.tables.change import SNAPSHOT
from cutline.tables.disposition import NO_OP
from cutline.translator.part import INFER, Part
from cutline.translator.translator import Translator


def _snapshot_images(name: str, frame: DataFrame) -> Frame:
    return images_of_snapshot(name, frame.schema["after"].dataType.simpleString())


@step(needs=snapshot_rows, returns=_snapshot_images)
def snapshot_images(name: str, changes: DataFrame) -> DataFrame:
    """One image per snapshot row of a table that has no change file."""
    return changes.select(
        *REFERENCE,
        F.col("after").alias(IMAGE_AFTER.of(name)),
        F.lit(None).cast(changes.schema["after"].dataType).alias(IMAGE_BEFORE.of(name)),
        F.lit(False).alias(TAKEN_AWAY.of(name)),
        F.lit(False).alias(NO_PRIOR.of(name)),
        F.lit(True).alias(STANDS_FOR),
        F.lit(None).cast("string").alias(GROUP),
        F.lit(None).cast("string").alias(SEVERAL),
        F.lit(name).alias(PART),
        F.lit(None).cast("bigint").alias(SKEW),
        F.lit(False).alias(SUPERSEDED),
    )


@step(returns=composed_images)
def compose_images(
    translator: type[Translator], changes: Mapping[str, DataFrame], lanes: Collection[str] = ()
) -> DataFrame:
    """One image per change of any part.

    `changes` are classified changes by the names of parts and of `passenger_parts`. `lanes` are the
    names among them whose positions have an order within a topic's partition only.
    """
    stacked = _without_repeats(_stacked(translator, changes, lanes), list(translator.parts))
    stacked = with_commits(with_views(translator, stacked), composed=is_composed(translator))
    stacked = stacked.withColumns(
        {UNREADABLE.of(name): _is_unreadable(name) for name in optional_parts(translator)}
    )
    return carry_images(translator, stacked)


def _is_unreadable(name: str) -> Column:
    """Whether the commits so far left rows of a part, and all of them quarantined; never null."""
    # Rows in no image have places among the commits, too; a snapshot is before all.
    is_logged = F.col(COMMIT_TIME).isNotNull()
    places = (F.when(is_logged, F.col(place)) for place in (LOG, COMMIT_AT, COMMIT_OF))
    so_far = Window.partitionBy(GROUP).orderBy(COMMIT_TIME, *places)
    state = F.when(F.col(PART) == name, row_state())

    def rows_left(kind: str) -> Column:
        more = (state == kind).cast("int") - (F.col(ROW_BEFORE) == kind).cast("int")
        return F.coalesce(F.sum(more).over(so_far), F.lit(0))

    return (rows_left(UNREAD) > 0) & (rows_left(SOUND) <= 0)


def _without_repeats(rows: DataFrame, names: Sequence[str]) -> DataFrame:
    """The rows; a change that its connector delivered before ends as a repeated delivery."""
    # Some logs give several changes of a row one position: their images differ.
    images = [F.col(CHANGE_AFTER.of(name)) for name in names]
    content = F.struct(PART_NUMBER, "key", "op", "position", LEFT_SUBJECT, *images)
    again = (F.lag(content).over(commit_order()) == content) & F.col("offset").isNotNull()
    repeated = F.coalesce(again & F.col(ROW_END).isNull(), F.lit(False))
    reason = F.lit("its connector delivered the same change before")
    return rows.withColumns(
        {
            ROW_END: F.when(repeated, end(NO_OP, F.lit("repeated-delivery"), reason)).otherwise(
                F.col(ROW_END)
            ),
            PHASE: F.when(repeated, 2).otherwise(F.col(PHASE)),
        }
    )


def existed(translator: type[Translator], side: str) -> Column:
    """Whether the subject has a row of any part on that side of the image; never null."""
    rows = [image(side, name).isNotNull() for name in translator.parts]
    return reduce(Column.__or__, rows)


def is_complete(translator: type[Translator], side: str) -> Column:
    """Whether that side of the image has every part that a subject must have; never null.

    Facts are asked of complete sides only.
    """
    rows = [
        image(side, name).isNotNull()
        for name, part in translator.parts.items()
        if part.required and part.missing != INFER
    ]
    return reduce(Column.__and__, rows, existed(translator, side))


def _stacked(
    translator: type[Translator], changes: Mapping[str, DataFrame], lanes: Collection[str]
) -> DataFrame:
    """The changes of all parts and passengers, partitioned by GROUP: the one exchange."""
    names = list(translator.parts)
    alone = not is_composed(translator)
    stack: DataFrame | None = None
    beside = {n: part for n, part in passenger_parts(translator).items() if n in changes}
    for i, (name, part) in enumerate((*translator.parts.items(), *beside.items())):
        frame = with_passengers(translator, changes[name], part, only=name not in names)
        images: list[Column] = []
        for part_name in names:
            kind = changes[part_name].schema["after"].dataType
            for column, family in (("after", CHANGE_AFTER), ("before", CHANGE_BEFORE)):
                value = F.col(column) if part_name == name else F.lit(None).cast(kind)
                images.append(value.alias(family.of(part_name)))
        # A row without a subject gets a group of its own: all in one would go to one task.
        stray = F.concat(
            F.lit("?"), F.xxhash64("source", "table", "payload", "position").cast("string")
        )
        readable = F.col(ROW_END).isNull()
        broken = is_quarantined()
        has_subject = readable | (broken & F.col("subject").isNotNull())
        of_row = _row_group(part) if alone else F.col("subject")
        group = F.when(has_subject | F.col(PASSENGER), of_row)
        # A quarantined row is in no image, but a person must see it.
        row_text = F.when(broken, F.to_json(F.coalesce("after", "before")))
        shown = (F.col("op") == SNAPSHOT) & ~F.col(REREAD)
        part_rows = frame.select(
            *(c for c in REFERENCE if c != "payload"),
            ARRIVED_AT_SUBJECT,
            EXISTED_BEFORE,
            ROW_GROUP,
            "partition",
            "offset",
            F.when(F.lit(name in lanes), F.col("partition")).alias(LANE),
            commit_id(by_partition=name in lanes).alias(COMMIT_OF),
            F.when(F.col(LEFT_SUBJECT), 0).otherwise(1).alias(TURN),
            F.coalesce("payload", row_text).alias("payload"),
            *images,
            F.lit(i).alias(PART_NUMBER),
            # Tables of one source share its log.
            F.when(shown, 0).otherwise(_log(translator, part)).alias(LOG),
            F.lit(name).alias(PART),
            F.coalesce(group, stray).alias(GROUP),
            F.when(~readable | group.isNull() | F.col(PASSENGER), 2)
            .when(shown, 0)
            .otherwise(1)
            .alias(PHASE),
            PASSENGER,
            *view_columns(translator, part),
        )
        stack = part_rows if stack is None else stack.unionByName(part_rows)
    assert stack is not None
    return stack.repartition(GROUP)


def _row_group(part: Part) -> Column:
    """The group of a row that is an image by itself: another one for each subject that it comes to.

    So what it said of the subject that it left is taken back there, and said anew of the other.
    """
    if key_names_subject(part):
        return F.col(ROW_GROUP)
    subject = F.coalesce("subject", F.lit(""))
    return F.concat(F.col(ROW_GROUP), F.lit(" "), subject)


def is_composed(translator: type[Translator]) -> bool:
    """Whether images have more than the row of one part."""
    return len(translator.parts) > 1 or bool(translator.views)


def _log(translator: type[Translator], part: Part) -> int:
    """The place of a part's source among the sources of the translator."""
    sources = [one.contract.source() for one in translator.parts.values()]
    return sources.index(part.contract.source())


def lacks_prior_image(translator: type[Translator]) -> Column:
    """Whether the commit changed a row of which nothing was known before; never null."""
    return reduce(Column.__or__, (F.col(NO_PRIOR.of(name)) for name in translator.parts))
