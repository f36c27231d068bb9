"""The frames of composition: the stacked changes of all parts, and the images made of them."""

from __future__ import annotations

from collections.abc import Iterator

from cutline.engine.frames import ColumnFamily, Frame, FrameColumn, frame_of
from cutline.engine.restore import (
    ARRIVED_AT_SUBJECT,
    EXISTED_BEFORE,
    LEFT_SUBJECT,
    REREAD,
    ROW_CHECKS,
    ROW_END,
    ROW_GROUP,
    SIDE,
    SUBJECT,
)
from cutline.engine.rules import AFTER, BEFORE, view_types
from cutline.tables.change import changes
from cutline.translator.column import spark_ddl
from cutline.translator.translator import Translator

_CHANGES = frame_of(changes("<source>", "<table>", ""))

CHANGE_REFERENCE: tuple[FrameColumn, ...] = (
    *_CHANGES.named("source", "table", "key", "op", "position", "transaction"),
    *_CHANGES.named("source_time", "extract_time"),
    SIDE,
)
"""The columns of a change that its disposition and its events refer to."""

REFERENCE = (
    *CHANGE_REFERENCE,
    *_CHANGES.named("commit", "payload"),
    ROW_END,
    ROW_CHECKS,
    SUBJECT,
    LEFT_SUBJECT,
)
"""The columns of a change that travel with its image."""

GROUP = FrameColumn("subject_group", "string", "one text for all images of a subject")
PART = FrameColumn("part_name", "string", "the part, or the passenger, whose row the change is of")
STANDS_FOR = FrameColumn(
    "stands_for_itself",
    "boolean",
    "whether the image stands for its commit, or for its snapshot; the others take its end",
    False,
)
SEVERAL = FrameColumn(
    "several_parts",
    "string",
    "the rule of a subject with several rows of a part that it has one of; else null",
)
SKEW = FrameColumn(
    "skew_us",
    "bigint",
    "microseconds since the subject's commit before it, where that came from another source; or "
    "from the nearest change of a row that the image looks up, if that is nearer",
)

PHASE = FrameColumn("phase", "int", "0 snapshot row, 1 change, 2 row that is in no image", False)
LOG = FrameColumn(
    "log", "int", "0 snapshot row, else the place of its source among the translator's", False
)
PART_NUMBER = FrameColumn("part", "int", "the place of its part among the translator's", False)
TURN = FrameColumn("turn", "int", "0 for the half of a change that leaves a subject, else 1", False)
LANE = FrameColumn(
    "lane",
    "int",
    "the topic's partition, of a source whose order is that of each partition; else null",
)
PASSENGER = FrameColumn(
    "passenger", "boolean", "whether the row is only looked at: it has no image and no end", False
)

COMMIT_OF = FrameColumn("commit_of", "string", "the commit of its source; null for a snapshot")
COMMIT_AT = FrameColumn(
    "commit_at", "string", "the last position of that commit in the subject; null for a snapshot"
)
COMMIT_TIME = FrameColumn(
    "commit_time",
    "timestamp",
    "the commit's time, held back where the source's clock runs against its order; null for a "
    "snapshot",
)
SUPERSEDED = FrameColumn(
    "superseded",
    "boolean",
    "whether another change of the same row follows in the same commit: nobody read this one",
    False,
)
BROKEN_BEFORE = FrameColumn(
    "broken_before",
    "boolean",
    "whether a row of the subject, of the same source, was quarantined by then",
    False,
)
UNREAD_BEFORE = FrameColumn(
    "unread_before",
    "boolean",
    "whether the subject's row before one of the commit's, of the same source, was quarantined",
    False,
)
ROW_BEFORE = FrameColumn(
    "row_before", "string", "what the row's change before left: SOUND, UNREAD or ABSENT", False
)
ABSENT, SOUND, UNREAD = "absent", "sound", "unread"
"""No row, a row that could be read and meets its contract, and a row that was quarantined."""
RANK = FrameColumn(
    "rank_in_commit", "int", "0 an image, 1 a deletion, 2 a superseded change of the commit", False
)
STEP = FrameColumn(
    "step_in_commit", "string", "the position, where each change of a commit is an image; else null"
)

ROW_ORDER = ("position", TURN, "partition", "offset")
"""Within a row or a part of one commit, the order of its changes."""

AS_COMMITTED = ("position", PART_NUMBER, "key", TURN, "partition", "offset")
"""Within a source, the order of its changes; of a change that was delivered twice, the first."""

BY_COMMIT = (PHASE, COMMIT_TIME, LOG, COMMIT_AT, COMMIT_OF)
"""Within a subject, the order of its commits."""

ORDER = (*BY_COMMIT, RANK, STEP, PART_NUMBER, "position", "key", TURN, "partition", "offset")
"""Within a subject, the order of its images: snapshot, changes, rows in no image; by commits, and
of each its images first, then deletions, then superseded changes."""

# Columns of which there is one per part, or one per view.
CHANGE_AFTER = ColumnFamily("after_of_", "", "the row of this part after the change; else null")
CHANGE_BEFORE = ColumnFamily("before_of_", "", "the row of this part before the change; else null")
IMAGE_AFTER = ColumnFamily(f"{AFTER}_", "", "the part's row after the commit; null for none")
IMAGE_BEFORE = ColumnFamily(f"{BEFORE}_", "", "the part's row before the commit; null for none")
TAKEN_AWAY = ColumnFamily("gone_", "boolean", "whether the commit deleted the part's row", False)
NO_PRIOR = ColumnFamily(
    "no_prior_",
    "boolean",
    "whether the commit changed a row of the part of which nothing was known before",
    False,
)
MOVED_FROM = ColumnFamily("moved_from_", "", "the lifecycle's column before the row's own change")
MOVED_TO = ColumnFamily("moved_to_", "", "the lifecycle's column after the row's own change")
ASIDE = ColumnFamily("aside_", "", "the part's row as it came, if it is quarantined; else null")
UNREADABLE = ColumnFamily(
    "unreadable_",
    "boolean",
    "whether there are rows of this optional part by then, all of them quarantined",
    False,
)
COMMIT_UNKNOWN = ColumnFamily(
    "untold_", "boolean", "whether nothing says what else the image's commit did", False
)
COMMIT_IN_DOUBT = ColumnFamily(
    "in_doubt_", "boolean", "whether the commit changed a row of the view that was quarantined"
)

DOUBTFUL = FrameColumn(
    "doubtful_in_commit", "boolean", "whether what a view counts of it is unknown", False
)
IN_VIEW = ColumnFamily("of_view_", "boolean", "whether the view counts the row", False)
SUMMED = ColumnFamily("summed_", "", "the row's value of a column that the view sums")


def optional_parts(translator: type[Translator]) -> list[str]:
    """The parts that a subject may do without, of a translator that has several."""
    optional = [name for name, part in translator.parts.items() if not part.required]
    return optional if len(translator.parts) > 1 else []


def of_parts(translator: type[Translator], *families: ColumnFamily) -> tuple[FrameColumn, ...]:
    """A column of each family per part; one without a type has that of the part's rows."""
    return tuple(
        family.of(name, family.type or part.contract.ddl())
        for name, part in translator.parts.items()
        for family in families
    )


def lifecycle_columns(translator: type[Translator]) -> Iterator[FrameColumn]:
    """MOVED_FROM and MOVED_TO of each part with a lifecycle."""
    for name, part in translator.parts.items():
        lifecycle = part.contract.lifecycle()
        if lifecycle is not None:
            kind = spark_ddl(part.contract.columns()[lifecycle.column])
            yield from (family.of(name, kind) for family in (MOVED_FROM, MOVED_TO))


def view_images(translator: type[Translator]) -> tuple[FrameColumn, ...]:
    """The struct of each view, and whether it is unknown."""
    return tuple(
        column
        for name, kind in view_types(translator).items()
        for column in (
            IMAGE_AFTER.of(name, kind),
            COMMIT_UNKNOWN.of(name),
            COMMIT_IN_DOUBT.of(name),
        )
    )


def view_inputs(translator: type[Translator]) -> tuple[FrameColumn, ...]:
    """What the rows of a table bring along for the views."""
    columns: list[FrameColumn] = []
    for name, view in translator.views.items():
        columns.append(IN_VIEW.of(name))
        columns += [SUMMED.of(f"{name}_{summed}", view.fields[summed]) for summed in view.sums]
    return (*columns, DOUBTFUL) if columns else ()


CLASSIFIED = Frame(
    "one change of a table, as `classify_changes` returns it",
    (*REFERENCE, REREAD, *_CHANGES.named("partition", "offset")),
)
"""What every classified table has, whatever its rows are."""

IMAGES = Frame("one image of a subject", (*REFERENCE, STANDS_FOR, GROUP, SEVERAL, PART, SKEW))
"""What all images have, whatever their parts are."""

COMMIT_COLUMNS = (
    *(COMMIT_TIME, COMMIT_AT, SUPERSEDED),
    *(BROKEN_BEFORE, UNREAD_BEFORE, ROW_BEFORE),
)
"""What `with_commits` adds."""

_PLACE = _CHANGES.named("partition", "offset")


def stacked_changes(translator: type[Translator]) -> Frame:
    """The changes of all parts and passengers in one frame."""
    return Frame(
        "one change of any part, or one row that is only looked at",
        (
            *REFERENCE,
            *(ARRIVED_AT_SUBJECT, EXISTED_BEFORE, ROW_GROUP, *_PLACE, LANE, COMMIT_OF, TURN),
            *of_parts(translator, CHANGE_AFTER, CHANGE_BEFORE),
            *(PART_NUMBER, LOG, PART, GROUP, PHASE, PASSENGER),
            *view_inputs(translator),
        ),
    )


GROUPED_CHANGES = Frame(
    "one change of any part",
    (*REFERENCE, *_PLACE, ROW_GROUP, GROUP, PART_NUMBER, TURN, PHASE, LANE, COMMIT_OF),
)
"""What all stacked changes have, whatever their parts are."""


def viewed_changes(translator: type[Translator]) -> Frame:
    """The changes of all parts, with what views show of their commits."""
    stacked = stacked_changes(translator)
    return stacked.without_columns(PASSENGER, *view_inputs(translator)).with_columns(
        *view_images(translator)
    )


def committed_changes(translator: type[Translator]) -> Frame:
    """The changes of all parts, with their commits."""
    unreadable = (UNREADABLE.of(name) for name in optional_parts(translator))
    return viewed_changes(translator).with_columns(*COMMIT_COLUMNS, *unreadable)


def composed_images(translator: type[Translator]) -> Frame:
    """Images of subjects with several parts, or with changes."""
    return Frame(
        "one change of any part, with every part before and after its commit",
        (
            *REFERENCE,
            *of_parts(translator, IMAGE_AFTER, IMAGE_BEFORE, TAKEN_AWAY, NO_PRIOR, ASIDE),
            *lifecycle_columns(translator),
            *(STANDS_FOR, GROUP, SEVERAL, PART, SKEW, BROKEN_BEFORE, UNREAD_BEFORE),
            *(ARRIVED_AT_SUBJECT, ROW_GROUP, SUPERSEDED),
            *(UNREADABLE.of(name) for name in optional_parts(translator)),
            *view_images(translator),
            *(*BY_COMMIT, RANK, STEP, PART_NUMBER, TURN, *_PLACE),
        ),
    )


def images_of_snapshot(name: str, image: str) -> Frame:
    """Images of a table without changes, whose rows have the type `image`."""
    return Frame(
        "one snapshot row of the only part",
        (
            *REFERENCE,
            *(family.of(name, family.type or image) for family in (IMAGE_AFTER, IMAGE_BEFORE)),
            *(TAKEN_AWAY.of(name), NO_PRIOR.of(name)),
            *(STANDS_FOR, GROUP, SEVERAL, PART, SKEW, SUPERSEDED),
        ),
    )
