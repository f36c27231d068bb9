"""Windows that depend on what came before: checkpoints, and what is known without any."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cutline.errors import ConfigurationError
from support.sales_by_hour import Sold, hour, place, sales_project, sold_each_half_hour, table_rows

pytestmark = pytest.mark.usefixtures("spark")
SOLD = sold_each_half_hour(12)
STATE = {"query": "repairs/state.sql", "columns": "product string, cents bigint"}


def running(sold: list[Sold], factor: int = 1) -> list[tuple[str, str, int]]:
    """By hour and product what was sold until then."""
    sums: dict[str, int] = defaultdict(int)
    rows = {}
    for order in sorted(sold, key=lambda o: o.minutes):
        sums[order.product] += order.cents
        rows[f"{order.hour:%Y-%m-%dT%H:%M:%SZ}", order.product] = sums[order.product]
    return sorted((h, p, c * (factor if h >= "2026-11-01T02" else 1)) for (h, p), c in rows.items())


def broken(folder: Path) -> Any:
    """The project, and its table of running sums, wrong from hour 2 on."""
    shop = sales_project(
        folder, query="repairs/running.sql", state=STATE, output={"table": "running"}
    )
    place(folder, SOLD)
    with closing(sqlite3.connect(folder / "shop.db")) as connection, connection:
        connection.execute("CREATE TABLE running (hour TEXT, product TEXT, cents INTEGER)")
        connection.executemany("INSERT INTO running VALUES (?, ?, ?)", running(SOLD, 2))
    return shop.repair("hourly")


def rows_of(folder: Path) -> list[Any]:
    return table_rows(folder, "SELECT hour, product, cents FROM running")


def test_without_a_checkpoint_all_events_are_read(tmp_path: Path) -> None:
    hourly = broken(tmp_path)
    done = hourly.window(hour(2), hour(4), after="replace")
    assert (done.state, done.changed) == ("beginning", True)
    assert rows_of(tmp_path) == running(SOLD)


def test_a_checkpoint_gives_what_all_events_give(tmp_path: Path) -> None:
    hourly = broken(tmp_path)
    kept = hourly.checkpoint(hour(1))
    # What came before it is not looked at any more.
    files = sorted((tmp_path / "topics" / "orders").glob("*.jsonl"))
    for file in files:
        lines = [
            line
            for line in file.read_text().splitlines()
            if '"ce_time":"2026-11-01T00' not in line.replace(" ", "")
        ]
        file.write_text("".join(f"{line}\n" for line in lines))
    done = hourly.window(hour(2), hour(4), after="replace")
    assert done.state == kept.moment.isoformat()
    assert rows_of(tmp_path) == running(SOLD)
    # The end of the repair is one itself, from which the next repair begins.
    checkpoints = {p.name for p in (tmp_path / "lake/_repairs/hourly/checkpoints").iterdir()}
    assert f"{done.end:%Y%m%dT%H%M%SZ}" in checkpoints


def test_a_checkpoint_that_is_there_is_taken_as_it_is(tmp_path: Path) -> None:
    hourly = broken(tmp_path)
    first, again = hourly.checkpoint(hour(1)), hourly.checkpoint(hour(1))
    assert again == first
    assert sorted(Path(first.place).glob("*.parquet"))
    assert hourly.window(hour(2), hour(4)).state == first.moment.isoformat()


def test_a_checkpoint_that_was_changed_is_not_used(tmp_path: Path) -> None:
    hourly = broken(tmp_path)
    kept = hourly.checkpoint(hour(1))
    for file in Path(kept.place).glob("*.parquet"):
        file.write_bytes(b"PAR1 other")
    messages: list[str] = []
    done = hourly.window(hour(2), hour(4), say=messages.append)
    assert done.state == "beginning"
    assert any("is not used: its files were changed" in line for line in messages)


def test_a_checkpoint_of_another_query_is_not_used(tmp_path: Path) -> None:
    hourly = broken(tmp_path)
    hourly.checkpoint(hour(1))
    file = tmp_path / "repairs" / "state.sql"
    file.write_text(file.read_text().replace("sum(cents)", "2 * sum(cents) - sum(cents)"))
    messages: list[str] = []
    assert hourly.window(hour(2), hour(4), say=messages.append).state == "beginning"
    assert any("another query" in line for line in messages)


def half_second(number: int) -> str:
    """A moment of the day, so many half seconds after it began, as the table has it."""
    return f"2026-11-01 00:00:{number / 2:09.6f}"


def test_a_checkpoint_within_a_second_is_that_of_its_moment(tmp_path: Path) -> None:
    """Under the name of the whole second the nut of 1.2 seconds was counted twice."""
    shop = sales_project(
        tmp_path,
        query="repairs/running.sql",
        state=STATE,
        output={"table": "running"},
        size="PT0.5S",
        lateness="PT0S",
    )
    seconds = [(1.2, 1, "nut"), (0.2, 10, "bolt"), (1.6, 20, "bolt"), (2.1, 5, "nut")]
    sold = [Sold(n, at / 60, cents, product) for n, (at, cents, product) in enumerate(seconds)]
    place(tmp_path, sold)
    right = [
        (half_second(0), "bolt", 10),
        (half_second(2), "nut", 1),
        (half_second(3), "bolt", 30),
        (half_second(4), "nut", 6),
    ]
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection, connection:
        connection.execute("CREATE TABLE running (hour TEXT, product TEXT, cents INTEGER)")
        connection.executemany(
            "INSERT INTO running VALUES (?, ?, ?)", [*right[:3], (*right[3][:2], 9)]
        )
    hourly = shop.repair("hourly")
    kept = hourly.checkpoint("2026-11-01T00:00:01.5Z")
    assert kept.as_json()["moment"] == "2026-11-01T00:00:01.500000Z"
    done = hourly.window("2026-11-01T00:00:02Z", "2026-11-01T00:00:02.5Z")
    assert (done.state, done.changed) == ("2026-11-01T00:00:01.500000+00:00", True)
    assert done.as_json()["windows"][0]["begin"] == "2026-11-01T00:00:02Z"
    assert done.as_json()["end"] == "2026-11-01T00:00:02.500000Z"
    assert rows_of(tmp_path) == right


def test_a_checkpoint_under_the_name_of_another_moment_is_not_used(tmp_path: Path) -> None:
    hourly = broken(tmp_path)
    kept = Path(hourly.checkpoint(hour(0)).place).parent
    kept.rename(kept.with_name("20261101T010000Z"))
    messages: list[str] = []
    assert hourly.window(hour(2), hour(4), say=messages.append).state == "beginning"
    assert any("it has the state of 2026-11-01T00:00:00+00:00" in line for line in messages)


def test_a_checkpoint_without_a_state_is_refused(tmp_path: Path) -> None:
    shop = sales_project(tmp_path, output={"ignored": ["seen_at"]})
    place(tmp_path, SOLD)
    from support.sales_by_hour import totals, write_table

    write_table(tmp_path, totals(SOLD))
    with pytest.raises(ConfigurationError, match="declares no state"):
        shop.repair("hourly").checkpoint(hour(1))
