"""File sources as the legacy's truth: read apart from Spark, lines that cannot be read skipped."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cutline.errors import ConfigurationError, CutlineError, RunFailed
from cutline.results.reconcile import TruthLoad
from cutline_reconciliation.truth import open_legacy, write_answer
from support.reconciled import Slice


def read(shop_slice: Slice, sql: str, columns: Any = None) -> tuple[list[dict[str, Any]], Any]:
    """The answer, and what was loaded."""
    with open_legacy(shop_slice.project(), [sql], columns or {}) as opened:
        path = str(shop_slice.folder / "answer.parquet")
        write_answer(opened, "the truth of aggregate order", sql, "north", path, ["subject"])
        return pq.read_table(path).to_pylist(), dict(opened.loaded)


def csv(shop_slice: Slice, content: bytes, **options: Any) -> None:
    (shop_slice.folder / "feed").mkdir(exist_ok=True)
    (shop_slice.folder / "feed" / "r.csv").write_bytes(content)
    shop_slice.sources["feed"] = {
        "kind": "csv", "path": "feed", "tables": {"releases": {"path": "r.csv"}}, **options,
    }  # fmt: skip


ALL = "SELECT no AS subject, note FROM feed.releases ORDER BY 1"


def test_csv_lines_that_cannot_be_read_are_skipped_and_counted(shop_slice: Slice) -> None:
    csv(
        shop_slice,
        b"\xef\xbb\xbfno,note\r\n"
        b'A,"x, ""y"""\r\n'
        b"\r\n"
        b'B,"broken\r\n'
        b'C,"x"y\r\n'
        b"D\r\n"
        b"E,1,2\r\n"
        b"F,\xff\r\n"
        b'G,""\r\n'
        b"H, 09007199254740993\r\n",
    )
    rows, loaded = read(shop_slice, ALL)
    assert rows == [
        {"subject": "A", "note": 'x, "y"'},
        {"subject": "G", "note": None},
        {"subject": "H", "note": " 09007199254740993"},
    ]
    assert loaded == {"feed.releases": TruthLoad(rows=3, malformed=5)}


def test_csv_of_another_shape(shop_slice: Slice) -> None:
    csv(
        shop_slice, 'no;note\nA;"two\nlines"\nB;é\x80\n'.encode("iso-8859-1"),
        delimiter=";", encoding="iso-8859-1", multiline=True,
    )  # fmt: skip
    rows, _ = read(shop_slice, ALL)
    assert [r["note"] for r in rows] == ["two\nlines", "é\x80"]


def test_csv_in_utf_16(shop_slice: Slice) -> None:
    csv(shop_slice, "no,note\nA,é\n".encode("utf-16"), encoding="utf-16")
    assert read(shop_slice, ALL)[0] == [{"subject": "A", "note": "é"}]


def test_a_value_longer_than_the_library_expects_is_kept(shop_slice: Slice) -> None:
    csv(shop_slice, b"no,note\nA," + b"x" * 200_000 + b"\n")
    assert len(read(shop_slice, ALL)[0][0]["note"]) == 200_000


def test_several_files_make_one_table(shop_slice: Slice) -> None:
    csv(shop_slice, b"no,note\nA,1\n")
    (shop_slice.folder / "feed" / "r2.csv").write_text("note,NO\n2,B\n")
    shop_slice.sources["feed"]["tables"]["releases"]["path"] = "r*.csv"
    assert [(r["subject"], r["note"]) for r in read(shop_slice, ALL)[0]] == [
        ("A", "1"),
        ("B", "2"),
    ]


def test_numbers_in_texts_sum_exactly(shop_slice: Slice) -> None:
    csv(shop_slice, b"no,note\nA,9007199254740992\nA,1\n")
    rows, _ = read(
        shop_slice, "SELECT no AS subject, sum(note) AS cents FROM feed.releases GROUP BY no"
    )
    assert rows == [{"subject": "A", "cents": "9007199254740993"}]


def test_json_lines_keep_numbers_as_written(shop_slice: Slice) -> None:
    good = [
        '{"no": "A", "note": 1.10, "open": true}',
        '{"no": "B", "note": 9007199254740993, "open": false, "late": {"a b": [1.50, null, "é"]}}',
        '{"no": "C", "note": null}',
        '{"no": "D", "note": ""}',
    ]
    bad = ["{", "[]", '"text"', '{"no": NaN}', '{"no": "\\ud800"}', "[" * 100_000]
    (shop_slice.folder / "notes.jsonl").write_bytes(
        "\n\n".join([*good, *bad]).encode() + b'\n{"no": "\xff"}\n'
    )
    shop_slice.sources["feed"] = {
        "kind": "jsonl", "path": ".", "tables": {"notes": {"path": "notes.jsonl"}},
    }  # fmt: skip
    rows, loaded = read(shop_slice, "SELECT no AS subject, * FROM feed.notes ORDER BY no")
    assert [(r["subject"], r["note"], r["open"], r["late"]) for r in rows] == [
        ("A", "1.10", "true", None),
        ("B", "9007199254740993", "false", '{"a b":[1.50,null,"\\u00e9"]}'),
        ("C", None, None, None),
        ("D", "", None, None),
    ]
    assert json.loads(rows[1]["late"]) == {"a b": [1.5, None, "é"]}
    assert loaded == {"feed.notes": TruthLoad(rows=4, malformed=7)}


def test_json_lines_without_a_line_have_the_columns_of_their_contract(shop_slice: Slice) -> None:
    (shop_slice.folder / "notes.jsonl").write_text("")
    shop_slice.sources["feed"] = {
        "kind": "jsonl", "path": ".", "tables": {"notes": {"path": "notes.jsonl"}},
    }  # fmt: skip
    sql = "SELECT no AS subject, note FROM feed.notes"
    assert read(shop_slice, sql, {("feed", "notes"): ("no", "note")})[0] == []
    with pytest.raises(ConfigurationError, match="no such table"):
        read(shop_slice, sql)


def test_parquet_as_texts(shop_slice: Slice) -> None:
    moment = dt.datetime(2026, 11, 1, 2, 0, 0, 1, tzinfo=dt.UTC)
    table = pa.table(
        {
            "no": ["A", "B"],
            "big": pa.array([9007199254740993, None], pa.int64()),
            "money": pa.array([Decimal("1.10"), None], pa.decimal128(38, 2)),
            "small": pa.array([Decimal("0.0000001"), None], pa.decimal128(20, 10)),
            "at": pa.array([moment, None], pa.timestamp("us", "UTC")),
            "local": pa.array([dt.datetime(2026, 11, 1), None], pa.timestamp("us")),
            "day": pa.array([dt.date(2026, 11, 1), None]),
            "open": pa.array([True, None]),
            "raw": pa.array([b"\x00\xff", None]),
            "needs": pa.array([[{"sku": "s", "quantity": 2}], None]),
            "kind": pa.array(["x", None]).dictionary_encode(),
        }
    )
    (shop_slice.folder / "ledger").mkdir()
    pq.write_table(table, shop_slice.folder / "ledger" / "part-0.parquet")
    (shop_slice.folder / "ledger" / "_SUCCESS").write_text("")
    shop_slice.sources["feed"] = {
        "kind": "parquet", "path": ".", "tables": {"ledger": {"path": "ledger"}},
    }  # fmt: skip
    rows, _ = read(shop_slice, "SELECT no AS subject, * FROM feed.ledger ORDER BY no")
    assert rows[0] == {
        "subject": "A",
        "no": "A",
        "big": "9007199254740993",
        "money": "1.10",
        "small": "0.0000001000",
        "at": "2026-11-01T02:00:00.000001Z",
        "local": "2026-11-01T00:00:00.000000",
        "day": "2026-11-01",
        "open": "true",
        "raw": "00ff",
        "needs": '[{"sku": "s", "quantity": 2}]',
        "kind": "x",
    }
    assert {v for k, v in rows[1].items() if k not in ("subject", "no")} == {None}


def test_parquet_binaries_of_any_kind_are_hexadecimal_digits(shop_slice: Slice) -> None:
    values = [b"\xff\xfe", b"ab", None]
    kinds = {
        "plain": pa.binary(), "large": pa.large_binary(), "view": pa.binary_view(),
        "fixed": pa.binary(2),
    }  # fmt: skip
    columns = {name: pa.array(values, kind) for name, kind in kinds.items()}
    columns["dictionary"] = columns["plain"].dictionary_encode()
    columns["no"] = pa.array(["A", "B", "C"])
    pq.write_table(pa.table(columns), shop_slice.folder / "ledger.parquet")
    shop_slice.sources["feed"] = {
        "kind": "parquet", "path": ".", "tables": {"ledger": {"path": "ledger.parquet"}},
    }  # fmt: skip
    rows, _ = read(shop_slice, "SELECT no AS subject, * FROM feed.ledger ORDER BY no")
    for name in set(columns) - {"no"}:
        assert [r[name] for r in rows] == ["fffe", "6162", None], name


def test_parquet_dictionaries_and_parts_are_written_as_their_values(shop_slice: Slice) -> None:
    moment = dt.datetime(2026, 11, 1, 2)
    table = pa.table(
        {
            "no": ["A"],
            "at": pa.array([moment]).dictionary_encode(),
            "money": pa.array([Decimal("1E2")], pa.decimal128(10, 2)).dictionary_encode(),
            "parts": [[{"raw": b"\x00\xff", "price": Decimal("1.10")}]],
        }
    )
    pq.write_table(table, shop_slice.folder / "ledger.parquet")
    shop_slice.sources["feed"] = {
        "kind": "parquet", "path": ".", "tables": {"ledger": {"path": "ledger.parquet"}},
    }  # fmt: skip
    rows, _ = read(shop_slice, "SELECT no AS subject, at, money, parts FROM feed.ledger")
    assert rows == [
        {
            "subject": "A",
            "at": "2026-11-01T02:00:00.000000",
            "money": "100.00",
            "parts": '[{"raw": "00ff", "price": "1.10"}]',
        }
    ]


def test_parquet_knows_the_columns_of_folders(shop_slice: Slice) -> None:
    for name, day in (("S%C3%A3o", "1"), ("__HIVE_DEFAULT_PARTITION__", "2")):
        path = shop_slice.folder / "ledger" / f"city={name}" / f"day={day}" / "part-0.parquet"
        path.parent.mkdir(parents=True)
        pq.write_table(pa.table({"no": [day]}), path)
    shop_slice.sources["feed"] = {
        "kind": "parquet", "path": ".", "tables": {"ledger": {"path": "ledger/*/*/*.parquet"}},
    }  # fmt: skip
    rows, _ = read(shop_slice, "SELECT no AS subject, city, day FROM feed.ledger ORDER BY no")
    assert [tuple(r.values()) for r in rows] == [("1", "São", "1"), ("2", None, "2")]


def test_parquet_loses_no_nanosecond(shop_slice: Slice) -> None:
    for name, old in (("new", False), ("old", True)):
        times = pa.table(
            {
                "no": [name],
                "fine": pa.array([1_700_000_000_123_456_001], pa.timestamp("ns")),
                "at": pa.array([1_700_000_000_123_456_000], pa.timestamp("ns")),
            }
        )
        path = shop_slice.folder / "ledger" / f"{name}.parquet"
        path.parent.mkdir(exist_ok=True)
        pq.write_table(times, path, use_deprecated_int96_timestamps=old)
    shop_slice.sources["feed"] = {
        "kind": "parquet", "path": ".", "tables": {"ledger": {"path": "ledger"}},
    }  # fmt: skip
    rows, _ = read(shop_slice, "SELECT no AS subject, fine, at FROM feed.ledger")
    assert {(r["fine"], r["at"]) for r in rows} == {
        ("2023-11-14T22:13:20.123456001", "2023-11-14T22:13:20.123456")
    }


DAYS = {
    "0001-01-01": -719_164,
    "1000-02-29": -354_221,
    "1500-01-01": -171_655,
    "1582-10-04": -141_428,
    "1582-10-15": -141_427,
    "1970-01-01": 0,
}
"""Days as Spark counts them in its old calendar."""
SPARK_2 = {"org.apache.spark.version": "2.4.8"}
SPARK_4 = {"org.apache.spark.version": "4.0.0", "org.apache.spark.timeZone": "UTC"}
OLD = {"org.apache.spark.legacyDateTime": "", "org.apache.spark.legacyINT96": ""}
MICROS = 86_400 * 10**6


def calendar(shop_slice: Slice, footer: dict[str, str], *, int96: bool = False) -> list[Any]:
    """The days, times and local times as the truth reads them from a file with such a footer."""
    days = [*DAYS.values(), None]
    times = [None if day is None else day * MICROS + 1 for day in days]
    table = pa.table(
        {
            "no": pa.array(range(len(days))),
            "day": pa.array(days, pa.int32()).cast(pa.date32()),
            "at": pa.array(times, pa.timestamp("us", "UTC")),
            "local": pa.array(times, pa.timestamp("us")),
        }
    )
    path = shop_slice.folder / "ledger.parquet"
    table = table.replace_schema_metadata(footer)
    pq.write_table(table, path, use_deprecated_int96_timestamps=int96)
    shop_slice.sources["feed"] = {
        "kind": "parquet", "path": ".", "tables": {"ledger": {"path": "ledger.parquet"}},
    }  # fmt: skip
    rows, _ = read(shop_slice, "SELECT no AS subject, day, at, local FROM feed.ledger ORDER BY 1")
    return [(r["day"], r["at"], r["local"]) for r in rows]


@pytest.mark.parametrize("footer", [SPARK_2, SPARK_4 | OLD])
@pytest.mark.parametrize("int96", [False, True])
def test_days_of_the_old_calendar_are_those_that_were_meant(
    shop_slice: Slice, footer: dict[str, str], int96: bool
) -> None:
    rows = calendar(shop_slice, footer, int96=int96)
    meant = [day if day != "1000-02-29" else "1000-03-01" for day in DAYS]
    assert [r[0] for r in rows] == [*meant, None]
    assert [r[2] for r in rows] == [*(f"{day}T00:00:00.000001" for day in meant), None]
    zone = "" if int96 else "Z"
    assert [r[1] for r in rows] == [*(f"{day}T00:00:00.000001{zone}" for day in meant), None]


@pytest.mark.parametrize("footer", [SPARK_4, {}])
def test_days_of_the_new_calendar_are_as_they_are_counted(
    shop_slice: Slice, footer: dict[str, str]
) -> None:
    assert [r[0] for r in calendar(shop_slice, footer)][2:] == [
        "1500-01-10", "1582-10-14", "1582-10-15", "1970-01-01", None,
    ]  # fmt: skip


def test_old_times_of_a_zone_are_refused(shop_slice: Slice) -> None:
    footer = SPARK_4 | OLD | {"org.apache.spark.timeZone": "Europe/Berlin"}
    with pytest.raises(RunFailed, match=r"old calendar, and in the zone Europe/Berlin"):
        calendar(shop_slice, footer)


HIDDEN = ("_temporary/0/b", ".staging/b", "_delta_log/b", "deep/_old/b", ".b", "_b")
"""Files that a source passes over in a folder."""


@pytest.mark.parametrize("path", ["ledger", "ledger/*", "ledger/**/[a-c]*.csv"])
def test_files_that_the_source_passes_over_are_no_truth(shop_slice: Slice, path: str) -> None:
    ledger = shop_slice.folder / "ledger"
    hidden = [name for name in HIDDEN if path == "ledger" or name.startswith(".")]
    for name in ("a", "_day=2/c", *hidden):
        file = ledger / f"{name}.csv"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"no\n{name}\n")
    shop_slice.sources["feed"] = {
        "kind": "csv", "path": ".", "tables": {"ledger": {"path": path}},
    }  # fmt: skip
    rows, _ = read(shop_slice, "SELECT no AS subject FROM feed.ledger ORDER BY 1")
    deeper = [] if path == "ledger/*" else ["_day=2/c"]
    assert [r["subject"] for r in rows] == [*deeper, "a"]


def test_a_link_to_nothing_is_no_truth(shop_slice: Slice) -> None:
    ledger = shop_slice.folder / "ledger"
    ledger.mkdir()
    (ledger / "a.csv").write_text("no\nA\n")
    (ledger / "b.csv").symlink_to(ledger / "elsewhere.csv")
    shop_slice.sources["feed"] = {
        "kind": "csv", "path": ".", "tables": {"ledger": {"path": "ledger"}},
    }  # fmt: skip
    with pytest.raises(
        ConfigurationError, match=r"truth of feed\.ledger: .*b\.csv is a link to no"
    ):
        read(shop_slice, "SELECT no AS subject FROM feed.ledger")


@pytest.mark.parametrize(
    ("content", "options", "error", "message"),
    [
        (b"no,no\nA,1\n", {}, RunFailed, "the header line names a column twice"),
        (b"n\xff,note\nA,1\n", {}, RunFailed, "the header line is not readable as utf-8"),
        (b'"no,note\nA,1\n', {}, RunFailed, "the header line is not readable"),
        (b"n\x00", {"encoding": "utf-16"}, RunFailed, "the truth of feed.releases cannot be read"),
        (b"", {}, ConfigurationError, "no such table: feed.releases"),
        (b"a\n1\n", {}, ConfigurationError, "no such column"),
        (b"no,note\n", {"tables": {"releases": {"path": "gone.csv"}}}, ConfigurationError,
         "gone.csv, which is not there"),
        (b"no,note\n", {"tables": {"releases": {}}}, ConfigurationError,
         "feed.releases needs the path of its file"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_read(
    shop_slice: Slice, content: bytes, options: Any, error: type[CutlineError], message: str
) -> None:
    csv(shop_slice, content, **options)
    with pytest.raises(error) as raised:
        read(shop_slice, ALL)
    assert message in raised.value.what


def test_parquet_that_is_none(shop_slice: Slice) -> None:
    (shop_slice.folder / "ledger.parquet").write_text("no Parquet")
    shop_slice.sources["feed"] = {
        "kind": "parquet", "path": ".", "tables": {"ledger": {"path": "ledger.parquet"}},
    }  # fmt: skip
    with pytest.raises(RunFailed, match=r"the truth of feed.ledger cannot be read from .*ledger"):
        read(shop_slice, "SELECT 1 AS subject FROM feed.ledger")


def feed_of_changes(shop_slice: Slice, **table: Any) -> None:
    changes = {"kind": "debezium", "path": "c.jsonl", "snapshot": {"policy": "in-log"}}
    shop_slice.sources["feed"] = {
        "kind": "log", "truth": "feed", "tables": {"releases": table}, "changes": changes,
    }  # fmt: skip


def test_the_truth_of_a_change_file_may_be_files_of_any_kind(shop_slice: Slice) -> None:
    folder = shop_slice.folder / "feed"
    folder.mkdir()
    feed_of_changes(shop_slice)
    for name, content in {
        "releases.csv": "no,note\nA,x\n",
        "releases.tsv": "no\tnote\nA\tx\n",
        "releases.jsonl": '{"no": "A", "note": "x"}\n',
    }.items():
        (folder / name).write_text(content)
        rows, loaded = read(shop_slice, ALL)
        assert rows == [{"subject": "A", "note": "x"}], name
        assert loaded == {"feed.releases": TruthLoad(rows=1, malformed=0)}
        (folder / name).unlink()
    (folder / "releases").mkdir()
    pq.write_table(pa.table({"no": ["A"], "note": ["x"]}), folder / "releases" / "1.parquet")
    assert read(shop_slice, ALL)[0] == [{"subject": "A", "note": "x"}]
    feed_of_changes(shop_slice, path="r.csv")
    (folder / "r.csv").write_text("no,note\nB,\n")
    assert read(shop_slice, ALL)[0] == [{"subject": "B", "note": None}]


def test_hidden_files_are_no_truth_of_a_change_file(shop_slice: Slice) -> None:
    releases = shop_slice.folder / "feed" / "releases"
    feed_of_changes(shop_slice)
    for name in ("a", *HIDDEN):
        file = releases / f"{name}.csv"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"no,note\n{name},\n")
    for path in (None, "releases"):
        feed_of_changes(shop_slice, **({"path": path} if path else {}))
        assert [r["subject"] for r in read(shop_slice, ALL)[0]] == ["a"], path


def test_a_folder_without_the_table_is_no_truth_of_a_change_file(shop_slice: Slice) -> None:
    (shop_slice.folder / "feed").mkdir()
    feed_of_changes(shop_slice)
    with pytest.raises(ConfigurationError, match="feed, which has no file of that table") as raised:
        read(shop_slice, ALL)
    assert "Put releases.csv there" in str(raised.value.next_step)
    (shop_slice.folder / "feed" / "r.txt").write_text("no,note\n")
    feed_of_changes(shop_slice, path="r.txt")
    with pytest.raises(ConfigurationError, match="whose name does not say what it is"):
        read(shop_slice, ALL)


def test_sources_that_no_query_mentions_are_left_alone(shop_slice: Slice) -> None:
    shop_slice.sources["feed"] = {"kind": "csv", "path": "gone", "tables": {"t": {"path": "gone"}}}
    assert read(shop_slice, "SELECT 'A' AS subject")[0] == [{"subject": "A"}]


def test_a_source_cannot_take_a_name_of_sqlite(shop_slice: Slice) -> None:
    shop_slice.sources["main"] = {"kind": "csv", "path": ".", "tables": {"t": {"path": "t"}}}
    with pytest.raises(ConfigurationError, match="SQLite keeps that name"):
        read(shop_slice, "SELECT 'A' AS subject FROM main.t")


def test_reals_keep_their_digits_and_types_may_change_on_the_way(shop_slice: Slice) -> None:
    sql = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
    SELECT i AS subject, CASE WHEN i = 100000 THEN 'text' WHEN i = 99999 THEN 0.1 + 0.2 ELSE i END
      AS note
    FROM n
    """
    rows, _ = read(shop_slice, sql)
    assert len(rows) == 100_000
    assert [r["note"] for r in rows[-3:]] == ["99998", "0.30000000000000004", "text"]


def test_a_table_of_another_file_is_not_seen(shop_slice: Slice) -> None:
    # Only what the project declares is read, however many files lie beside it.
    csv(shop_slice, b"no,note\nA,1\n")
    Path(shop_slice.folder / "feed" / "other.csv").write_text("no\nB\n")
    with pytest.raises(ConfigurationError, match=r"no such table: feed\.other"):
        read(shop_slice, "SELECT no AS subject FROM feed.other")
