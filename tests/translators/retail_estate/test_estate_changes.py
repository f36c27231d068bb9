"""The change file fits both databases of the ERP, and has what makes a cut hard."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from cutline.positions import PgSnapshot
from support.legacy_answers import changes, opened

CUT_MS, EXTRACT_MS = 1793512800000, 1793498400000
KEYS = {"orders": ("order_no",), "order_lines": ("order_no", "line_no")}


def last_commit(change: dict[str, Any]) -> int:
    """Where the transaction before committed, as PostgreSQL's connector tells it."""
    return int(json.loads(change["source"]["sequence"])[0] or 0)


def snapshot(folder: Path) -> PgSnapshot:
    section = yaml.safe_load((folder / "cutline.yaml").read_text())["sources"]["erp"]
    return PgSnapshot.parse(section["changes"]["snapshot"]["visible"])


def rows(folder: Path, database: str, table: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    cursor = opened(folder).execute(f"SELECT * FROM {database}.{table}")
    names = [d[0] for d in cursor.description]
    records = (dict(zip(names, row, strict=True)) for row in cursor)
    return {tuple(row[k] for k in KEYS[table]): row for row in records}


@pytest.mark.parametrize("size", ["estate", "small_estate"])
@pytest.mark.parametrize("table", ["orders", "order_lines"])
def test_extract_and_changes_make_the_erp_at_the_cut(
    size: str, table: str, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue(size)
    image, pg_snapshot = rows(folder, "extract", table), snapshot(folder)
    applied = 0
    for change in changes(folder):
        if change["source"]["table"] != table:
            continue
        key = tuple(change["after"][k] for k in KEYS[table])
        if pg_snapshot.sees(change["source"]["txId"]):
            assert image[key] == change["after"]
            continue
        if change["source"]["ts_ms"] <= CUT_MS:
            assert image.get(key) == change["before"]
            assert (change["op"] == "c") == (change["before"] is None)
            image[key] = change["after"]
            applied += 1
    assert image == rows(folder, "erp", table)
    assert applied > 20


@pytest.mark.parametrize("size", ["estate", "small_estate"])
def test_positions(size: str, request: pytest.FixtureRequest) -> None:
    folder = request.getfixturevalue(size)
    records, pg_snapshot = changes(folder), snapshot(folder)
    assert [last_commit(c) for c in records] == sorted(last_commit(c) for c in records)
    assert json.loads(records[0]["source"]["sequence"])[0] is None
    by_transaction: dict[int, set[int]] = {}
    for change in records:
        lsn = change["source"]["lsn"]
        assert json.loads(change["source"]["sequence"])[1] == str(lsn)
        by_transaction.setdefault(change["source"]["txId"], set()).add(last_commit(change))
        visible = change["source"]["ts_ms"] < EXTRACT_MS
        assert visible == pg_snapshot.sees(change["source"]["txId"])
    assert all(len(commits) == 1 for commits in by_transaction.values())
    assert len({c["source"]["lsn"] for c in records}) == len(records)
    # One was in progress while the extract was taken, and began before others that it saw.
    (torn,) = pg_snapshot.xip
    assert torn in by_transaction
    assert [xid for xid in by_transaction if torn < xid and pg_snapshot.sees(xid)]


@pytest.mark.parametrize("size", ["estate", "small_estate"])
def test_what_happens_around_the_cut(size: str, request: pytest.FixtureRequest) -> None:
    folder = request.getfixturevalue(size)
    records, pg_snapshot = changes(folder), snapshot(folder)
    live_changes = [c for c in records if not pg_snapshot.sees(c["source"]["txId"])]
    after = [c for c in live_changes if c["source"]["ts_ms"] > CUT_MS]
    assert len(records) > len(live_changes)
    assert after
    assert {c["op"] for c in after} == {"u"}
    assert {c["op"] for c in live_changes} == {"c", "u"}
    assert not [c for c in records if c["source"]["ts_ms"] == CUT_MS]
    orders = [c for c in live_changes if c["source"]["table"] == "orders"]
    ways = {(c["before"]["status"], c["after"]["status"]) for c in orders if c["before"]}
    assert ways >= {
        ("NEW", "BOOKED"),
        ("BOOKED", "ALLOCATED"),
        ("ALLOCATED", "RELEASED"),
        ("RELEASED", "CLOSED"),
        ("NEW", "CANCL"),
        ("NEW", "ALLOCATED"),
    }
    late = [c for c in orders if (c["after"]["cancelled_at"] or "9") < "2026-11-01T01"]
    assert late, "a cancellation of the day before, keyed in at night"


def test_bundles_are_not_touched_at_night_but_by_new_orders(estate: Path) -> None:
    touched = [
        c
        for c in changes(estate)
        if c["source"]["table"] == "order_lines"
        and c["after"]["sku"].startswith("BND-")
        and c["op"] == "u"
    ]
    assert touched
    assert all(c["after"]["ordered_at"] >= "2026-11-01T05" for c in touched)
    assert all(c["after"]["line_status"] == "ALLOCATED" for c in touched)
