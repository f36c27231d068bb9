"""The frames of lookups: the rows of a looked-up table by the values that they are looked up by."""

from __future__ import annotations

from cutline.engine.compose.frames import IMAGE_AFTER
from cutline.engine.frames import ColumnFamily, Frame, FrameColumn
from cutline.translator.column import spark_ddl
from cutline.translator.part import Lookup

LOOKUP_KEY = ColumnFamily("by_", "", "a value that rows are looked up by, by its place")
MATCH_COUNT = ColumnFamily(
    "several_", "int", "how many rows the image's key meets; null where it has no key"
)

UNREAD_MATCH = ColumnFamily(
    "unread_match_",
    "boolean",
    "whether a row that the image's key meets was quarantined: the image sees none of them then; "
    "null where it has no key",
)

ROW_STATE = FrameColumn(
    "row_state", "string", "what the change left of its row: SOUND, UNREAD or ABSENT", False
)
WAS_QUARANTINED = FrameColumn(
    "was_quarantined", "boolean", "whether the change was quarantined", False
)
OF_SNAPSHOT = FrameColumn(
    "of_snapshot", "boolean", "whether the row was so before all changes of it", False
)

MATCH = FrameColumn("match", "", "the looked-up row, or the array of all rows of the key")
MATCHES = FrameColumn("matches", "int", "how many rows the key has; 1 for an array", False)
UNREAD_ROWS = FrameColumn(
    "unread_matches",
    "",
    "how many rows of the key were quarantined; with a business time, the array of them",
    False,
)

OWN_LOG = FrameColumn(
    "by_own_log",
    "boolean",
    "whether `since` and `until` are places in the source's log; else they are moments of its "
    "clock, both as texts that sort",
    False,
)
SINCE = FrameColumn("chapter_since", "string", "where the chapter begins", False)
UNTIL = FrameColumn("chapter_until", "string", "where it ends; null for the last one")
VERSIONS = FrameColumn(
    "versions",
    "",
    "structs of `since`, `until` and `row`, null while the row is quarantined: all versions of a "
    "time in the chapter, and the first one of the next chapter",
    False,
)


def match_count(name: str) -> FrameColumn:
    """The column that counts the rows which a lookup's key meets."""
    return MATCH_COUNT.of(name)


def unread_match(name: str) -> FrameColumn:
    """The column that says whether a row which a lookup's key meets was quarantined."""
    return UNREAD_MATCH.of(name)


def lookup_key(i: int) -> FrameColumn:
    """The column with the i-th value by which rows are looked up."""
    return LOOKUP_KEY.of(str(i))


def key_columns(lookup: Lookup) -> tuple[FrameColumn, ...]:
    """The values by which rows are looked up, with their types."""
    columns = lookup.contract.columns()
    return tuple(
        LOOKUP_KEY.of(str(i), spark_ddl(columns[name])) for i, name in enumerate(lookup.by)
    )


def lookup_image(lookup: Lookup) -> str:
    """The type of what a rule sees of a lookup."""
    row = lookup.contract.ddl()
    return f"array<{row}>" if lookup.many else row


def looked_up_columns(name: str, lookup: Lookup) -> tuple[FrameColumn, ...]:
    """What an image gets by a lookup."""
    return (IMAGE_AFTER.of(name, lookup_image(lookup)), match_count(name), unread_match(name))


def state_columns(all_sound: bool) -> tuple[FrameColumn, ...]:
    """What says of a looked-up table's changes which of them left a row that was quarantined."""
    return () if all_sound else (ROW_STATE, WAS_QUARANTINED, OF_SNAPSHOT)


def rows_by_key(lookup: Lookup, all_sound: bool) -> Frame:
    """The rows of a looked-up table as they stand at the cut."""
    row = lookup.contract.ddl()
    several = lookup.many or lookup.as_of is not None
    kind = f"array<{row}>" if several else row
    unread = UNREAD_ROWS.with_type("bigint" if lookup.as_of is None else f"array<{row}>")
    return Frame(
        "one value of the columns that rows are looked up by",
        (*key_columns(lookup), MATCH.with_type(kind), MATCHES, *(() if all_sound else (unread,))),
    )


def chapters_by_key(lookup: Lookup) -> Frame:
    """The versions of a looked-up table's rows, in chapters."""
    row = lookup.contract.ddl()
    kind = f"array<struct<since: string, until: string, row: {row}>>"
    return Frame(
        "one chapter of the versions of one value that rows are looked up by, in one order",
        (*key_columns(lookup), OWN_LOG, SINCE, UNTIL, VERSIONS.with_type(kind)),
    )
