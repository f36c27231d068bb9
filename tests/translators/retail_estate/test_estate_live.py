"""The live topics: native events that repeat the ERP's, newer ones, and two that nobody can use."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import cutline_domains.fulfilment as fulfilment
from cutline.topics.murmur2 import partition
from cutline_translators.estate.live import PARTITIONS
from support.legacy_answers import REGIONS, changes

CUT = "2026-11-01T06:00:00.000000Z"


def records(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    """(aggregate, record) of every line that is JSON."""
    pairs = []
    for path in sorted(folder.glob("topics/retail.fulfilment.*.live/*.jsonl")):
        for line in path.read_text().splitlines():
            if line.endswith("}"):
                record = json.loads(line)
                assert path.stem == f"{record['partition']:05d}"
                pairs.append((path.parent.name.split(".")[2], record))
    return pairs


@pytest.mark.parametrize("size", ["estate", "small_estate"])
def test_records_are_events_of_the_domain(size: str, request: pytest.FixtureRequest) -> None:
    folder = request.getfixturevalue(size)
    kinds: Counter[str] = Counter()
    aggregates = {
        a.name: {e.__name__: e for e in a.events} for a in fulfilment.FULFILMENT.aggregates
    }
    ids, offsets = set(), Counter()
    for aggregate, record in records(folder):
        headers = record["headers"]
        kinds[headers["ce_type"]] += 1
        if headers["ce_type"] != "CustomerMessaged":
            event = aggregates[aggregate][headers["ce_type"]]
            assert json.loads(event.model_validate(record["value"]).model_dump_json()).keys() == (
                record["value"].keys()
            )
        assert record["key"] == headers["ce_subject"] == headers["ce_partitionkey"]
        assert record["partition"] == partition(record["key"], PARTITIONS)
        assert headers["ce_migregion"] in REGIONS
        assert "ce_migfactkey" not in headers
        assert list(record["value"]) == sorted(record["value"])
        place = (aggregate, record["partition"])
        assert record["offset"] == offsets[place]
        offsets[place] += 1
        ids.add(headers["ce_id"])
    assert len(ids) == sum(kinds.values())
    assert kinds["CustomerMessaged"] == 1
    assert set(kinds) == {
        "OrderPlaced",
        "LineOrdered",
        "LineAllocated",
        "InventoryReserved",
        "CustomerMessaged",
    }
    lines = [
        line
        for path in folder.glob("topics/*.live/*.jsonl")
        for line in path.read_text().splitlines()
    ]
    assert len(lines) == sum(kinds.values()) + 1, "one line is cut off"


@pytest.mark.parametrize("size", ["estate", "small_estate"])
def test_the_last_hour_is_told_twice(size: str, request: pytest.FixtureRequest) -> None:
    folder = request.getfixturevalue(size)
    new = {
        c["after"]["order_no"]: c["after"]
        for c in changes(folder)
        if c["source"]["table"] == "orders" and c["op"] == "c"
    }
    overlapping, newer = {}, []
    for _, record in records(folder):
        if record["headers"]["ce_type"] != "OrderPlaced":
            continue
        if record["headers"]["ce_time"] > CUT:
            newer.append(record["key"])
        else:
            overlapping[record["key"]] = record
    assert set(overlapping) == {n for n, row in new.items() if row["ordered_at"] >= "2026-11-01T05"}
    for number, record in overlapping.items():
        row, payload = new[number], record["value"]
        assert payload["placed_at"] == row["ordered_at"].replace("Z", ".000000Z")
        assert payload["total_cents"] == row["total_cents"]
        assert (payload["channel"], payload["customer_no"]) == (row["channel"], row["customer_no"])
        assert record["headers"]["ce_migregion"] == row["region"]
        assert record["headers"]["ce_time"] > payload["placed_at"]
    assert newer
    assert not set(newer) & set(new)


def test_lines_and_reservations_are_told_twice(estate: Path) -> None:
    ordered, reserved = {}, set()
    for change in changes(estate):
        row = change["after"]
        if change["source"]["table"] == "order_lines" and row["ordered_at"] >= "2026-11-01T05":
            subject = f"{row['order_no']}/{row['line_no']}"
            ordered[subject] = row
            if row["line_status"] == "ALLOCATED":
                reserved.add(subject)
    announced, allocated, components = set(), set(), set()
    for _, record in records(estate):
        kind, payload = record["headers"]["ce_type"], record["value"]
        subject = f"{payload.get('order_no')}/{payload.get('line_no')}"
        if kind == "LineOrdered" and record["headers"]["ce_time"] <= CUT:
            row = ordered[subject]
            assert (payload["sku"], payload["quantity"], payload["region"]) == (
                row["sku"],
                row["quantity"],
                row["region"],
            )
            bundle = row["sku"].startswith("BND-")
            assert bundle or payload["needs"] == [{"quantity": 1, "sku": row["sku"]}]
            assert not bundle or len(payload["needs"]) > 1
            announced.add(subject)
        elif kind == "LineAllocated":
            allocated.add(subject)
        elif kind == "InventoryReserved":
            components.add(subject)
            assert record["key"] == f"{payload['region']}/{payload['sku']}"
            assert not payload["sku"].startswith("BND-")
    assert announced == set(ordered)
    assert allocated == components == reserved
