"""Tables, values and queries by which a repair would do damage, or leave something behind."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from cutline.cli.commands.repair.window import repair_lines
from cutline.errors import ConfigurationError, RunFailed
from cutline.repair import performing
from cutline.repair.computing import seconds_behind
from cutline.repair.corrections import row_json
from support.replaying import append_records
from support.sales_by_hour import (
    Row,
    Sold,
    hour,
    place,
    sales_project,
    sold_each_half_hour,
    table_rows,
    tables,
    totals,
    write_table,
)

pytestmark = pytest.mark.usefixtures("spark")
SOLD = sold_each_half_hour(8)
WRONG_HOUR = "2026-11-01T02:00:00Z"
STATE = {"query": "repairs/state.sql", "columns": "product string, cents bigint"}
BIG = 2**60 + 1
"""A whole number that no floating-point number is."""


def wrong(rows: Iterable[Row]) -> list[Row]:
    """What the job wrote: the amounts of hour 2 are other."""
    return [(h, p, o, 5 if h == WRONG_HOUR else c) for h, p, o, c in rows]


def broken(folder: Path, output: dict[str, Any] | None = None, **repair: Any) -> Any:
    """The project with orders on its topic, and the table with a wrong hour."""
    shop = sales_project(folder, output={"ignored": ["seen_at"]} | (output or {}), **repair)
    place(folder, SOLD)
    write_table(folder, wrong(totals(SOLD)))
    return shop.repair("hourly")


def run(folder: Path, *statements: str) -> None:
    """Statements of SQL in the table's database."""
    with closing(sqlite3.connect(folder / "shop.db")) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def rewritten(folder: Path, columns: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """The table with other columns."""
    run(folder, "DROP TABLE sales", f"CREATE TABLE sales ({columns}, seen_at TEXT)")
    with closing(sqlite3.connect(folder / "shop.db")) as connection, connection:
        connection.executemany(
            "INSERT INTO sales (hour, product, orders, cents) VALUES (?, ?, ?, ?)", rows
        )


def with_query(folder: Path, cents: str) -> None:
    """A query that gives amounts by an expression."""
    (folder / "repairs" / "hourly.sql").write_text(
        "SELECT window_start, get_json_object(data, '$.product') AS product, count(*) AS orders, "
        f"{cents} AS cents FROM events GROUP BY 1, 2"
    )


def test_windows_shorter_than_the_column_can_tell_are_refused(tmp_path: Path) -> None:
    """All hours of a day would be one date, and none of them between two others."""
    hourly = broken(tmp_path)
    run(tmp_path, "UPDATE sales SET hour = substr(hour, 1, 10)")
    with pytest.raises(ConfigurationError, match="two windows of 1:00:00 may have one value"):
        hourly.window(hour(2), hour(3))


def test_a_text_of_another_form_between_others_is_named(tmp_path: Path) -> None:
    hourly = broken(tmp_path)
    run(tmp_path, "INSERT INTO sales (hour, product) VALUES ('2026-11-01T02:00:00.0Z', 'nut')")
    with pytest.raises(ConfigurationError, match=r"has the text '2026-11-01T02:00:00\.0Z' beside"):
        hourly.window(hour(2), hour(3))


def test_a_tolerance_for_texts_is_refused(tmp_path: Path) -> None:
    """To SQLite the difference of any two texts is 0."""
    hourly = broken(tmp_path, {"tolerance": {"cents": 1}})
    rewritten(tmp_path, "hour TEXT, product TEXT, orders INTEGER, cents TEXT", wrong(totals(SOLD)))
    with pytest.raises(ConfigurationError, match="column cents of table sales has no numbers"):
        hourly.window(hour(2), hour(3))


@pytest.mark.parametrize("kind", ["REAL", "DOUBLE PRECISION", "NUMERIC", "INTEGER"])
def test_a_tolerance_is_for_columns_of_any_numbers(tmp_path: Path, kind: str) -> None:
    hourly = broken(tmp_path, {"tolerance": {"cents": 1}})
    near = [(h, p, o, c + 1) for h, p, o, c in totals(SOLD)]
    rewritten(tmp_path, f"hour TEXT, product TEXT, orders INTEGER, cents {kind}", near)
    assert hourly.window(hour(2), hour(3), dry_run=True).wrong == 0


def test_texts_among_numbers_are_not_within_a_tolerance(tmp_path: Path) -> None:
    hourly = broken(tmp_path, {"tolerance": {"cents": 1000}})
    columns = "hour TEXT, product TEXT, orders INTEGER, cents NUMERIC"
    with_query(tmp_path, "'some'")
    texts = {WRONG_HOUR: "none"}
    rewritten(tmp_path, columns, [(h, p, o, texts.get(h, "some")) for h, p, o, _ in totals(SOLD)])
    assert hourly.window(hour(2), hour(3)).wrong == 1


@pytest.mark.parametrize("key", ["product", "cents"])
@pytest.mark.parametrize(
    ("kind", "standing"), [("TEXT COLLATE NOCASE", "Bolt"), ("STRING COLLATE RTRIM", "bolt ")]
)
def test_a_text_that_only_a_collation_takes_for_equal_is_retracted_as_well(
    tmp_path: Path, key: str, kind: str, standing: str
) -> None:
    hourly = broken(tmp_path, {"key": [key]}, corrections="sales.corrections")
    rows = [(h, standing if h == WRONG_HOUR else p, o, c) for h, p, o, c in totals(SOLD)]
    rewritten(tmp_path, f"hour TEXT, product {kind}, orders INTEGER, cents INTEGER", rows)
    assert hourly.window(hour(2), hour(3), corrections=True).corrections == 2


def test_keys_that_only_a_collation_takes_for_equal_are_two(tmp_path: Path) -> None:
    hourly = broken(tmp_path)
    rows = [*totals(SOLD), (WRONG_HOUR, "Bolt", 1, 1)]
    columns = "hour TEXT, product TEXT COLLATE NOCASE, orders INTEGER, cents INTEGER"
    rewritten(tmp_path, columns, rows)
    assert hourly.window(hour(2), hour(3)).samples == [
        "too much hour 2026-11-01T02:00:00Z, product Bolt, orders 1, cents 1"
    ]


def test_whole_numbers_stay_whole_in_a_column_of_any_numbers(tmp_path: Path) -> None:
    hourly = broken(tmp_path)
    with_query(tmp_path, f"{BIG} + sum(cast(get_json_object(data, '$.cents') AS bigint))")
    right = [(h, p, o, c + BIG) for h, p, o, c in totals(SOLD)]
    columns = "hour TEXT, product STRING, orders INTEGER, cents NUMERIC"
    rewritten(tmp_path, columns, wrong(right))
    assert hourly.window(hour(2), hour(3)).changed
    assert table_rows(tmp_path) == right
    hourly.reverse()
    assert table_rows(tmp_path) == wrong(right)


def test_a_trigger_that_makes_other_values_changes_nothing(tmp_path: Path) -> None:
    hourly = broken(tmp_path)
    run(
        tmp_path,
        "CREATE TRIGGER more AFTER INSERT ON sales BEGIN "
        "UPDATE sales SET cents = cents + 1 WHERE rowid = new.rowid; END",
    )
    before = table_rows(tmp_path)
    with pytest.raises(RunFailed, match="does not hold what was written"):
        hourly.window(hour(2), hour(3))
    assert table_rows(tmp_path) == before


def test_rows_of_other_tables_are_not_lost_with_those_that_are_replaced(tmp_path: Path) -> None:
    hourly = broken(tmp_path, corrections="sales.corrections")
    run(
        tmp_path,
        "CREATE UNIQUE INDEX names ON sales (hour, product)",
        "CREATE TABLE notes (hour TEXT, product TEXT, FOREIGN KEY (hour, product) "
        "REFERENCES Sales (hour, product) ON DELETE CASCADE)",
        "INSERT INTO notes SELECT hour, product FROM sales",
    )
    notes = table_rows(tmp_path, "SELECT * FROM notes")
    with pytest.raises(ConfigurationError, match="the foreign key of table notes deletes"):
        hourly.window(hour(2), hour(3))
    assert table_rows(tmp_path, "SELECT * FROM notes") == notes
    # Corrections delete nothing.
    assert hourly.window(hour(2), hour(3), corrections=True).corrections


@pytest.mark.parametrize(
    ("cents", "why"),
    [
        ("1.5", "1.5 is no whole number"),
        ("map('a', 1)", "is no number"),
        ("cast(max(data) AS timestamp)", "cannot be asked"),
        ("cast(99999999999999999999 AS decimal(38,0))", "is too large"),
        ("raise_error('bad')", "cannot be asked"),
    ],
)
@pytest.mark.parametrize("is_look", [True, False])
def test_a_value_that_cannot_be_leaves_nothing_behind(
    tmp_path: Path, cents: str, why: str, is_look: bool
) -> None:
    hourly = broken(tmp_path)
    with_query(tmp_path, cents)
    with pytest.raises(ConfigurationError, match=why):
        hourly.window(hour(2), hour(3), dry_run=is_look)
    assert tables(tmp_path) == {"sales"}
    assert not list((tmp_path / "lake" / "_repairs").rglob("*.parquet"))


def test_a_window_that_is_no_time_is_named(tmp_path: Path) -> None:
    hourly = broken(tmp_path)
    (tmp_path / "repairs" / "hourly.sql").write_text(
        "SELECT string(window_start) AS window_start, '' AS product, 1 AS orders, 1 AS cents "
        "FROM events"
    )
    with pytest.raises(ConfigurationError, match="gives window_start as string"):
        hourly.window(hour(2), hour(3))


def test_a_failed_check_leaves_nothing_behind(tmp_path: Path) -> None:
    hourly = broken(tmp_path)
    assert not hourly.window(hour(3), hour(4)).holds
    assert tables(tmp_path) == {"sales"}


def test_a_check_that_fails_behind_the_swap_does_not_deny_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hourly = broken(tmp_path)
    swap = performing.swap

    def killed(*arguments: Any) -> int:
        swap(*arguments)
        raise RuntimeError("killed behind the swap")

    monkeypatch.setattr(performing, "swap", killed)
    with pytest.raises(RuntimeError, match="killed"):
        hourly.window(hour(2), hour(3))
    run(tmp_path, "UPDATE sales SET cents = 1 WHERE hour = '2026-11-01T01:00:00Z'")
    done = hourly.window(hour(2), hour(3))
    assert (done.holds, done.changed) == (False, True)
    assert "was changed before" in repair_lines(done)[0]


def test_a_number_that_is_none_fails_its_spot_check(tmp_path: Path) -> None:
    hourly = broken(tmp_path)
    spots = tmp_path / "spots.csv"
    spots.write_text(f"hour,product,cents\n{WRONG_HOUR},bolt,NaN\n")
    done = hourly.window(hour(2), hour(3), spot_checks=spots)
    assert "cents of 2026-11-01T02:00:00+00:00, product bolt is NaN" in done.checks[-1].detail


def test_numbers_that_json_lacks_are_texts_in_corrections() -> None:
    row = {"a": float("nan"), "b": [float("-inf")], "c": 1.5}
    assert json.loads(row_json(row)) == {"a": "nan", "b": ["-inf"], "c": 1.5}


def test_a_checkpoint_is_not_kept_of_less_than_all_events(tmp_path: Path) -> None:
    hourly = broken(tmp_path, state=STATE)
    bad = Sold(99, minutes=10).record()
    del bad["headers"]["ce_id"]
    append_records(tmp_path, "orders", [bad])
    with pytest.raises(Exception, match="1 records that nobody can read") as refused:
        hourly.checkpoint(hour(1))
    assert refused.value.exit_code == 1
    assert hourly.window(hour(2), hour(3), pass_exceptions=True).changed
    # The end of that repair lacks the record as well.
    assert not hourly.window(hour(3), hour(4)).holds


def test_a_state_that_fails_on_a_value_changes_nothing(tmp_path: Path) -> None:
    """That of the end is not asked only when the table was changed."""
    hourly = broken(tmp_path, state=STATE)
    (tmp_path / "repairs" / "state.sql").write_text(
        "SELECT get_json_object(data, '$.product') AS product, "
        "cast(if(time >= '2026-11-01T02:00:00Z', 'x', '1') AS bigint) AS cents FROM events"
    )
    before = table_rows(tmp_path)
    with pytest.raises(ConfigurationError, match=r"state\.query: the query in .* cannot be asked"):
        hourly.window(hour(2), hour(3))
    assert table_rows(tmp_path) == before
    with pytest.raises(ConfigurationError, match="--at 2026-11-01T01:30:00"):
        hourly.checkpoint(hour(1.5))


def test_moments_before_all_records_are_refused(tmp_path: Path) -> None:
    hourly = broken(tmp_path, state=STATE)
    with pytest.raises(ConfigurationError, match=r"--from 1970-.* is before the year 1971"):
        hourly.window("1970-01-01T00:00:00Z", hour(3))
    with pytest.raises(ConfigurationError, match=r"--at 0001-.* is before the year 1971"):
        hourly.checkpoint("0001-01-01T00:00:00Z")


def test_a_repair_says_how_long_it_will_take_for_its_own_records(tmp_path: Path) -> None:
    hourly = broken(tmp_path)
    hourly.window(hour(2), hour(3), dry_run=True)
    messages: list[str] = []
    hourly.window(hour(2), hour(3), dry_run=True, say=messages.append)
    assert any(line.startswith("8 records are to be read, and the last time") for line in messages)


def test_disorder_is_measured_over_the_parts_in_which_a_partition_is_read(
    spark: SparkSession,
) -> None:
    """The first record of the second part came 90 seconds behind the last one of the first."""
    rows = [(0, 0, 100, 100), (0, 0, 200, 200), (0, 50, 110, 110), (1, 0, 10, 10)]
    raw = spark.createDataFrame(
        [(file, start, int(m * 1e6), int(n * 1e6)) for file, start, m, n in rows],
        "file int, start bigint, micros bigint, latest bigint",
    )
    assert seconds_behind(raw) == 90
    assert seconds_behind(raw.where("file = 1")) == 0
    assert seconds_behind(raw.where("file = 2")) is None
