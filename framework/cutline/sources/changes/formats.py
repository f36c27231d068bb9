"""The formats of change files, by the section of cutline.yaml that declares them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame

from cutline.project.changes import (
    CanalChanges,
    Changes,
    DebeziumChanges,
    DecodingTextChanges,
    DmsChanges,
    LogicalDecoding,
    MaxwellChanges,
    OggChanges,
    Wal2JsonChanges,
)
from cutline.sources.changes import canal, debezium, decoding_text, dms, maxwell, ogg, wal2json


def envelopes(
    records: DataFrame, section: Changes, columns: Mapping[str, Sequence[str]]
) -> DataFrame:
    """The records as envelopes, by the section's format: columns ENVELOPE.

    `columns` has the columns that are read of each table, by its name in the file.
    """
    match section:
        case DebeziumChanges():
            return debezium.envelopes(records, section)
        case CanalChanges():
            return canal.envelopes(records)
        case MaxwellChanges():
            return maxwell.envelopes(records, section)
        case OggChanges():
            return ogg.envelopes(records, section)
        case DmsChanges():
            return dms.envelopes(records, section, columns)
        case Wal2JsonChanges():
            return wal2json.envelopes(records, section)
        case DecodingTextChanges():
            return decoding_text.envelopes(records)


def expected_fields(section: Changes) -> str:
    """The fields that a record of the format has, for messages."""
    by_kind = {
        "debezium": debezium.EXPECTED,
        "canal": canal.EXPECTED,
        "maxwell": maxwell.EXPECTED,
        "ogg": ogg.EXPECTED,
        "dms": dms.EXPECTED,
        "wal2json": wal2json.EXPECTED,
        "test_decoding": decoding_text.EXPECTED,
    }
    return by_kind[section.kind]


def first_ordinal(section: Changes) -> int:
    """The number of the first row of a transaction."""
    return 0 if isinstance(section, MaxwellChanges) else 1


def marks_every_last_row(section: Changes) -> bool:
    """Whether a transaction none of whose rows is marked as its last has no end yet; else its last
    row may be one that the file does not hold.
    """
    return not isinstance(section, MaxwellChanges) or section.complete


def absent_is_null(section: Changes, side: str) -> bool:
    """Whether a column that an image lacks is null, as in documents without a schema.

    An image before may hold only the key, so its missing columns have no meaning.
    """
    match section:
        case DebeziumChanges(log="mongodb"):
            return True
        case DmsChanges(nulls="omitted"):
            return side == "after"
        case _:
            return False


def may_lack_columns(section: Changes, side: str) -> bool:
    """Whether an image of a row may come without some of the row's columns.

    Images before of most formats may hold no more than the key.
    """
    if side == "before" and not isinstance(section, DebeziumChanges):
        return True
    return absent_is_null(section, side)


def may_be_left_out(section: Changes, ddl: str) -> bool:
    """Whether an update may leave out a column of that type, because it did not change.

    PostgreSQL does so with values that are stored out of line: those of numbers and times never
    are. Updates of GoldenGate and of MongoDB's documents need not have any column.
    """
    match section:
        case LogicalDecoding():
            return ddl.partition("<")[0].lower() in ("string", "binary", "array", "struct", "map")
        case OggChanges() | DebeziumChanges(log="mongodb"):
            return True
        case _:
            return False


def before_is_key(section: Changes) -> bool:
    """Whether images before hold the key only, with nulls that are no values."""
    return isinstance(section, DebeziumChanges) and section.replica_identity == "default"


def writes_documents(section: Changes) -> bool:
    """Whether values are written in extended JSON."""
    return isinstance(section, DebeziumChanges) and section.log == "mongodb"
