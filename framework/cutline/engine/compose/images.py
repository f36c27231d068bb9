"""Images: what a translator's rules look at, before and after each commit.

A table without a change file needs no exchange: each snapshot row is its own image. Otherwise the
changes of all parts are brought together by subject, ordered by commit, and each part's last image
is carried forward; that is the stage's one exchange. All snapshot rows of a subject are one moment,
and so are all rows of a commit: one of them stands for all, and the others share its disposition.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.engine.compose.carry import (
    GROUP,
    NO_PRIOR,
    PART,
    REFERENCE,
    SEVERAL,
    SKEW,
    STANDS_FOR,
    TAKEN_AWAY,
    UNREADABLE,
    carry_images,
    optional_parts,
)
from cutline.engine.compose.commits import (
    COMMIT_OF,
    COMMIT_TIME,
    LANE,
    SUPERSEDED,
    commit_id,
    commit_order,
    with_commits,
)
from cutline.engine.compose.views import (
    PASSENGER,
    passenger_parts,
    view_columns,
    with_passengers,
    with_views,
)
from cutline.engine.end import end
from cutline.engine.restore import ARRIVED, EXISTED_BEFORE, LEFT, REREAD, ROW_GROUP
from cutline.engine.rules import AFTER, BEFORE, image
from cutline.tables.change import SNAPSHOT
from cutline.tables.disposition import NO_OP, QUARANTINED
from cutline.translator.part import INFER, Part
from cutline.translator.translator import Translator


def snapshot_images(name: str, changes: DataFrame) -> DataFrame:
    """One image per snapshot row of a table that has no change file."""
    return changes.select(
        *REFERENCE,
        F.col("after").alias(f"{AFTER}_{name}"),
        F.lit(None).cast(changes.schema["after"].dataType).alias(f"{BEFORE}_{name}"),
        F.lit(False).alias(f"{TAKEN_AWAY}{name}"),
        F.lit(False).alias(f"{NO_PRIOR}{name}"),
        F.lit(True).alias(STANDS_FOR),
        F.lit(None).cast("string").alias(GROUP),
        F.lit(None).cast("string").alias(SEVERAL),
        F.lit(name).alias(PART),
        F.lit(None).cast("bigint").alias(SKEW),
        F.lit(False).alias(SUPERSEDED),
    )


def compose_images(
    translator: type[Translator], changes: Mapping[str, DataFrame], lanes: Collection[str] = ()
) -> DataFrame:
    """One image per change of any part, with every part's last image before and after it.

    `changes` are classified changes by the names of parts and of `passenger_parts`. `lanes` are
    those of these names whose positions are ordered within a topic's partition only.
    """
    stacked = _without_repeats(_stacked(translator, changes, lanes), list(translator.parts))
    stacked = with_commits(with_views(translator, stacked), GROUP)
    broken = F.coalesce(F.col("row_end.disposition") == QUARANTINED, F.lit(False))
    # Of a row that cannot be read only the clock tells when it came; a snapshot is before all.
    so_far = Window.partitionBy(GROUP).orderBy(COMMIT_TIME)
    stacked = stacked.withColumns(
        {
            f"{UNREADABLE}{name}": F.max(broken & (F.col(PART) == name)).over(so_far)
            for name in optional_parts(translator)
        }
    )
    return carry_images(translator, stacked)


def _without_repeats(rows: DataFrame, names: Sequence[str]) -> DataFrame:
    """The rows, with an end for each change that its connector delivered once more."""
    # Some logs give several changes of a row one position: those tell different images.
    images = [F.col(f"after_of_{name}") for name in names]
    content = F.struct("part", "key", "op", "position", LEFT, *images)
    again = (F.lag(content).over(commit_order(GROUP)) == content) & F.col("offset").isNotNull()
    repeated = F.coalesce(again & F.col("row_end").isNull(), F.lit(False))
    reason = F.lit("its connector delivered the same change before")
    return rows.withColumns(
        {
            "row_end": F.when(repeated, end(NO_OP, F.lit("repeated-delivery"), reason)).otherwise(
                F.col("row_end")
            ),
            "phase": F.when(repeated, 2).otherwise(F.col("phase")),
        }
    )


def existed(translator: type[Translator], side: str) -> Column:
    """Whether the subject had a row on that side of the image; never null."""
    rows = [image(side, name).isNotNull() for name in translator.parts]
    return reduce(Column.__or__, rows)


def is_complete(translator: type[Translator], side: str) -> Column:
    """Whether that side shows the subject with every part that it must have; never null.

    Where one was deleted, the rest is no image that facts can be asked of.
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
    """The changes of all parts in one table, spread over the subjects by the one exchange.

    With those that only travel to be looked at.
    """
    names = list(translator.parts)
    alone = not is_composed(translator)
    stack: DataFrame | None = None
    beside = {n: part for n, part in passenger_parts(translator).items() if n in changes}
    for i, (name, part) in enumerate((*translator.parts.items(), *beside.items())):
        frame = with_passengers(translator, changes[name], part, only=name not in names)
        images: list[Column] = []
        for part_name in names:
            kind = changes[part_name].schema["after"].dataType
            for column in ("after", "before"):
                own = F.col(column) if part_name == name else F.lit(None).cast(kind)
                images.append(own.alias(f"{column}_of_{part_name}"))
        # Rows that name no subject are in no history; a hash keeps them from one heap.
        stray = F.concat(
            F.lit("?"), F.xxhash64("source", "table", "payload", "position").cast("string")
        )
        readable = F.col("row_end").isNull()
        broken = F.coalesce(F.col("row_end.disposition") == QUARANTINED, F.lit(False))
        has_subject = readable | (broken & F.col("subject").isNotNull())
        group = F.when(has_subject | F.col(PASSENGER), F.col(ROW_GROUP if alone else "subject"))
        # What is broken is in no image that is carried on, but a person must see it.
        own = F.when(broken, F.to_json(F.coalesce("after", "before")))
        shown = (F.col("op") == SNAPSHOT) & ~F.col(REREAD)
        part_rows = frame.select(
            *(c for c in REFERENCE if c != "payload"),
            ARRIVED,
            EXISTED_BEFORE,
            ROW_GROUP,
            "partition",
            "offset",
            F.when(F.lit(name in lanes), F.col("partition")).alias(LANE),
            commit_id(by_partition=name in lanes).alias(COMMIT_OF),
            F.when(F.col(LEFT), 0).otherwise(1).alias("turn"),
            F.coalesce("payload", own).alias("payload"),
            *images,
            F.lit(i).alias("part"),
            # Tables of one source share its log.
            F.when(shown, 0).otherwise(_log(translator, part)).alias("log"),
            F.lit(name).alias(PART),
            F.coalesce(group, stray).alias(GROUP),
            F.when(~readable | group.isNull() | F.col(PASSENGER), 2)
            .when(shown, 0)
            .otherwise(1)
            .alias("phase"),
            PASSENGER,
            *view_columns(translator, part),
        )
        stack = part_rows if stack is None else stack.unionByName(part_rows)
    assert stack is not None
    return stack.repartition(GROUP)


def is_composed(translator: type[Translator]) -> bool:
    """Whether a subject has more to it than the row of one part."""
    return len(translator.parts) > 1 or bool(translator.views)


def _log(translator: type[Translator], part: Part) -> int:
    """The place of a part's source among the sources of the translator."""
    sources = [one.contract.source() for one in translator.parts.values()]
    return sources.index(part.contract.source())


def lacks_prior_image(translator: type[Translator]) -> Column:
    """Whether a change came to a row of which nothing was known before; never null."""
    return reduce(Column.__or__, (F.col(f"{NO_PRIOR}{name}") for name in translator.parts))
