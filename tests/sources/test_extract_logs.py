"""What an extract sees in a log, and a tail that is older than it may be."""

from __future__ import annotations

import json

import pyspark.sql.types as T
import pytest

from cutline.errors import RunFailed
from cutline.translator import SourceContract, column, table
from support.extracting import Extract, change, database, write


class Order(SourceContract):
    """One order."""

    order_no: T.StringType = column(doc="its number", nullable=False)
    status: T.StringType = column(doc="its status")

    class Config:
        metadata = table("erp", "orders", key=["order_no"])


def row(number, status="NEW"):
    return {"order_no": number, "status": status}


def erp(tmp_path, lines, **more):
    script = "CREATE TABLE orders(order_no TEXT PRIMARY KEY, status)"
    database(tmp_path / "erp.db", script, {"orders": [("1", "NEW")]})
    write(tmp_path / "changes.jsonl", "\n".join(lines))
    changes = {
        "kind": "debezium",
        "path": "changes.jsonl",
        "snapshot": {"policy": "exported-snapshot", "consistent_point": "1"},
        **more,
    }
    tables = {"orders": {}}
    sources = {"erp": {"kind": "sqlite", "path": "erp.db", "tables": tables, "changes": changes}}
    return Extract(tmp_path, sources, (Order,))


def test_what_is_seen_in_a_log_is_among_the_facts(spark, tmp_path):
    lines = [
        change("u", None, row("1", "B"), commit=100, row=100, at="2026-11-01T01:00:00+00:00"),
        change("c", None, row("2"), commit=200, row=200, at="2026-11-01T01:30:00+00:00"),
    ]
    facts = erp(tmp_path, lines).run(spark).result.stored()["facts"]
    logs = facts["logs"]["erp"]
    assert logs["changes"] == 2
    assert logs["tables"]["orders"] == {
        "partial": 1,
        "renames": 0,
        "rereads": 0,
        "unplaced": 0,
        "alone": 0,
        "again": 0,
        "out_of_order": 0,
        "generations": 1,
        "lasts": {},
    }
    assert (logs["first"][:20].lstrip("0"), logs["last"][:20].lstrip("0")) == ("100", "200")
    assert facts["extracts"]["erp"]["newest"] == "2026-11-01T01:30:00.000000Z"


def test_the_ends_of_a_topic_are_those_of_all_its_records(spark, tmp_path):
    # Of another table, and a tombstone: the topic reaches back as far as they do.
    lines = ["", change("c", None, row("9"), table="others"), change("c", None, row("2"))]
    frozen = {"policy": "kafka-offsets", "offsets": {0: 1}}
    facts = erp(tmp_path, lines, log="kafka", snapshot=frozen).run(spark).result.stored()["facts"]
    assert facts["extracts"]["erp"]["offsets"] == {"0": [2, 3]}


def bare(at):
    return json.dumps({"ts_ms": int(at.timestamp() * 1000)})


def with_schema(at):
    return json.dumps({"schema": {"type": "struct"}, "payload": json.loads(bare(at))})


def behind_its_key(at):
    return '{"serverName":"erp"}^' + bare(at)


def in_record(at):
    record = {"topic": "__debezium-heartbeat.erp", "partition": 0, "offset": 7, "ts": 1}
    return json.dumps(record | {"key": '{"serverName":"erp"}', "payload": bare(at)})


@pytest.mark.parametrize(
    ("allowed", "beats", "stale"),
    [
        ("PT45M", None, None),
        ("PT15M", None, "its watermark is 2026-11-01T01:30:00+00:00, 0:30:00 before the extract"),
        ("PT15M", [(bare, "2026-11-01T01:50:00Z")], None),
        ("PT15M", [(with_schema, "2026-11-01T01:50:00Z")], None),
        ("PT15M", [(behind_its_key, "2026-11-01T01:50:00Z")], None),
        ("PT15M", [(in_record, "2026-11-01T01:50:00Z")], None),
        (
            "PT5M",
            [(in_record, "2026-11-01T01:50:00Z"), (bare, "2026-11-01T01:40:00Z")],
            "its watermark is 2026-11-01T01:50:00+00:00",
        ),
        ("PT15M", [], "no heartbeat has come"),
    ],
)
def test_a_stale_watermark_stops_the_run_and_is_named(spark, tmp_path, allowed, beats, stale):
    import datetime as dt

    lines = [change("c", None, row("2"), commit=200, row=200, at="2026-11-01T01:30:00+00:00")]
    more = {"at_most_behind": allowed}
    if beats is not None:
        heartbeats = [beat(dt.datetime.fromisoformat(at)) for beat, at in beats]
        write(tmp_path / "beats.jsonl", "\n".join([*heartbeats, "rubbish", "{}"]))
        more["heartbeats"] = "beats.jsonl"
    extract = erp(tmp_path, lines, **more)
    if stale is None:
        assert extract.run(spark).result.rows_out == 2
        return
    with pytest.raises(RunFailed) as told_error:
        extract.run(spark)
    assert told_error.value.what.startswith(f"sources.erp.changes: the tail is stale: {stale}")
    assert "connector" in told_error.value.next_step


def test_no_change_and_no_heartbeat_is_stale_too(spark, tmp_path):
    with pytest.raises(RunFailed, match="there is no change, and no heartbeat is declared"):
        erp(tmp_path, [], at_most_behind="PT1H").run(spark)


def test_what_another_region_or_table_did_shows_that_the_connector_runs(spark, tmp_path):
    early, late = "2026-11-01T01:00:00+00:00", "2026-11-01T01:55:00+00:00"
    ours = change("c", None, row("2"), commit=100, row=100, at=early)
    others = change("c", None, row("9"), commit=200, row=200, at=late, table="others")
    # What a snapshot reads is as old as its row, not as the log.
    read = change("r", None, row("9"), commit=200, row=200, at=late, table="others")
    for n, lines in enumerate(([ours], [ours, read])):
        with pytest.raises(RunFailed, match="2026-11-01T01:00:00"):
            erp(tmp_path / str(n), lines, at_most_behind="PT15M").run(spark)
    assert erp(tmp_path, [ours, others], at_most_behind="PT15M").run(spark).result.rows_out == 2


EARLY, LATE = "2026-11-01T00:59:59+00:00", "2026-11-01T01:00:01+00:00"


@pytest.mark.parametrize(
    ("times", "line", "crossed"),
    [
        ((EARLY, LATE), {}, False),
        ((LATE, EARLY), {}, True),
        # Both lie in the zone, where nothing is taken for certain.
        ((LATE, EARLY), {"at": "2026-11-01T00:30:00Z", "until": "2026-11-01T01:30:00Z"}, False),
        # Before the line clocks may err: the snapshot shows both.
        ((LATE, EARLY), {"at": "2026-11-01T01:30:00Z"}, False),
    ],
)
def test_a_clock_that_runs_backwards_across_the_line_is_seen(spark, tmp_path, times, line, crossed):
    lines = [
        change("c", None, row(str(n + 2)), commit=100 * n + 100, row=100, at=at)
        for n, at in enumerate(times)
    ]
    snapshot = {"policy": "commit-timestamp", "at": "2026-11-01T01:00:00Z"} | line
    logs = (
        erp(tmp_path, lines, snapshot=snapshot).run(spark).result.stored()["facts"]["logs"]["erp"]
    )
    if not crossed:
        assert logs["crossed"] is None
        return
    (place, at), (other_place, later) = logs["crossed"]["before"], logs["crossed"]["after"]
    assert (place[:20].lstrip("0"), other_place[:20].lstrip("0")) == ("200", "100")
    assert (at, later) == ("2026-11-01T00:59:59.000000Z", "2026-11-01T01:00:01.000000Z")


def test_partitions_of_a_topic_have_no_common_order_that_a_clock_could_break(spark, tmp_path):
    write(tmp_path / "more.jsonl", change("c", None, row("3"), at=EARLY))
    snapshot = {"policy": "commit-timestamp", "at": "2026-11-01T01:00:00Z"}
    lines = [change("c", None, row("2"), at=LATE)]
    extract = erp(tmp_path, lines, path="*.jsonl", log="kafka", snapshot=snapshot)
    assert extract.run(spark).result.stored()["facts"]["logs"]["erp"]["crossed"] is None
