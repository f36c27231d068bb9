"""The scan of a change file: its counts, and the records that stop a run."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from cutline.errors import RunFailed
from cutline.sources.changes.change_input import ChangeInput
from cutline.sources.changes.envelope import STRUCTURE
from cutline.sources.changes.formats import expected_fields
from cutline.sources.changes.scan_counts import ScanCounts, scan_counts
from cutline.sources.changes.second_snapshot import refuse_second_snapshot
from cutline.sources.changes.statements import EVERY_TABLE

_TAIL_BYTES = 4096


def scan_change_file(narrow: DataFrame, change_input: ChangeInput) -> ScanCounts:
    """The counts of the whole file, from one pass, and of topics one more.

    RunFailed for an unreadable record; for a truncated or altered table, or an unknown operation on
    a table that is read; for a dropped schema; for a second snapshot; for changes of which only
    some have a commit number; and for one table name in two schemas.
    """
    scan = scan_counts(narrow, change_input)
    if scan.unreadable is not None:
        _stop_at_unreadable(narrow, change_input, scan.unreadable)
    if scan.truncated is not None:
        change_input.stop_at(
            scan.truncated,
            f"truncates table {scan.truncated.table!r}, and which rows that removed is not said",
            "Take a new snapshot from after the truncation, and changes from there on.",
        )
    if scan.altered is not None:
        change_input.stop_at(
            scan.altered,
            f"gives table {scan.altered.table!r} another structure",
            "Take a new snapshot from after it, and changes from there on; or, if the contract "
            "declares the shapes of before and after, leave that line out of the file.",
        )
    if scan.dropped_schemas:
        _refuse_dropped_schemas(narrow, change_input, scan)
    if scan.unknown_operation is not None:
        change_input.stop_at(
            scan.unknown_operation,
            f"has an operation on table {scan.unknown_operation.table!r} that is none of those "
            f"that {change_input.section.kind} is known to write",
            "If it changes no row, leave that line out of the file; else export the changes again "
            "with a connector that this version reads.",
        )
    refuse_second_snapshot(narrow, change_input)
    if 0 < scan.numbered < scan.numberable:
        raise RunFailed(
            f"{change_input.key}: {scan.numbered:,} of {scan.numberable:,} changes tell the "
            "number of their commit, and the others do not: they have no common order",
            next_step="Have the connector write it in every record, or in none.",
        )
    for name, name_in_file in change_input.tables.items():
        low, high = scan.schemas[name]
        if low != high:
            raise RunFailed(
                f"{change_input.key}: table {name_in_file!r} comes from {low} and from {high}",
                next_step="Give one change file per schema.",
            )
    return scan


def _refuse_dropped_schemas(narrow: DataFrame, change_input: ChangeInput, scan: ScanCounts) -> None:
    """RunFailed if a schema is dropped that has a table that is read, or may have one: no schema is
    known of a table without rows.
    """
    drops = narrow.where((F.col("kind") == STRUCTURE) & F.array_contains("named", EVERY_TABLE))
    schemas = [schema for ends in scan.schemas.values() for schema in ends]
    named = [schema for schema in schemas if schema is not None]
    if len(named) == len(schemas):
        drops = drops.where(F.coalesce(F.col("schema"), F.lit("")).isin("", *named))
    place = drops.orderBy("place").first()
    if place is not None:
        change_input.stop_at(
            place,
            f"drops {place.schema or 'a database'!r} and all of its tables",
            "Take a new snapshot from after it, and changes from there on; or, if no table that is "
            "read was in it, leave that line out of the file.",
        )


def _stop_at_unreadable(narrow: DataFrame, change_input: ChangeInput, place: Row) -> NoReturn:
    last = narrow.where(F.col("file") == place.file).agg(F.max("number")).first()
    message = "is no change that can be read: its table or operation cannot be told"
    next_step = (
        f"See that `kind`, beside {change_input.key}, names what wrote the file, and that the file "
        "holds changes alone, then run the same command."
    )
    if place.file >= change_input.change_file_count:
        message = "tells no boundary of a transaction: `status` BEGIN or END, and `id`"
    elif (
        last is not None
        and last[0] == place.number
        and isinstance(file := change_input.files[place.file], Path)
        and _ends_mid_object(file)
    ):
        message += ". It is the last line of the file"
        next_step = "Was the file cut off? Copy it again as a whole, then run the same command."
    change_input.stop_at(
        place,
        f"{message} ({change_input.section.kind}: {expected_fields(change_input.section)})",
        next_step,
    )


def _ends_mid_object(path: Path) -> bool:
    """Whether the file ends inside an object, or with anything that is no object."""
    with path.open("rb") as handle:
        handle.seek(max(0, path.stat().st_size - _TAIL_BYTES))
        return not handle.read().rstrip().endswith(b"}")
