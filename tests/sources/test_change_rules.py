"""What a change file may hold beside plain changes, and what stops a run: one small file each."""

from __future__ import annotations

import dataclasses
import json

import pyspark.sql.types as T
import pytest

from cutline.errors import RunFailed
from cutline.positions import PostgresPosition
from cutline.translator import SourceContract, column, table
from support.extracting import Extract, change, write


class Order(SourceContract):
    """One order."""

    order_no: T.LongType = column(doc="its number", nullable=False)
    status: T.StringType = column(doc="its status")

    class Config:
        metadata = table("erp", "orders", key=["order_no"])


TOAST = "__debezium_unavailable_value"


def order(number, status="NEW", **more):
    return {"order_no": number, "status": status} | more


def record(value, offset, partition=0, key=None, headers=()):
    """A line of `kcat -J`."""
    payload = value if value is None or isinstance(value, str) else json.dumps(value)
    fields = {"topic": "erp.public.orders", "partition": partition, "offset": offset}
    fields |= {"tstype": "create", "ts": 1, "headers": list(headers)}
    key_text = None if key is None else json.dumps({"schema": None, "payload": {"order_no": key}})
    return json.dumps(fields | {"key": key_text, "payload": payload})


def header(name, number):
    return f"__debezium.{name}", json.dumps({"schema": None, "payload": {"order_no": number}})


def begin(xid, lsn=1):
    return json.dumps({"status": "BEGIN", "id": f"{xid}:{lsn}"})


def end(xid, lsn, **events):
    fields = [{"data_collection": f"public.{t}", "event_count": n} for t, n in events.items()]
    whole = {"status": "END", "id": f"{xid}:{lsn}", "event_count": sum(events.values())}
    return json.dumps(whole | {"data_collections": fields})


def in_transaction(xid, number, of_table=None):
    fields = {"id": f"{xid}:1", "total_order": number, "data_collection_order": of_table or number}
    return {"transaction": fields}


def streamed(op, before, after, xid, *, commit=None, row=1, number=1, **more):
    """A change of a transaction with metadata; its `commit` is that of the one before."""
    fields = in_transaction(xid, number)
    line = change(op, before, after, commit=commit, row=row, **fields, **more)
    fields = json.loads(line)
    fields["source"]["txId"] = xid
    return json.dumps(fields)


def erp(tmp_path, lines, others=None, **section):
    text = b"\n".join(one if isinstance(one, bytes) else one.encode() for one in lines)
    write(tmp_path / "changes.jsonl", text)
    changes = {"kind": "debezium", "path": "changes.jsonl", "snapshot": {"policy": "in-log"}}
    if others is not None:
        write(tmp_path / "boundaries.jsonl", "\n".join(others))
        changes["transactions"] = "boundaries.jsonl"
    source = {"kind": "log", "tables": {"orders": {}}, "changes": changes | section}
    return Extract(tmp_path, {"erp": source}, (Order,))


def facts(extracted):
    extract_facts = extracted.result.stored()["facts"]["extracts"]["erp"]
    log_table = extracted.result.stored()["facts"]["logs"]["erp"]["tables"]["orders"]
    return {"transactions": extract_facts["transactions"]} | {
        n: log_table[n] for n in ("renames", "partial", "unplaced")
    }


def place(*numbers):
    return PostgresPosition(*numbers).text


def test_a_row_of_the_connectors_snapshot_keeps_the_time_at_which_it_was_read(spark, tmp_path):
    unknown = json.loads(change("r", None, order(3), commit=None, row=10))
    unknown["source"]["ts_ms"] = 0
    lines = [
        change("r", None, order(1), commit=None, row=10, at="2026-10-31T22:15:00+00:00"),
        json.dumps(unknown),
        change("c", None, order(2), commit=20, row=31, at="2026-10-31T23:00:00+00:00"),
    ]
    columns = ("key", "cast(extract_time as string)", "cast(source_time as string)", "defects")
    assert erp(tmp_path, lines).run(spark).rows("erp_orders", *columns) == [
        ("[1]", "2026-10-31 22:15:00", None, []),
        ("[2]", "2026-11-01 02:00:00", "2026-10-31 23:00:00", []),
        ("[3]", "2026-11-01 02:00:00", None, []),
    ]


def test_records_tell_their_partition_and_offset_and_a_key_that_changed_is_one_row(spark, tmp_path):
    lines = [
        "/*",
        " * A licence.",
        " */",
        "",
        record(json.loads(change("c", None, order(1), commit=None, row=10)), 70, 0, key=1),
        record(
            json.loads(change("c", None, order(2), commit=20, row=31)),
            *(5, 1, 2, header("oldkey", 1)),
        ),
        record(
            {"schema": {}, "payload": json.loads(change("d", order(1), None, commit=20, row=30))},
            *(71, 0, 1, header("newkey", 2)),
        ),
        record(None, 72, 0, key=1),
        record(
            json.loads(change("d", order(8), None, commit=40, row=41)),
            *(73, 0, 8, header("newkey", 9)),
        ),
        '{"order_no": 3}^' + change("d", None, None, commit=50, row=51),
        '{"order_no": 3}^',
        '{"order_no": 3}^null',
        json.dumps({"order_no": 4}) + "^" + change("c", None, order(4, "a^{b"), commit=60, row=61),
    ]
    extracted = erp(tmp_path, lines).run(spark)
    assert extracted.rows(
        "erp_orders",
        *("op", "key", "old_key", "before.status", "after.order_no", "partition", "offset"),
        *("position", "commit", "defects"),
    ) == sorted(
        [
            ("c", "[1]", None, None, 1, 0, 70, place(0, 10, 0), None, []),
            ("u", "[2]", "[1]", "NEW", 2, 1, 5, place(20, 31, 0), None, []),
            ("d", "[8]", None, "NEW", None, 0, 73, place(40, 41, 0), None, ["half-a-key-change"]),
            ("d", "[3]", None, None, None, 0, 10, place(50, 51, 0), None, []),
            ("c", "[4]", None, None, 4, 0, 13, place(60, 61, 0), None, []),
        ],
        key=repr,
    )
    assert extracted.result.rows_in == 6
    assert extracted.result.rows_out == 5
    assert extracted.result.stored()["facts"]["tombstones"] == 3
    assert extracted.result.stored()["facts"]["ignored"] == 4
    assert facts(extracted) == {
        "transactions": "assumed",
        "renames": 1,
        "partial": 1,
        "unplaced": 0,
    }


def test_a_key_change_across_partitions_is_none_where_offsets_are_the_order(spark, tmp_path):
    def half(op, number, place, to, name):
        before, after = (order(number), None) if op == "d" else (None, order(number))
        fields = json.loads(change(op, before, after, commit=20, row=30))
        return record(fields, *place, number, header(name, to))

    lines = [
        half("d", 1, (5, 0), 2, "newkey"),
        half("c", 2, (9, 1), 1, "oldkey"),
        half("d", 3, (6, 0), 4, "newkey"),
        half("c", 4, (7, 0), 3, "oldkey"),
    ]
    extracted = erp(tmp_path, lines, log="kafka").run(spark)
    assert extracted.rows("erp_orders", "op", "key", "old_key", "defects") == [
        ("c", "[2]", None, ["half-a-key-change"]),
        ("d", "[1]", None, ["half-a-key-change"]),
        ("u", "[4]", "[3]", []),
    ]


def test_what_an_image_does_not_tell_is_unknown_and_not_null(spark, tmp_path):
    incremental = json.loads(change("r", None, order(9), commit=None, row=10))
    incremental["source"] |= {"snapshot": "incremental", "sequence": None, "lsn": None}
    lines = [
        change("u", order(1, TOAST), order(1, "B"), row=1),
        change("u", order(2), order(2, TOAST), row=2),
        change("u", order(3), order(3, "X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=="), row=3),
        change("d", {"order_no": 4}, None, row=4),
        change("d", order(5, TOAST), None, row=5),
        json.dumps(incremental),
    ]
    extracted = erp(tmp_path, lines).run(spark)
    assert extracted.rows(
        "erp_orders", "op", "key", "before.status", "after.status", "unknown", "defects"
    ) == sorted(
        [
            ("u", "[1]", None, "B", None, []),
            ("u", "[2]", "NEW", None, ["status"], []),
            ("u", "[3]", "NEW", None, ["status"], []),
            ("d", "[4]", None, None, None, []),
            ("d", "[5]", None, None, None, []),
            ("r", "[9]", None, "NEW", None, []),
        ],
        key=repr,
    )
    assert facts(extracted) == {
        "transactions": "assumed",
        "renames": 0,
        "partial": 5,
        "unplaced": 1,
    }


def test_what_cannot_be_read_has_the_key_that_the_record_tells(spark, tmp_path):
    """So that nothing behind it is filled from before it."""
    spoiled = change("u", order(1), order(1, "B"), row=2).encode().replace(b'"B"', b'"\xff"')
    lines = [
        '{"order_no": 1}^' + change("c", None, order(1), row=1),
        b'{"order_no": 1}^' + spoiled,
        '{"order_no": 1}^' + change("u", None, order(1, TOAST), row=3),
        change("u", order(2), None, row=4),
        # Of a payload alone that is not in the encoding nothing is sure.
        spoiled,
    ]
    extracted = erp(tmp_path, lines).run(spark)
    assert extracted.rows("erp_orders", "offset", "op", "key", "defects", "unknown") == [
        (1, "c", "[1]", [], None),
        (2, "u", "[1]", ["not-in-encoding"], None),
        (3, "u", "[1]", [], ["status"]),
        (4, "u", "[2]", ["no-after"], None),
        (5, "u", None, ["not-in-encoding"], None),
    ]


def test_where_no_record_tells_its_partition_files_follow_one_another(spark, tmp_path):
    write(tmp_path / "changes-1.jsonl", change("c", None, order(1), row=1))
    write(tmp_path / "changes-2.jsonl", change("u", order(1), order(1, "B"), row=2))
    bare = erp(tmp_path, [], path="changes-*.jsonl").run(spark)
    assert bare.result.stored()["facts"]["logs"]["erp"]["in_line"]
    fields = record(json.loads(change("c", None, order(1), row=1)), 7, 1, key=1)
    (tmp_path / "other").mkdir()
    enveloped = erp(tmp_path / "other", [fields]).run(spark)
    assert not enveloped.result.stored()["facts"]["logs"]["erp"]["in_line"]


def test_nulls_of_a_key_only_image_are_no_values(spark, tmp_path):
    lines = [
        change("u", order(1, None), order(1, "B"), row=1),
        change("d", order(1, None), None, row=2),
    ]
    extracted = erp(tmp_path, lines, replica_identity="default").run(spark)
    assert extracted.rows("erp_orders", "op", "key", "before", "after.status", "defects") == [
        ("d", "[1]", None, None, []),
        ("u", "[1]", None, "B", []),
    ]


def test_what_is_delivered_again_has_the_position_that_it_had(spark, tmp_path):
    """Also where nothing tells the row's number in its transaction."""
    lines = [
        change("u", order(1), order(1, "B"), commit=20, row=31),
        change("u", order(1, "B"), order(1, "C"), commit=20, row=32),
    ]
    extracted = erp(tmp_path, [*lines, *lines]).run(spark)
    assert extracted.rows("erp_orders", "position", "offset") == [
        (place(20, 31, 0), 1),
        (place(20, 31, 0), 3),
        (place(20, 32, 0), 2),
        (place(20, 32, 0), 4),
    ]


def test_ends_of_transactions_tell_where_they_were_committed(spark, tmp_path):
    lines = [
        streamed("c", None, order(1), 700, row=30, number=1),
        streamed("u", order(1), order(1, "B"), 700, row=32, number=2),
        streamed("c", None, order(2), 699, commit=40, row=31),
        # Delivered again after a restart, and the last one without its end.
        streamed("c", None, order(2), 699, commit=40, row=31),
        streamed("c", None, order(3), 701, commit=60, row=70),
    ]
    others = [begin(700), end(700, 40, orders=2), begin(699), end(699, 60, orders=1), begin(701)]
    extracted = erp(tmp_path, lines, others).run(spark)
    assert extracted.rows("erp_orders", "position", "commit", "key", "op", "defects") == sorted(
        [
            (place(40, 30, 1), f"{40:020d}", "[1]", "c", []),
            (place(40, 32, 2), f"{40:020d}", "[1]", "u", []),
            (place(60, 31, 1), f"{60:020d}", "[2]", "c", []),
            (place(60, 31, 1), f"{60:020d}", "[2]", "c", []),
            (None, None, "[3]", "c", ["transaction-unfinished"]),
        ],
        key=repr,
    )
    assert facts(extracted) == {"transactions": "told", "renames": 0, "partial": 0, "unplaced": 1}


def unended():
    return [
        streamed("c", None, order(1), 700, row=30),
        streamed("c", None, order(2), 701, commit=40, row=50),
        end(701, 60, orders=1),
    ]


def with_schema_change(name, of):
    changed = {"type": of, "id": f'"public"."{name}"'}
    return json.dumps({"source": {"db": "erp"}, "ddl": "…", "tableChanges": [changed]})


def maxwell(number, last=False, **more):
    fields = {"database": "erp", "table": "orders", "type": "insert", "ts": 1, "xid": 7}
    place_ = {"commit": True} if last else {"xoffset": number}
    return json.dumps(fields | place_ | {"data": order(number)} | more)


ELSEWHERE = {"public": 1, "old": 3}


@pytest.mark.parametrize(
    ("section", "lines", "line", "words"),
    [
        ({}, [change("c", None, order(1))[:90]], 1, "It is the last line of the file"),
        ({}, ['{"op": "c"}'], 1, "a change has `op` and `source.table`"),
        ({"kind": "canal"}, ['{"data":[{"k":"1"}],"type":"INSERT"}'], 1, "its rows in `data`"),
        ({"kind": "ogg"}, ['{"op_type":"I"}'], 1, "`op_type` and `table`"),
        ({"kind": "dms"}, ['{"data":{}}'], 1, "`record-type`, `operation`"),
        ({}, [with_schema_change("orders", "ALTER")], 1, "another structure"),
        (
            {"kind": "maxwell"},
            [maxwell(0, True), maxwell(0, type="table-alter")],
            2,
            "another structure",
        ),
        ({"kind": "ogg"}, ['{"op_type":"T","table":"E.orders","pos":"1"}'], 1, "truncates table"),
        (
            {},
            [
                change("c", None, order(1), commit=30, row=40),
                change("c", None, order(2), commit=10, row=20),
            ],
            2,
            "goes back in the log",
        ),
        (
            {},
            [
                streamed("c", None, order(1), 700, number=1),
                streamed("c", None, order(2), 700, number=4),
            ],
            None,
            "transaction 700 of table 'orders' lacks the rows numbered 2, 3: its rows are numbered "
            "from 1 to 4",
        ),
        (
            {},
            [streamed("c", None, order(1), 700, number=1), end(700, 40, orders=3)],
            None,
            "transaction 700 of table 'orders' lacks the rows numbered 2, 3",
        ),
        (
            {},
            [
                streamed("c", None, {"id": 1}, 700, number=1, table="lines"),
                end(700, 40, lines=1, orders=2),
            ],
            None,
            "transaction 700 changed 2 rows of table 'public.orders', and none of them is there",
        ),
        (
            {"kind": "maxwell"},
            [maxwell(0), maxwell(2), maxwell(3, True)],
            None,
            "lacks the row numbered 1:",
        ),
        ({}, unended(), 1, "transaction 700 of table 'orders' has no end"),
        (
            {},
            [begin(700), begin(800), streamed("c", None, order(8), 800), end(800, 40, orders=1)],
            1,
            "transaction 700, which begins here, has no end",
        ),
        ({"kind": "canal"}, ['{"type":"ALTER","table":"orders","isDdl":false}'], 1, "structure"),
    ],
)
def test_what_leaves_open_what_happened_stops_the_run(spark, tmp_path, section, lines, line, words):
    with pytest.raises(RunFailed) as raised:
        erp(tmp_path, lines, **section).run(spark)
    assert words in raised.value.what
    if line is not None:
        assert f"changes.jsonl, line {line}: " in raised.value.what
    assert raised.value.next_step
    assert not (tmp_path / "lake" / "eu" / "changes_erp_orders").exists()


def test_a_table_of_the_same_name_in_another_schema_is_another_table(spark, tmp_path):
    fields = [{"data_collection": f"{s}.orders", "event_count": n} for s, n in ELSEWHERE.items()]
    end_of_both = json.loads(end(701, 50)) | {"data_collections": fields}
    lines = [
        streamed("c", None, order(1), 700, number=1),
        end(700, 40, orders=1),
        # Of this one, what changed in `orders` is in a file of the other schema.
        streamed("c", None, order(2), 701, number=1, commit=50, row=50),
        json.dumps(end_of_both),
        streamed("c", None, {"id": 1}, 702, number=1, commit=60, row=60, table="lines"),
        end(702, 60, lines=1).replace(
            "]", ', {"data_collection": "old.orders", "event_count": 4}]'
        ),
    ]
    assert erp(tmp_path, lines).run(spark).rows("erp_orders", "key") == [("[1]",), ("[2]",)]


def test_what_concerns_other_tables_or_none_is_passed_over(spark, tmp_path):
    lines = [
        with_schema_change("stock", "ALTER"),
        with_schema_change("orders", "CREATE"),
        change("t", None, None, table="stock"),
        change("c", None, order(1), row=1),
    ]
    extracted = erp(tmp_path, lines).run(spark)
    assert extracted.result.stored()["facts"]["ignored"] == 3
    assert extracted.rows("erp_orders", "key", "defects") == [("[1]", [])]


def test_golden_gate_updates_may_hold_only_what_changed(spark, tmp_path):
    fields = {"table": "ERP.orders", "op_ts": "2026-11-01 03:00:00"}
    lines = [
        json.dumps(fields | {"pos": "1", "op_type": "I", "after": order(1)}),
        json.dumps(fields | {"pos": "2", "op_type": "U", "after": {"order_no": 1}}),
        json.dumps(
            fields
            | {"pos": "3", "op_type": "U", "before": order(1), "after": order(2), "csn": None}
        ),
    ]
    extracted = erp(tmp_path, lines, kind="ogg").run(spark)
    assert extracted.rows("erp_orders", "op", "key", "old_key", "unknown", "defects") == [
        ("c", "[1]", None, None, []),
        ("u", "[1]", None, ["status"], []),
        ("u", "[2]", "[1]", None, []),
    ]
    mixed = [lines[0], json.dumps(json.loads(lines[1]) | {"csn": "77"})]
    with pytest.raises(RunFailed, match="1 of 2 changes tell the number of their commit"):
        erp(tmp_path, mixed, kind="ogg").run(spark)


def test_golden_gate_rows_of_a_transaction_share_its_commit_without_a_number_of_it(spark, tmp_path):
    def at(place, xid, table, row):
        fields = {"op_type": "I", "op_ts": "2026-11-01 03:00:00", "pos": str(place), "xid": xid}
        return json.dumps(fields | {"table": f"ERP.{table}", "after": row})

    lines = [
        at(1, "6.9.1", "orders", order(1)),
        at(2, "6.9.1", "orders", order(2)),
        at(3, "6.9.1", "stock", {"sku": "A"}),
        at(4, "6.9.2", "orders", order(3)),
        at(5, None, "orders", order(4)),
        at(6, None, "orders", order(5)),
    ]
    extracted = erp(tmp_path, lines, kind="ogg").run(spark)
    commits = [(key, int(commit)) for key, commit in extracted.rows("erp_orders", "key", "commit")]
    assert commits == [("[1]", 3), ("[2]", 3), ("[3]", 4), ("[4]", 5), ("[5]", 6)]


class Tagged(SourceContract):
    """One order with what was written about it."""

    order_no: T.LongType = column(doc="its number", nullable=False)
    tags: T.ArrayType(T.StringType()) = column(doc="short words")
    notes: T.MapType(T.StringType(), T.StringType()) = column(doc="by who wrote them")

    class Config:
        metadata = table("erp", "orders", key=["order_no"])


def test_columns_of_a_log_may_be_arrays_and_maps(spark, tmp_path):
    lines = [
        change("c", None, {"order_no": 1, "tags": ["a", "b"], "notes": {"me": "x"}}, row=1),
        change("c", None, {"order_no": 2, "tags": [], "notes": None}, row=2),
        change("c", None, {"order_no": 3, "tags": "a", "notes": {}}, row=3),
    ]
    extracted = dataclasses.replace(erp(tmp_path, lines), contracts=(Tagged,)).run(spark)
    assert extracted.rows("erp_orders", "key", "after.tags", "after.notes", "defects") == [
        ("[1]", ["a", "b"], {"me": "x"}, []),
        ("[2]", [], None, []),
        ("[3]", None, {}, ["wrong-type:tags"]),
    ]
