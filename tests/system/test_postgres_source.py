"""A whole run on PostgreSQL: the same rows from SQLite give the same timeline and state."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.extracting import change
from support.lending import LENDING, LIBRARY_1
from support.postgres_source import answer, run_sql
from support.whole_runs import run_here

pytestmark = pytest.mark.postgres

COLUMNS = "loan_no, member_no, book_no, status, taken_at, due_on, extended_at, back_at, fine_cents"
TYPES = (
    'loan_no text PRIMARY KEY, member_no varchar(20), book_no char(8), status "char",'
    " taken_at timestamptz, due_on date, extended_at timestamp, back_at timestamptz, fine_cents numeric(9)"
)
ROWS = """
SELECT 'L' || g, 'M' || g % 7, 'B' || g % 11, (ARRAY['O','L','B','T','M','B'])[g % 6 + 1]::"char",
  CASE g WHEN 5 THEN 'infinity' ELSE '2026-05-01 08:00+02'::timestamptz + g * interval '1 h 0.000001 s' END,
  '2026-06-01'::date + g, CASE WHEN g % 4 = 0 THEN '2026-05-20 10:00'::timestamp END,
  CASE WHEN g % 6 IN (2, 5) THEN '2026-05-25 12:00Z'::timestamptz END, NULLIF(g % 5, 0) * 100
FROM generate_series(1, 120) AS g
"""
TABLES = ("timeline", "state_loan", "dispositions", "verdicts", "breaks", "truth_loan")
OF_THE_RUN = {
    *(
        "migrunid",
        "migbatchid",
        "run_id",
        "recordedtime",
        "migextracttime",
        "raised_at",
        "exception_id",
        "payload",
    ),
}


def project(folder: Path, source: dict[str, Any], changes: str | None) -> Path:
    folder.mkdir()
    if changes is not None:
        (folder / "changes.jsonl").write_text(changes)
    document = {
        "version": 1,
        "name": "library",
        "topics": {"prefix": "library"},
        "sources": {
            "library": {"tables": {"loans": {}}, "extracted_at": "2026-11-01T02:00:00Z", **source}
        },
        "regions": {"all": {"everything": True}},
        "contexts": {
            "lending": {
                "translation": {"use": "library", "major": 1},
                "cut": {"policy": "commit-timestamp", "at": "2026-12-01T00:00:00Z"},
            }
        },
    }
    (folder / "cutline.yaml").write_text(yaml.safe_dump(document))
    return folder


@pytest.fixture
def library(monkeypatch):
    """The translation, as if its plugin were installed."""
    for module in ("runner", "past"):
        monkeypatch.setattr(f"cutline.run.{module}.choose_translation", lambda *_: LIBRARY_1)
    return LENDING


def rows(spark, outcome, table):
    frame = spark.read.parquet(f"{outcome.lake}/{table}")
    columns = [c for c in frame.columns if c not in OF_THE_RUN]
    return sorted(
        json.dumps(r.asDict(True), default=str, sort_keys=True)
        for r in frame.select(columns).collect()
    )


def loan_change(xid: int, number: int, status: str, commit: int) -> str:
    after = {
        "loan_no": f"L{number}",
        "member_no": f"M{number % 7}",
        "book_no": f"B{number % 11}",
        "status": status,
        "taken_at": "2026-05-01T08:00:00Z",
        "due_on": "2026-07-01",
        "extended_at": None,
        "back_at": "2026-10-30T08:00:00Z",
        "fine_cents": None,
    }
    record = json.loads(change("u", None, after, commit=commit, row=commit - 1, table="loans"))
    record["source"]["txId"] = xid
    return json.dumps(record) + "\n"


def test_the_same_rows_as_from_sqlite_and_the_cut_that_the_run_captured(
    spark, tmp_path, postgres_url, library, monkeypatch
):
    run_sql(
        postgres_url,
        "CREATE SCHEMA lib",
        f"CREATE TABLE lib.loans ({TYPES})",
        f"INSERT INTO lib.loans {ROWS}",
        "ANALYZE",
    )
    monkeypatch.setenv("LIBRARY_URL", postgres_url)
    ((last,),) = answer(postgres_url, "SELECT txid_current()")
    # The first of these the snapshot shows, so what it says is history already; the other it does not.
    changes = loan_change(last, 1, "O", 1000) + loan_change(last + 5000, 2, "B", 2000)
    tail = {"kind": "debezium", "path": "changes.jsonl"}
    source = {
        "kind": "postgresql",
        "url": "${LIBRARY_URL}",
        "schema": "lib",
        "limits": {"chunk_rows": 25},
        "changes": {**tail, "snapshot": {"policy": "transaction-visibility"}},
    }
    read = run_here(project(tmp_path / "server", source, changes), "lending", "all")
    assert read.unexplained == 0
    certificate = {
        row["obligation"]: (row["status"], row["by"])
        for row in spark.read.parquet(f"{read.lake}/certificate").collect()
    }
    position = read.record.inputs["positions"]["library.snapshot"]
    visible = json.loads(position.removeprefix("postgresql:"))["visible"]
    status, by = certificate["O1"]
    assert status == "proven"
    assert f"locked against a TRUNCATE before the snapshot {visible}" in by
    assert "120 rows in 5 chunks" in by
    assert '"loan_no" < \'' in by
    assert certificate["O2"] == (
        "proven",
        "the change file holds 1 change that the snapshot shows already",
    )
    assert certificate["O4"][0] == "proven"
    assert not list(Path(read.lake).parent.glob("_chunks*"))

    texts = ", ".join(f"{name.strip()}::text" for name in COLUMNS.split(","))
    copied = answer(postgres_url, f"SELECT {texts} FROM lib.loans")
    copy = project(
        tmp_path / "copy",
        {
            "kind": "sqlite",
            "path": "library.db",
            "changes": {
                **tail,
                "snapshot": {"policy": "transaction-visibility", "visible": visible},
            },
        },
        changes,
    )
    with sqlite3.connect(copy / "library.db") as database:
        database.execute(f"CREATE TABLE loans ({COLUMNS})")
        database.executemany(f"INSERT INTO loans VALUES ({', '.join('?' * 9)})", copied)
    database.close()
    from_sqlite = run_here(copy, "lending", "all")
    for table in TABLES:
        mine = rows(spark, read, table)
        assert mine == rows(spark, from_sqlite, table), table
        assert mine or table == "breaks"
