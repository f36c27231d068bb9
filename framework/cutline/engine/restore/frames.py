"""The frames of a table's changes, placed, restored and classified, and of its rows' ids."""

from __future__ import annotations

from pyspark.sql import DataFrame

from cutline.cut import CutLines
from cutline.engine.end import END_TYPE
from cutline.engine.frames import Frame, FrameColumn, frame_of
from cutline.tables.change import changes as changes_table

SIDE = FrameColumn(
    "side",
    "string",
    "where the change lies at the end of history: before | overlap | after; null if unknown",
)
SNAPSHOT_SIDE = FrameColumn(
    "snapshot_side",
    "string",
    "where it lies at the snapshot's own cut line, before: the snapshot shows it; null if unknown",
)

SUBJECT = FrameColumn(
    "subject",
    "string",
    "the subject's id, in the end, where the context lets a history go on under a new one; "
    "null where the row does not say it",
)
ROW_GROUP = FrameColumn(
    "row_group", "string", "one text for all changes of a row, whatever its key was at the time"
)
LEFT_SUBJECT = FrameColumn(
    "left_subject",
    "boolean",
    "whether this row stands for the half of a change by which a source row left its subject",
    False,
)
ARRIVED_AT_SUBJECT = FrameColumn(
    "arrived_at_subject",
    "boolean",
    "whether it stands for the other half, by which the source row came to another subject",
    False,
)
REREAD = FrameColumn(
    "reread",
    "boolean",
    "whether a snapshot row was read after a change of it had come: an image like any other",
    False,
)
RESTORE_END = FrameColumn(
    "restore_end", END_TYPE, "the row's end for what its own history lacks; null where nothing is"
)

LIVE = FrameColumn(
    "live",
    "boolean",
    "whether the change says something that the snapshot does not show, and could be read",
    False,
)
OUTRANKED = FrameColumn(
    "outranked", "boolean", "whether a batch of a higher generation shows what it says", False
)
READ_AGAIN = FrameColumn(
    "read_again", "boolean", "whether the snapshot read the row once more right after", False
)
STILL_UNKNOWN = FrameColumn(
    "still_unknown",
    "array<string>",
    "columns that neither the change nor any before it told; empty where there are none",
    False,
)
SEEN_BEFORE = FrameColumn(
    "seen_before", "boolean", "whether anything of the row was known before the change", False
)

ROW_END = FrameColumn(
    "row_end", END_TYPE, "the end that the row has by itself; null where it may be translated"
)
ROW_CHECKS = FrameColumn(
    "row_checks",
    "array<string>",
    "the checks of its contract that the row fails, in order; empty where it fails none",
    False,
)
EXISTED_BEFORE = FrameColumn(
    "existed_before",
    "boolean",
    "whether the row's last readable change before this one showed it, and did not delete it",
    False,
)

RESTORED_COLUMNS = (SUBJECT, ROW_GROUP, LEFT_SUBJECT, ARRIVED_AT_SUBJECT, REREAD)

HISTORY_GROUP = FrameColumn(
    "history_group",
    "string",
    "one text for all changes of one history: a row's, as far as it goes on under other keys",
)
LEFT_GROUP = FrameColumn(
    "left_group", "string", "the HISTORY_GROUP that a key change ended; null where it ended none"
)
FINAL_SUBJECT = FrameColumn(
    "final_subject", "string", "the subject's id in the end, if it was given another; else null"
)

KEY_CHANGES = Frame(
    "one change of a key, or one birth under a key that some row had at another time",
    (
        FrameColumn("old", "string", "the key before; null for a birth"),
        FrameColumn("new", "string", "the key after"),
        FrameColumn("position", "string", "the position of the change"),
        FrameColumn("old_subject", "string", "the subject before; null for a birth"),
        FrameColumn("new_subject", "string", "the subject after; null for a birth"),
        FrameColumn("shown", "boolean", "whether it is a birth that a snapshot shows", False),
    ),
)
DEPARTURE = (
    FrameColumn("until", "string", "the position at which the id was given away; else null"),
    FrameColumn("row", "string", "one text for all changes of the row that had the id"),
    FrameColumn("kept", "string", "one text for all changes of a history that goes on; else null"),
    FrameColumn("subject", "string", "the subject of that history in the end"),
)
ARRIVAL = (
    FrameColumn("at", "string", "the position at which a row came to the id; else null"),
    FrameColumn("left", "string", "one text for the history that ended by that; null for none"),
)
ID_HISTORY = Frame(
    "one time that an id was given away, or that a row came to it",
    (
        FrameColumn("id", "string", "the id", False),
        *DEPARTURE,
        FrameColumn("old_subject", "string", "the subject before it was given away"),
        *ARRIVAL,
    ),
)


def _array_of(columns: tuple[FrameColumn, ...]) -> str:
    return f"array<struct<{','.join(f'{column}:{column.type}' for column in columns)}>>"


DEPARTURES = FrameColumn("departures", _array_of(DEPARTURE), "sorted by `until`", False)
ARRIVALS = FrameColumn("arrivals", _array_of(ARRIVAL), "sorted by `at`", False)
IDS = Frame("one id of ID_HISTORY", (ID_HISTORY.columns[0], DEPARTURES, ARRIVALS))


def changes_frame(frame: DataFrame) -> Frame:
    """The columns of a changes table, with images of the type that this one has."""
    image = frame.schema["after"].dataType.simpleString()
    return frame_of(changes_table("<source>", "<table>", image))


def side_columns(lines: CutLines) -> tuple[FrameColumn, ...]:
    """The columns that say where a change lies; a source without a log has no snapshot line."""
    return (SIDE,) if lines.snapshot is None else (SIDE, SNAPSHOT_SIDE)


def snapshot_rows(frame: DataFrame) -> Frame:
    """Changes of a source without a log, placed."""
    return changes_frame(frame).with_columns(SIDE)


def logged_changes(frame: DataFrame) -> Frame:
    """Changes of a source with a log, placed."""
    return changes_frame(frame).with_columns(SIDE, SNAPSHOT_SIDE)


def grouped_changes(frame: DataFrame) -> Frame:
    """Logged changes while they are restored: brought together by row."""
    return logged_changes(frame).with_columns(ROW_GROUP, LIVE)
