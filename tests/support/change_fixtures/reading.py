"""Reads many fixtures at once: those whose options agree are opened as one source.

What is read through the same columns is one query, of whatever tables and files: each query costs
more than all the rows that there are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import pyspark.sql.types as T
from pydantic import TypeAdapter
from pyspark.sql import Row as SparkRow
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.project.changes import Changes
from cutline.project.source import TableSource
from cutline.sources.changes import (
    ChangeInput,
    log_changes,
    open_change_file,
    slice_rows,
    table_rows,
)
from cutline.sources.used_tables import UsedTable
from cutline.spark.parallel import run_parallel
from cutline.tables.change import SNAPSHOT
from cutline.translator import SourceContract, column, table
from support.change_fixtures.kinds import REAL, Fixture, Refusal, Row
from support.extracting import EXTRACT_TIME, Extract

IN_LOG = {"policy": "in-log"}
FIELDS = (
    *("schema", "op", "key", "old_key", "before", "after"),
    *("unknown", "defects", "source_time", "transaction"),
)

Shape = tuple[tuple[tuple[str, str], ...], tuple[str, ...]]
"""The columns through which rows are read, each with its type, and those of the key."""

Place = tuple[str, Any, str, tuple[str, ...]]
"""A fixture's path and copy, its table in the file, and the names of the columns that are read."""


def contract(
    source: str, name: str, columns: Mapping[str, str], key: Sequence[str]
) -> type[SourceContract]:
    """A contract of these columns."""
    config = type("Config", (), {"metadata": table(source, name, key=list(key))})
    body: dict[str, Any] = {"__annotations__": {}, "Config": config}
    for at, (named, ddl) in enumerate(columns.items()):
        body["__annotations__"][f"column_{at}"] = _kind(ddl)
        body[f"column_{at}"] = column(alias=named, doc=named)
    return type("Rows", (SourceContract,), body)


def _kind(ddl: str) -> Any:
    match T.DataType.fromDDL(ddl):
        case T.DecimalType() as kind:
            return Annotated[T.DecimalType, kind.precision, kind.scale]
        case T.ArrayType() | T.MapType() as kind:
            return kind
        case kind:
            return type(kind)


def read_all(
    spark: SparkSession, folder: Path, kind: str, fixtures: Sequence[Fixture]
) -> dict[Place, list[tuple[Any, ...]]]:
    """The rows of each fixture of a connector, in the order of their positions."""
    # Rows of a snapshot alone have their place by time among changes of their tables, which these
    # are not: they come from elsewhere.
    by_options: dict[tuple[str, bool], list[Fixture]] = {}
    for fixture in fixtures:
        of_snapshot = all(row.op == SNAPSHOT for row in fixture.rows)
        by_options.setdefault((json.dumps(fixture.options), of_snapshot), []).append(fixture)
    opened = run_parallel(
        spark,
        [
            partial(_Together, spark, folder / str(number), kind, alike)
            for number, alike in enumerate(by_options.values())
        ],
    )
    declared_tables = {(f.path, f.copy, f.table) for f in fixtures}
    assert {there for one in opened for there in one.tables()} <= declared_tables, (
        "a table is left out"
    )
    pieces = [(one, shape) for one in opened for shape in one.shapes]
    rows = run_parallel(spark, [partial(one.of_shape, shape) for one, shape in pieces])
    rows_by_place: dict[Place, list[tuple[Any, ...]]] = {}
    for (group, shape), of_shape in zip(pieces, rows, strict=True):
        for place_, row in group.placed(shape, of_shape):
            rows_by_place.setdefault(place_, []).append(row)
    return rows_by_place


class _Together:
    """Fixtures with the same options, whose files are opened as one source."""

    def __init__(
        self, spark: SparkSession, folder: Path, kind: str, fixtures: Sequence[Fixture]
    ) -> None:
        self.fixtures = fixtures
        self.files = list(dict.fromkeys((f.path, f.copy) for f in fixtures))
        self.section: Changes = TypeAdapter(Changes).validate_python(
            {"kind": kind, "path": "*", "snapshot": IN_LOG, **fixtures[0].options}
        )
        folder.mkdir()
        paths = [_file(folder, number, *file) for number, file in enumerate(self.files)]
        # Together the files name some tables in two schemas, which one source may not.
        schemas: dict[str, set[str]] = {}
        for fixture in fixtures:
            schemas.setdefault(fixture.table, set()).add(fixture.schema)
        single = {table: table for table, several in schemas.items() if len(several) == 1}
        change_input = ChangeInput("changes", self.section, paths, len(paths), single)
        self.opened = open_change_file(spark, change_input, str(folder / "scratch"))
        # Files that tell no partition are numbered in the order of their times.
        self.files = [self.files[paths.index(path)] for path in self.opened.files]
        records = self.opened.rows.select("partition", "offset", "table", "schema")
        self.named = {(row[0], row[1]): (row[2], row[3]) for row in records.collect()}
        self.shapes = list({_shape(f): None for f in fixtures})

    def tables(self) -> set[tuple[str, Any, str]]:
        """Every table of which a file holds rows, with the file's path and copy."""
        return {(*self.files[at], spoken) for (at, _), (spoken, _) in self.named.items()}

    def placed(
        self, shape: Shape, rows: Sequence[SparkRow]
    ) -> Iterator[tuple[Place, tuple[Any, ...]]]:
        """The rows of a shape, each with its place, and with the schema that its record names."""
        names = tuple(name for name, _ in shape[0])
        for partition, offset, *row in rows:
            spoken, schema = self.named[partition, offset]
            yield (*self.files[partition], spoken, names), (schema, *map(_plain, row))

    def of_shape(self, shape: Shape) -> list[SparkRow]:
        """The rows of all fixtures that are read through the same columns."""
        columns, key = dict(shape[0]), shape[1]
        mine = [f for f in self.fixtures if _shape(f) == shape]
        partitions = [self.files.index((f.path, f.copy)) for f in mine]
        tables = sorted({f.table for f in mine})
        ours = F.col("partition").isin(partitions) & F.col("table").isin(tables)
        rows = self.opened.rows.where(ours).withColumn("table", F.lit(tables[0]))
        row_contract = contract("files", tables[0], columns, key)
        used = UsedTable("files", tables[0], row_contract, TableSource(), None)
        every = table_rows(replace(self.opened, rows=rows), used, tuple(columns))
        changes = log_changes(slice_rows(every, used, "all"), used, self.section, EXTRACT_TIME)
        shown = changes.orderBy("partition", "offset", "position").selectExpr(
            *("partition", "offset", "op", "key", "old_key"),
            *(f"{_shown(side, columns)} AS {side}" for side in ("before", "after")),
            *("unknown", "array_sort(defects)", "CAST(source_time AS string)", "transaction"),
        )
        return list(shown.collect())


def _file(folder: Path, number: int, path: str, copy: Callable[[str], str] | None) -> Path:
    """A file as it is, or the copy that is read instead."""
    if copy is None:
        return REAL / path
    copied_file = folder / f"{number}.txt"
    copied_file.write_text(copy((REAL / path).read_text()))
    return copied_file


def _shape(fixture: Fixture) -> Shape:
    return tuple(fixture.columns.items()), fixture.key


def _plain(value: Any) -> Any:
    return value.asDict() if isinstance(value, SparkRow) else value


def _shown(side: str, columns: Mapping[str, str]) -> str:
    """An image with its moments as text: a driver in another time zone would show them moved."""
    values = ", ".join(
        f"CAST({side}.`{n}` AS string) AS `{n}`" if ddl == "timestamp" else f"{side}.`{n}`"
        for n, ddl in columns.items()
    )
    return f"CASE WHEN {side} IS NOT NULL THEN struct({values}) END"


def refused(spark: SparkSession, folder: Path, kind: str, refusal: Refusal) -> None:
    """Read a file at which the run must stop."""
    section = {
        "kind": "log",
        "tables": {"rows": {"name": refusal.table}},
        "changes": {
            "kind": kind,
            "path": str(REAL / refusal.path),
            "snapshot": IN_LOG,
            **refusal.options,
        },
    }
    Extract(folder, {kind: section}, [contract(kind, "rows", {"id": "int"}, ["id"])]).run(spark)


def place(fixture: Fixture) -> Place:
    """Where the rows of a fixture are found."""
    return fixture.path, fixture.copy, fixture.table, tuple(fixture.columns)


def differences(rows_read: list[tuple[Any, ...]], wanted: list[tuple[Any, ...]]) -> list[str]:
    """In words, where the rows that were read are not those that stand in the file."""
    if len(rows_read) != len(wanted):
        return [f"{len(rows_read)} rows, not {len(wanted)}"]
    sentences = []
    for number, (row, wanted_row) in enumerate(zip(rows_read, wanted, strict=True), 1):
        for name, value, right in zip(FIELDS, row, wanted_row, strict=True):
            if isinstance(value, dict) and isinstance(right, dict):
                off = {n: (value.get(n), right[n]) for n in right if value.get(n) != right[n]}
                sentences += [
                    f"row {number}, {name}.{n}: {v!r}, not {r!r}" for n, (v, r) in off.items()
                ]
            elif value != right:
                sentences.append(f"row {number}, {name}: {value!r}, not {right!r}")
    return sentences


def expected(kind: str, fixture: Fixture) -> list[tuple[Any, ...]]:
    """The rows of a fixture as the changes table must have them.

    A column that an image after lacks is missing, or unknown where the format leaves out what did
    not change, or null where it leaves out nulls. An image before that lacks one is unknown.
    """
    return [_expected(kind, fixture, row) for row in fixture.rows]


def _expected(kind: str, fixture: Fixture, row: Row) -> tuple[Any, ...]:
    names = list(fixture.columns)
    after = row.after if row.after is not None else {}
    missing = [f"missing:{n}" for n in names if n not in after]
    if row.op == "d" or row.unknown is not None or _nulls_left_out(kind, fixture):
        missing = []
    null_keys = [f"null-key:{n}" for n in fixture.key if after.get(n) is None and missing]
    before = row.before if row.before is not None and set(names) <= set(row.before) else None
    return (
        fixture.schema,
        row.op,
        row.key if row.key is not None else _key(fixture, row),
        None,
        before and {n: before[n] for n in names},
        row.after if row.after is None else {n: row.after.get(n) for n in names},
        row.unknown and list(row.unknown),
        sorted([*fixture.defects, *row.defects, *missing, *null_keys]),
        row.when or fixture.when,
        row.transaction or fixture.transaction,
    )


def _nulls_left_out(kind: str, fixture: Fixture) -> bool:
    return kind == "dms" or fixture.options.get("log") == "mongodb"


def _key(fixture: Fixture, row: Row) -> str | None:
    """The key that the image tells; null where it lacks a column of it."""
    image = row.before if row.op == "d" else row.after
    values = [(image or {}).get(name) for name in fixture.key]
    if None in values:
        return None
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))
