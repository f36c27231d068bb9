"""Windows that depend on what came before: checkpoints, and what is known without any."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cutline.errors import ConfigurationError
from support.sales_by_hour import Sold, hour, place, sales_project, sold_each_half_hour, table_rows

pytestmark = pytest.mark.usefixtures("spark")
SOLD = sold_each_half_hour(12)
ARCHIVE = {"archive": {"path": "archive", "format": "json", "rows": "records"}}
STATE = {"query": "repairs/state.sql", "columns": "product string, cents bigint"}


def running(sold: list[Sold], factor: int = 1) -> list[tuple[str, str, int]]:
    """By hour and product what was sold until then."""
    sums: dict[str, int] = defaultdict(int)
    rows = {}
    for order in sorted(sold, key=lambda o: o.minutes):
        sums[order.product] += order.cents
        rows[f"{order.hour:%Y-%m-%dT%H:%M:%SZ}", order.product] = sums[order.product]
    return sorted((h, p, c * (factor if h >= "2026-11-01T02" else 1)) for (h, p), c in rows.items())


def broken(folder: Path, source: Mapping[str, Any] | None = None) -> Any:
    """The project, and its table of running sums, wrong from hour 2 on."""
    shop = sales_project(
        folder, source, query="repairs/running.sql", state=STATE, output={"table": "running"}
    )
    if source is None:
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


def archive(folder: Path, name: str, sold: Iterable[Sold]) -> Path:
    """A file of the archive with orders."""
    file = folder / "archive" / f"{name}.jsonl"
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join(json.dumps(order.record()) + "\n" for order in sold))
    return file


def archived(folder: Path) -> Any:
    """What `broken` gives, with the orders of each hour in a file of an archive."""
    for number in range(6):
        archive(folder, f"hour-{number}", SOLD[2 * number : 2 * number + 2])
    return broken(folder, ARCHIVE)


def test_a_checkpoint_gives_what_all_events_give(tmp_path: Path) -> None:
    hourly = archived(tmp_path)
    checkpoint = hourly.checkpoint(hour(1))
    # What came before it is not looked at any more.
    (tmp_path / "archive" / "hour-0.jsonl").unlink()
    done = hourly.window(hour(2), hour(4), after="replace")
    assert done.state == checkpoint.moment.isoformat()
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
    checkpoint = hourly.checkpoint(hour(1))
    for file in Path(checkpoint.place).glob("*.parquet"):
        file.write_bytes(b"PAR1 other")
    messages: list[str] = []
    done = hourly.window(hour(2), hour(4), say=messages.append)
    assert done.state == "beginning"
    assert any("is not used: its files were changed" in line for line in messages)


def test_a_checkpoint_over_a_topic_that_was_made_anew_is_not_used(tmp_path: Path) -> None:
    hourly = broken(tmp_path)
    hourly.checkpoint(hour(1))
    shutil.rmtree(tmp_path / "topics" / "orders")
    place(tmp_path, [replace(SOLD[0], cents=SOLD[0].cents + 1), *SOLD[1:]])
    messages: list[str] = []
    assert hourly.window(hour(2), hour(4), dry_run=True, say=messages.append).state == "beginning"
    assert any("jsonl holds other bytes by now" in line for line in messages)


@pytest.mark.parametrize("is_readable", [True, False])
def test_a_checkpoint_is_used_until_events_of_before_it_come(
    tmp_path: Path, is_readable: bool
) -> None:
    hourly = archived(tmp_path)
    checkpoint_moment = hourly.checkpoint(hour(2)).moment.isoformat()
    archive(tmp_path, "hour-6", [Sold(100, minutes=365)])
    (tmp_path / "archive" / "hour-0.jsonl").rename(tmp_path / "archive" / "first.jsonl")
    grown = archive(tmp_path, "hour-1", [*SOLD[2:4], Sold(101, minutes=130)])
    # One that came when its window was closed does not count.
    archive(tmp_path, "late", [Sold(102, minutes=30, after=90)])
    assert hourly.window(hour(3), hour(4), dry_run=True).state == checkpoint_moment
    messages: list[str] = []
    record = Sold(103, minutes=119).record()
    if not is_readable:
        del record["headers"]["ce_id"]
    with grown.open("a") as file:
        file.write(json.dumps(record) + "\n")
    done = hourly.window(hour(3), hour(4), dry_run=True, say=messages.append)
    assert done.state == "beginning"
    assert any(f"1 events of before it came since, in {grown}" in line for line in messages)
    folders = (tmp_path / "lake" / "_repairs" / "hourly").rglob("came-*")
    assert not list(folders)
    if not is_readable:
        return
    # It is made anew where it is asked for.
    assert hourly.checkpoint(hour(2)).moment.isoformat() == checkpoint_moment
    assert hourly.window(hour(3), hour(4), dry_run=True).state == checkpoint_moment


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
    checkpoint = hourly.checkpoint("2026-11-01T00:00:01.5Z")
    assert checkpoint.as_json()["moment"] == "2026-11-01T00:00:01.500000Z"
    done = hourly.window("2026-11-01T00:00:02Z", "2026-11-01T00:00:02.5Z")
    assert (done.state, done.changed) == ("2026-11-01T00:00:01.500000+00:00", True)
    assert done.as_json()["windows"][0]["begin"] == "2026-11-01T00:00:02Z"
    assert done.as_json()["end"] == "2026-11-01T00:00:02.500000Z"
    assert rows_of(tmp_path) == right


def test_a_checkpoint_under_the_name_of_another_moment_is_not_used(tmp_path: Path) -> None:
    hourly = broken(tmp_path)
    checkpoint_folder = Path(hourly.checkpoint(hour(0)).place).parent
    checkpoint_folder.rename(checkpoint_folder.with_name("20261101T010000Z"))
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
