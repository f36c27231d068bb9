"""What every kind of input holds is counted apart from what reads it, and the two must agree."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark.sql.types as T
import pytest

from cutline.errors import ConfigurationError, ConservationError
from cutline.sources import csv_files, json_lines, parquet_files, read, sqlite
from cutline.sources.changes import change_file
from cutline.translator import SourceContract, column, table
from support.extracting import Extract, change, database, write


def contract_of(source):
    class Order(SourceContract):
        """One order."""

        no: T.LongType = column(doc="its number")
        region: T.StringType = column(doc="where it is")

        class Config:
            metadata = table(source, "orders", key=["no"])

    return Order


KINDS = ("csv", "jsonl", "parquet", "sqlite", "log")


def extract(folder, predicate=None):
    """One source of each kind with the same four rows, of which three are in the east."""
    rows = [(1, "east"), (2, "east"), (3, "west"), (4, "east")]
    lines = ["no\tregion", *(f"{no}\t{region}" for no, region in rows), "", "\t", ""]
    write(folder / "csv" / "orders.tsv", "\r\n".join(lines))
    objects = [json.dumps({"no": no, "region": region}) for no, region in rows]
    write(folder / "jsonl" / "orders.jsonl", "\n \n".join(objects) + "\n\n")
    columns = {"no": [no for no, _ in rows], "region": [region for _, region in rows]}
    (folder / "parquet").mkdir()
    pq.write_table(pa.table(columns), folder / "parquet" / "orders.parquet")
    script = "CREATE TABLE orders (no INTEGER PRIMARY KEY, region TEXT)"
    database(folder / "orders.db", script, {"orders": rows})
    records = [change("c", None, json.loads(one), row=at) for at, one in enumerate(objects)]
    records += [change("c", None, {"no": 1}, row=9, table="others"), "null", " "]
    records += ['{"op": "m"}', '{"status": "END", "id": "77:1"}']
    write(folder / "changes.jsonl", "/*\n*/\n" + "\n".join(records))
    changes_section = {
        "path": "changes.jsonl",
        "kind": "debezium",
        "snapshot": {"policy": "in-log"},
    }
    region = {} if predicate is None else {"region": predicate}
    paths = {"csv": "orders.tsv", "jsonl": "orders.jsonl", "parquet": "orders.parquet"}
    sources = {
        kind: {"kind": kind, "path": kind, "tables": {"orders": {"path": path} | region}}
        for kind, path in paths.items()
    }
    sources["csv"]["delimiter"] = "\t"
    tables = {"orders": region}
    sources["sqlite"] = {"kind": "sqlite", "path": "orders.db", "tables": tables}
    sources["log"] = {"kind": "log", "tables": tables, "changes": changes_section}
    return Extract(folder, sources, tuple(contract_of(kind) for kind in KINDS))


def account(extracted, kind):
    (table_account,) = extracted.result.stored()["facts"]["extracts"][kind]["read"]["orders"]
    return {name: n for name, n in table_account.items() if name != "place"}


@pytest.mark.parametrize(
    ("predicate", "slice_rows"),
    [
        (None, None),
        ("region = 'east'", 3),
        # Of what nothing comes out Spark reads nothing.
        ("1 = 0", 0),
        ("no IN (SELECT o.no FROM orders o WHERE o.no < 0)", 0),
    ],
)
def test_what_every_input_holds_is_told_by_name(spark, tmp_path, predicate, slice_rows):
    extracted = extract(tmp_path, predicate).run(spark)
    lines = {"csv": {"lines": 7, "headers": 1, "blank_lines": 1}}
    lines["jsonl"] = {"lines": 8, "blank_lines": 4}
    for kind in KINDS:
        total = 5 if kind == "csv" else 4
        rows = {"rows": total if slice_rows is None else slice_rows}
        if slice_rows is not None:
            rows["of_other_slices"] = total - slice_rows
        assert account(extracted, kind) == rows | lines.get(kind, {})
    assert extracted.result.stored()["facts"]["extracts"]["log"]["lines"] == {
        "lines": 11,
        "with_rows": 4,
        "boundaries": 1,
        "tombstones": 1,
        "of_other_tables": 1,
        "without_rows": 1,
        "blank_lines": 1,
        "of_a_licence": 2,
    }


def _without(no):
    return lambda whole: lambda *arguments: whole(*arguments).where(f"no IS NULL OR no <> {no}")


def _lossy_json(whole):
    def rows(*arguments):
        frame, cut = whole(*arguments)
        return frame.where("no <> 4"), cut

    return rows


def _and_no_row(no):
    return lambda whole: (
        lambda table, names: (
            f"{whole(table, names)} {'AND' if table.predicate else 'WHERE'} no <> {no}"
        )
    )


def _without_record(whole):
    return lambda *arguments: whole(*arguments).where("number <> 5")


def _without_change(offset):
    lost = f"coalesce(_cutline_offset, 0) <> {offset}"
    return lambda whole: lambda *arguments: whole(*arguments).where(lost)


@pytest.mark.parametrize(
    ("module", "name", "lossy", "message"),
    [
        (csv_files, "parse_records", _without(4), "orders.tsv holds 5 rows, and 4 were read"),
        (json_lines, "read_rows", _lossy_json, "orders.jsonl holds 4 rows, and 3 were read"),
        (parquet_files, "read_rows", _without(4), "orders.parquet holds 4 rows, and 3 were read"),
        (sqlite, "_select", _and_no_row(4), "orders.db holds 4 rows, and 3 were read"),
        (read, "table_rows", _without_change(4), "changes.jsonl holds 4 rows, and 3 were read"),
        (change_file, "records", _without_record, "changes.jsonl has 8 records, and 7 were read"),
    ],
)
def test_a_reader_that_loses_a_row_stops_the_run(
    spark, tmp_path, monkeypatch, module, name, lossy, message
):
    monkeypatch.setattr(module, name, lossy(getattr(module, name)))
    with pytest.raises(ConservationError, match=message):
        extract(tmp_path).run(spark)


@pytest.mark.parametrize(
    ("module", "name", "lossy", "message"),
    [
        (
            csv_files,
            "parse_records",
            _without(3),
            "5 rows, and 3 were read for the slice, 1 are of",
        ),
        (json_lines, "read_rows", _lossy_json, "4 rows, and 2 were read for the slice, 1 are of"),
        (
            parquet_files,
            "read_rows",
            _without(3),
            "4 rows, and 3 were read for the slice, 0 are of",
        ),
        (sqlite, "_select", _and_no_row(1), "4 rows, and 2 were read for the slice, 1 are of"),
        (read, "table_rows", _without_change(5), "4 rows, and 3 were read for the slice, 0 are"),
    ],
)
def test_what_a_slice_leaves_out_hides_no_loss(
    spark, tmp_path, monkeypatch, module, name, lossy, message
):
    monkeypatch.setattr(module, name, lossy(getattr(module, name)))
    with pytest.raises(ConservationError, match=message):
        extract(tmp_path, "region = 'east'").run(spark)


def test_a_parquet_file_that_spark_would_pass_over_is_refused(spark, tmp_path):
    source = extract(tmp_path)
    pq.write_table(pa.table({"no": [9], "region": ["x"]}), tmp_path / "parquet" / "_more.parquet")
    source.sources["parquet"]["tables"]["orders"]["path"] = "*.parquet"
    with pytest.raises(ConfigurationError, match=r"_more.parquet begins with '_'"):
        source.run(spark)
