"""Windows of a table are computed anew, checked, and put in place of those that are wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cutline.errors import ConfigurationError, RunFailed
from cutline.repair import performing
from support.replaying import standing
from support.sales_by_hour import (
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
IGNORED = {"output": {"ignored": ["seen_at"]}}
SOLD = sold_each_half_hour(12)
"""Two orders an hour, from 0 to 6."""
WRONG_HOURS = ("2026-11-01T02:00:00Z", "2026-11-01T03:00:00Z")


def wrong_rows() -> list[Any]:
    """What the job wrote: in hours 2 and 3 each amount is counted twice, and one row is missing."""
    rows = []
    for name, product, orders, cents in totals(SOLD):
        if name in WRONG_HOURS:
            if (name, product) == (WRONG_HOURS[1], "nut"):
                continue
            cents *= 2
        rows.append((name, product, orders, cents))
    return [*rows, ("2026-11-01T02:00:00Z", "ghost", 1, 1)]


def broken(folder: Path, **repair: Any) -> Any:
    """The project with orders on its topic, and the table with two wrong hours."""
    shop = sales_project(folder, **(IGNORED | repair))
    place(folder, SOLD)
    write_table(folder, wrong_rows())
    return shop.repair("hourly")


def test_wrong_windows_are_put_right_and_back(tmp_path: Path) -> None:
    hourly = broken(tmp_path)
    before = table_rows(tmp_path)
    look = hourly.window(hour(2), hour(4), dry_run=True)
    assert (look.changed, look.wrong, table_rows(tmp_path)) == (False, 4, before)
    assert tables(tmp_path) == {"sales"}
    done = hourly.window(hour(2), hour(4))
    assert [(c.name, c.holds) for c in done.checks] == [
        ("events", True),
        ("bounds", True),
        ("staged", True),
        ("control", True),
    ]
    assert (done.changed, done.wrong, done.events, done.late) == (True, 4, 6, 0)
    assert [(w.begin.hour, w.before, w.after, w.wrong) for w in done.windows] == [
        (2, 2, 1, 2),
        (3, 1, 2, 2),
    ]
    assert any("ghost" in sample for sample in done.samples)
    assert set(done.checksums) == {"hour", "product", "orders", "cents"}
    assert table_rows(tmp_path) == totals(SOLD)
    assert tables(tmp_path) == {"sales", "cutline_repairs", "cutline_replaced_hourly"}
    shelf = tmp_path / "lake/_repairs/hourly"
    assert list(shelf.glob("*/plan.json"))
    assert not list(shelf.rglob(done.id))
    # Again: nothing is wrong, and what was replaced is still there to be put back.
    again = hourly.window(hour(2), hour(4))
    assert (again.changed, again.wrong) == (False, 0)
    back = hourly.reverse()
    assert back.id == done.id
    assert table_rows(tmp_path) == before
    with pytest.raises(Exception, match="it is reversed") as refused:
        hourly.reverse()
    assert refused.value.exit_code == 1


def test_a_control_window_that_differs_changes_nothing(tmp_path: Path) -> None:
    """Whoever begins a window too late sees that the one before is wrong as well."""
    hourly = broken(tmp_path)
    before = table_rows(tmp_path)
    done = hourly.window(hour(3), hour(4))
    assert not done.holds
    assert [c.name for c in done.checks if not c.holds] == ["control"]
    detail = next(c.detail for c in done.checks if not c.holds)
    assert "2 rows from 2026-11-01T02:00:00+00:00" in detail
    assert "too much" in detail
    assert (table_rows(tmp_path), done.changed) == (before, False)
    # Without one nobody knows.
    unsure = broken(tmp_path, control=0).window(hour(3), hour(4))
    assert unsure.changed


def test_a_control_window_without_any_row_shows_nothing(tmp_path: Path) -> None:
    shop = sales_project(tmp_path, **IGNORED)
    sold = [Sold(1, minutes=190), Sold(2, minutes=200)]
    place(tmp_path, sold)
    write_table(tmp_path, [(h, p, o, c * 2) for h, p, o, c in totals(sold)])
    done = shop.repair("hourly").window(hour(3), hour(4))
    assert [c.name for c in done.checks if not c.holds] == ["control"]
    assert "no row from 2026-11-01T02:00:00+00:00" in done.checks[-1].detail
    assert not done.changed


def test_spot_checks_are_asked_of_what_was_computed(tmp_path: Path) -> None:
    hourly = broken(tmp_path)
    good, bad = tmp_path / "good.csv", tmp_path / "bad.jsonl"
    rows = {(r[0], r[1]): r for r in totals(SOLD)}
    name = "2026-11-01T03:00:00Z"
    # With the mark that Excel writes.
    text = f"hour,product,cents\n{name},bolt,{rows[name, 'bolt'][3]}\n"
    good.write_text(text, encoding="utf-8-sig")
    spots = [
        {"hour": name, "product": "bolt", "cents": 1},
        {"hour": name, "product": "screw", "cents": 1},
    ]
    bad.write_text("".join(json.dumps(spot) + "\n" for spot in spots))
    refused = hourly.window(hour(2), hour(4), spot_checks=bad)
    check = refused.checks[-1]
    assert (check.name, check.holds, refused.changed) == ("spot-checks", False, False)
    assert "cents of 2026-11-01T03:00:00+00:00, product bolt is 1" in check.detail
    assert "no row was computed for 2026-11-01T03:00:00+00:00, product screw" in check.detail
    assert hourly.window(hour(2), hour(4), spot_checks=good).changed


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("hour,product,price\n2026-11-01T03:00:00Z,bolt,1\n", "price is none of the columns"),
        ("hour,product\n2026-11-01T03:00:00,bolt\n", "is no moment with a zone"),
        ("hour,product\n0001-01-01T00:00:00+14:00,bolt\n", "is no moment with a zone"),
        ("hour,cents\n2026-11-01T03:00:00Z,1\n", "line 2 has no product"),
        ("hour,product\n", "has no row"),
        ("hour,product,cents\n2026-11-01T03:00:00Z,bolt\n", "line 2 has 2 values, and the head"),
        ("hour,product\n\n2026-11-01T03:00:00Z,bolt,1\n", "line 3 has 3 values, and the head"),
        ("hour,product,product\n2026-11-01T03:00:00Z,bolt,nut\n", "its head has product twice"),
    ],
)
def test_a_file_of_spot_checks_that_is_wrong_is_named(tmp_path: Path, text: str, why: str) -> None:
    hourly = broken(tmp_path)
    (tmp_path / "spots.csv").write_text(text)
    with pytest.raises(ConfigurationError, match=why):
        hourly.window(hour(2), hour(4), spot_checks=tmp_path / "spots.csv")


@pytest.mark.parametrize("missing", ["query", "spots"])
def test_a_file_that_is_not_there_is_said_in_words(tmp_path: Path, missing: str) -> None:
    hourly = broken(tmp_path)
    if missing == "query":
        (tmp_path / hourly.project.file.repairs[hourly.name].query).unlink()
    with pytest.raises(ConfigurationError) as refused:
        hourly.window(hour(2), hour(4), spot_checks=tmp_path / "nope.csv")
    assert "Errno" not in refused.value.what
    says = "nope.csv cannot be read: No such file or directory"
    assert ("query: there is no file" if missing == "query" else says) in refused.value.what


def test_later_windows_are_replaced_when_they_are_asked_for(tmp_path: Path) -> None:
    hourly = broken(tmp_path)
    rows = [
        (n, p, o, c * 3) if n >= "2026-11-01T02" else (n, p, o, c) for n, p, o, c in totals(SOLD)
    ]
    write_table(tmp_path, rows)
    merged = hourly.window(hour(2), hour(4))
    assert merged.changed
    right = {r for r in totals(SOLD) if r[0] < "2026-11-01T04"}
    assert right < set(table_rows(tmp_path))
    assert set(table_rows(tmp_path)) != set(totals(SOLD))
    replaced = hourly.window(hour(2), hour(4), after="replace")
    assert replaced.end > merged.end
    assert table_rows(tmp_path) == totals(SOLD)


def test_windows_that_are_closed_meanwhile_are_caught_up_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datetime as dt

    from cutline.api import repairs
    from support.sales_by_hour import DAY

    hourly = broken(tmp_path)
    write_table(
        tmp_path,
        [(n, p, o, c * 2) if n >= "2026-11-01T02" else (n, p, o, c) for n, p, o, c in totals(SOLD)],
    )
    moments = iter([4.2] * 3 + [5.2] * 20)
    monkeypatch.setattr(repairs, "_now", lambda: DAY + dt.timedelta(hours=next(moments)))
    done = hourly.window(hour(2), hour(4), after="replace")
    assert done.end == DAY + dt.timedelta(hours=5)
    right, wrong = totals(SOLD), table_rows(tmp_path)
    assert [r for r in wrong if r[0] < "2026-11-01T05"] == [
        r for r in right if r[0] < "2026-11-01T05"
    ]
    assert [r for r in wrong if r[0] >= "2026-11-01T05"] != [
        r for r in right if r[0] >= "2026-11-01T05"
    ]


def test_late_events_are_counted_and_left_out(tmp_path: Path) -> None:
    shop = sales_project(tmp_path, **IGNORED)
    late = Sold(90, minutes=130, after=75, product="nut")
    in_time = Sold(91, minutes=130, after=59, product="nut")
    place(tmp_path, [*SOLD, late, in_time])
    write_table(tmp_path, totals([*SOLD, late, in_time]))
    done = shop.repair("hourly").window(hour(2), hour(4))
    assert (done.late, done.events, done.wrong) == (1, 7, 1)
    assert "(the last 1,500 s after its window)" in done.checks[0].detail
    assert table_rows(tmp_path) == totals([*SOLD, in_time])


def test_records_that_nobody_can_read_change_nothing_unless_they_are_passed(tmp_path: Path) -> None:
    hourly = broken(tmp_path)
    bad = Sold(99, minutes=150).record()
    del bad["headers"]["ce_id"]
    from support.replaying import append_records

    append_records(tmp_path, "orders", [bad])
    refused = hourly.window(hour(2), hour(4))
    assert [c.name for c in refused.checks if not c.holds] == ["events"]
    assert (refused.exceptions, refused.changed) == (1, False)
    assert hourly.window(hour(2), hour(4), pass_exceptions=True).changed


def test_corrections_are_told_once_and_the_table_stays(tmp_path: Path) -> None:
    hourly = broken(tmp_path, corrections="sales.corrections")
    before = table_rows(tmp_path)
    done = hourly.window(hour(2), hour(4), corrections=True)
    # Two rows are other, one is missing, one is too much.
    assert (done.changed, done.wrong, done.corrections) == (False, 4, 6)
    assert table_rows(tmp_path) == before
    corrections_sent = standing(tmp_path, "sales.corrections")
    kinds = [dict(r.headers)["ce_type"] for r in corrections_sent]
    assert (kinds.count(b"row-retracted"), kinds.count(b"row-added")) == (3, 3)
    assert {dict(r.headers)["ce_migreplaysafe"] for r in corrections_sent} == {b"false"}
    # Who applies them in their order has the table as it should be.
    rows = [tuple(r) for r in before]
    for record in corrections_sent:
        row = json.loads(record.value or b"")
        entry = (row["hour"], row["product"], row["orders"], row["cents"])
        if dict(record.headers)["ce_type"] == b"row-retracted":
            rows.remove(entry)
        else:
            rows.append(entry)
    assert sorted(rows) == totals(SOLD)
    again = hourly.window(hour(2), hour(4), corrections=True)
    assert (again.corrections, again.wrong) == (0, 4)
    assert standing(tmp_path, "sales.corrections") == corrections_sent


def test_a_killed_repair_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hourly = broken(tmp_path)
    swap = performing.swap

    def killed(*arguments: Any) -> int:
        swap(*arguments)
        raise RuntimeError("killed behind the swap")

    monkeypatch.setattr(performing, "swap", killed)
    with pytest.raises(RuntimeError, match="killed"):
        hourly.window(hour(2), hour(4))
    assert table_rows(tmp_path) == totals(SOLD)
    monkeypatch.setattr(performing, "swap", swap)
    messages: list[str] = []
    done = hourly.window(hour(2), hour(4), say=messages.append)
    assert (done.went_on, done.changed, done.wrong) == (True, True, 0)
    assert "reading the source" not in messages
    assert hourly.reverse().id == done.id


def test_what_is_written_meanwhile_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    hourly = broken(tmp_path)
    swap = performing.swap

    def written(*arguments: Any) -> int:
        with sqlite3.connect(tmp_path / "shop.db") as connection:
            connection.execute("UPDATE sales SET cents = 7 WHERE hour = '2026-11-01T02:00:00Z'")
        return swap(*arguments)

    monkeypatch.setattr(performing, "swap", written)
    with pytest.raises(RunFailed, match="was written to while"):
        hourly.window(hour(2), hour(4))
    assert (7,) in table_rows(tmp_path, "SELECT cents FROM sales")
    monkeypatch.setattr(performing, "swap", swap)
    assert hourly.window(hour(2), hour(4)).changed
    with sqlite3.connect(tmp_path / "shop.db") as connection:
        connection.execute("UPDATE sales SET cents = 8 WHERE hour = '2026-11-01T02:00:00Z'")
    with pytest.raises(Exception, match="somebody has written into the windows") as refused:
        hourly.reverse()
    assert refused.value.exit_code == 1


@pytest.mark.parametrize(
    ("begin", "end", "why"),
    [
        (hour(4), hour(2), "is not before --to"),
        (hour(2.5), hour(4), r"--from .* is within a window of 1:00:00"),
        (hour(2), hour(3.25), r"--to .* is within a window"),
        (hour(2), "2999-01-01T00:00:00Z", "in the future"),
        (hour(2), "9999-12-31T23:30:00Z", "in the future"),
        ("2026-11-01", hour(4), "is no moment with a zone"),
        ("0001-01-01T00:00:00+14:00", hour(4), "--from: .* must be a moment of the years 1 to"),
        (hour(2), "9999-12-31T23:59:59-14:00", "--to: .* must be a moment of the years 1 to"),
    ],
)
def test_windows_that_are_none_are_refused(tmp_path: Path, begin: str, end: str, why: str) -> None:
    hourly = broken(tmp_path)
    with pytest.raises(ConfigurationError, match=why) as refused:
        hourly.window(begin, end)
    assert refused.value.left_behind == "Nothing was changed."


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("SELECT window_start, 'x' AS product FROM events", "lacks cents"),
        ("SELECT *, 1 AS product, 1 AS cents, 1 AS orders FROM events", "too much"),
        ("SELECT nothing FROM events", "cannot be asked"),
        ("SELECT window_start, 'x' AS product, 1 AS orders, 1 AS cents FROM events", "rows for"),
        (
            "SELECT window_start, cast(null AS string) AS product, count(*) AS orders, 1 AS cents "
            "FROM events GROUP BY 1",
            "gives a row with null in product",
        ),
        (
            "SELECT window_start - INTERVAL '1' MINUTE AS window_start, 'x' AS product, "
            "count(*) AS orders, 1 AS cents FROM events GROUP BY 1",
            "none of the windows",
        ),
        (
            "SELECT window_start, 'x' AS product, count(*) AS orders, 1.5 AS cents FROM events "
            "GROUP BY 1",
            "1.5 is no whole number",
        ),
    ],
)
def test_queries_that_are_wrong_are_named(tmp_path: Path, query: str, why: str) -> None:
    hourly = broken(tmp_path)
    before = table_rows(tmp_path)
    (tmp_path / "repairs" / "hourly.sql").write_text(query)
    with pytest.raises(ConfigurationError, match=why):
        hourly.window(hour(2), hour(4))
    assert table_rows(tmp_path) == before


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ({"table": "nowhere"}, "there is no table nowhere"),
        ({"key": ["colour"]}, "table sales has no column colour; it has hour, product"),
        ({"url": "sqlite:///nowhere.db"}, "there is no file"),
        ({"url": "mysql://localhost/shop"}, "neither a SQLite nor a PostgreSQL URL"),
        ({"schema": "shop"}, "SQLite has no schemas"),
        ({"window": "product", "key": ["hour"]}, "which are no moments in UTC"),
    ],
)
def test_tables_that_cannot_be_repaired_are_named(
    tmp_path: Path, output: dict[str, Any], why: str
) -> None:
    hourly = broken(tmp_path, output={"ignored": ["seen_at"]} | output)
    with pytest.raises(ConfigurationError, match=why):
        hourly.window(hour(2), hour(4))


def test_rows_that_stand_twice_are_wrong(tmp_path: Path) -> None:
    hourly = broken(tmp_path)
    rows = totals(SOLD)
    double = next(row for row in rows if row[0] == "2026-11-01T02:00:00Z")
    write_table(tmp_path, [*rows, double])
    done = hourly.window(hour(2), hour(4))
    assert done.wrong == 2
    assert table_rows(tmp_path) == rows


def test_values_within_a_tolerance_are_no_difference(tmp_path: Path) -> None:
    hourly = broken(tmp_path, output={"ignored": ["seen_at"], "tolerance": {"cents": 5}})
    write_table(tmp_path, [(n, p, o, c + 5) for n, p, o, c in totals(SOLD)])
    assert hourly.window(hour(2), hour(4)).wrong == 0
    write_table(tmp_path, [(n, p, o, c + (6 if "T02" in n else 0)) for n, p, o, c in totals(SOLD)])
    assert hourly.window(hour(2), hour(4)).wrong == 1
