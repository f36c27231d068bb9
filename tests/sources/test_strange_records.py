"""Records that say less, or say it otherwise, than a reader hopes: none is passed over in silence."""

from __future__ import annotations

import base64
import json

import pyspark.sql.types as T
import pytest

from cutline.errors import RunFailed
from cutline.translator import SourceContract, column, table
from support.extracting import Extract, change, write

PLACEHOLDER = "__debezium_unavailable_value"
BASE64 = "X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=="
HEX = "5f5f646562657a69756d5f756e617661696c61626c655f76616c7565"
SCALED = [
    {"scale": 0, "value": base64.b64encode(bytes([byte])).decode()} for byte in PLACEHOLDER.encode()
]
UUID = "b68a35a7-17ad-35b3-af2a-ae46edb4545a"


class Part(SourceContract):
    """One part."""

    id: T.IntegerType = column(doc="its number", nullable=False)
    name: T.StringType = column(doc="its name")

    class Config:
        metadata = table("shop", "parts", key=["id"])


class Tool(SourceContract):
    """One tool, with columns whose names begin as those of images before do."""

    id: T.IntegerType = column(doc="its number", nullable=False)
    BI_TOOL: T.StringType = column(doc="a tool for business intelligence")
    name: T.StringType = column(doc="its name")

    class Config:
        metadata = table("shop", "tools", key=["id"])


class Specimen(SourceContract):
    """One thing, with a column of each type that a log may leave out."""

    id: T.IntegerType = column(doc="its number", nullable=False)
    value: T.StringType = column(doc="whatever it is, as text")
    texts: T.ArrayType(T.StringType()) = column(doc="an array")
    pairs: T.MapType(T.StringType(), T.StringType()) = column(doc="an hstore")

    class Config:
        metadata = table("shop", "things", key=["id"])


def extracted(spark, folder, contract, lines, **changes):
    text = b"\n".join(one if isinstance(one, bytes) else one.encode() for one in lines)
    write(folder / "changes.json", text)
    section = {"path": "changes.json", "snapshot": {"policy": "in-log"}} | changes
    name = contract.table()
    sources = {"shop": {"kind": "log", "tables": {name: {}}, "changes": section}}
    return Extract(folder, sources, (contract,)).run(spark)


def canal(type_, data=None, old=None, **more):
    record = {"data": data, "old": old, "type": type_, "database": "shop", "table": "parts"}
    return json.dumps(record | {"es": 1788256800000, "isDdl": False} | more)


def dms(operation, data, **more):
    record = {"record-type": "data", "operation": operation, "table-name": "tools"}
    record |= {"schema-name": "shop", "commit-timestamp": "2026-09-01T10:00:00Z"}
    return json.dumps({"data": data, "metadata": record} | more)


def test_rows_of_canal_that_stand_in_old_or_nowhere(spark, tmp_path):
    first, two = {"id": "1", "name": "a"}, {"id": "2", "name": "b"}
    lines = [
        canal("CREATE", sql="create table parts (id int)"),
        canal("QUERY", table=None, sql="begin"),
        canal("GTID", table=None),
        canal("INSERT", [first, two]),
        canal("DELETE", None, [first]),
        canal("DELETE", [two], [{"name": "c"}]),
        canal("UPDATE", None, [{"name": "a"}]),
        canal("UPDATE", [first], [{"name": "x"}, {"name": "y"}]),
        canal("INSERT", [], sql="insert into parts values (3, 'c')"),
        canal("INSERT", ["no row"]),
        canal("DELETE"),
        canal("INSERT", [first], isDdl=True),
    ]
    result = extracted(spark, tmp_path, Part, lines, kind="canal")
    rows = result.rows("shop_parts", "offset", "op", "key", "before.name", "after.name", "defects")
    assert sorted(rows, key=lambda row: (row[0], row[2] or "null")) == [
        (4, "c", "[1]", None, "a", []),
        (4, "c", "[2]", None, "b", []),
        (5, "d", "[1]", "a", None, []),
        (6, "d", "[2]", "b", None, []),
        (7, "u", None, None, None, ["no-image"]),
        (8, "u", "[1]", "x", "a", []),
        (8, "u", None, None, None, ["no-image"]),
        (9, "c", None, None, None, ["no-image"]),
        (10, "c", None, None, None, ["no-image"]),
        (11, "d", None, None, None, ["no-image"]),
        (12, "c", "[1]", None, "a", []),
    ]
    assert result.result.stored()["facts"]["ignored"] == 3


@pytest.mark.parametrize("before", ["\t", " \t", "\r"])
def test_blanks_before_a_record_are_no_part_of_it(spark, tmp_path, before):
    lines = [before + canal("INSERT", [{"id": "1", "name": "a\tb"}])]
    result = extracted(spark, tmp_path, Part, lines, kind="canal")
    assert result.rows("shop_parts", "key", "after.name", "defects") == [("[1]", "a\tb", [])]


@pytest.mark.parametrize(
    ("kind", "lines"),
    [
        (
            "maxwell",
            [
                json.dumps({"type": type_, "database": "shop", "table": "parts", "ts": 1})
                for type_ in ("insert", "update", "delete", "bootstrap-insert")
            ],
        ),
        (
            "ogg",
            [
                json.dumps({"op_type": type_, "table": "SHOP.parts", "pos": f"{at}"})
                for at, type_ in enumerate("IUD")
            ],
        ),
        (
            "dms",
            [dms(name, None).replace("tools", "parts") for name in ("insert", "update", "delete")],
        ),
        ("debezium", [change(op, None, None, table="parts", row=2) for op in "rcud"]),
    ],
)
def test_a_change_without_its_row_is_quarantined(spark, tmp_path, kind, lines):
    result = extracted(spark, tmp_path, Part, lines, kind=kind)
    rows = result.rows("shop_parts", "offset", "key", "defects[0]")
    assert rows == [(at, None, "no-image") for at in range(1, len(lines) + 1)]


@pytest.mark.parametrize("prefix", ["BI_", "BI_TOOL", "na"])
def test_a_column_of_dms_that_begins_as_an_image_before_does(spark, tmp_path, prefix):
    before = {f"{prefix}id": 1, f"{prefix}name": "a"} if prefix == "BI_" else {}
    lines = [
        dms("insert", {"id": 1, "BI_TOOL": "cube", "name": "a"}),
        dms("update", {"id": 1, "BI_TOOL": "sql", "name": "b"} | before),
        dms("update", {"id": 1, "BI_TOOL": "sql", "name": "c", f"{prefix}other": 1}),
    ]
    result = extracted(spark, tmp_path, Tool, lines, kind="dms", before_prefix=prefix)
    rows = result.rows("shop_tools", "op", "after.BI_TOOL", "after.name", "before", "defects")
    assert rows == [
        ("c", "cube", "a", None, []),
        ("u", "sql", "b", None, []),
        ("u", "sql", "c", None, []),
    ]


@pytest.mark.parametrize(
    ("placeholder", "texts"),
    [
        (
            PLACEHOLDER,
            [
                PLACEHOLDER,
                BASE64,
                HEX,
                HEX.upper(),
                [PLACEHOLDER],
                [BASE64],
                [HEX],
                [UUID],
                [[UUID]],
                [[[PLACEHOLDER]]],
                list(PLACEHOLDER.encode()),
                SCALED,
                {PLACEHOLDER: PLACEHOLDER},
                json.dumps({PLACEHOLDER: PLACEHOLDER}, separators=(",", ":")),
            ],
        ),
        ("n/a", ["n/a", "bi9h", ["n/a"], ["bi9h"], [110, 47, 97], {"n/a": "n/a"}]),
        ("hex:6e2f61", ["n/a", "bi9h", ["n/a"], [110, 47, 97], {"n/a": "n/a"}]),
    ],
)
def test_what_stands_for_a_value_that_is_not_known(spark, tmp_path, placeholder, texts):
    values = [{"value": text} for text in texts]
    values += [{"texts": text} for text in texts if isinstance(text, list) and text[0] != [UUID]]
    values += [{"pairs": text} for text in texts if isinstance(text, dict)]
    whole = {"value": "v", "texts": [], "pairs": {}}
    lines = [
        change("u", None, {"id": at} | whole | value, table="things", row=at)
        for at, value in enumerate(values)
    ]
    result = extracted(spark, tmp_path, Specimen, lines, kind="debezium", placeholder=placeholder)
    rows = result.rows("shop_things", "after.id", "unknown", "defects")
    assert rows == sorted(((at, list(value), []) for at, value in enumerate(values)), key=repr)


@pytest.mark.parametrize(
    "value",
    [
        "no placeholder",
        [UUID, UUID],
        [1, 2],
        f"[{PLACEHOLDER}]",
        UUID,
        [PLACEHOLDER, "x"],
        SCALED[1:],
    ],
)
def test_what_only_looks_like_it_is_a_value(spark, tmp_path, value):
    line = change("u", None, {"id": 1, "value": value, "texts": [], "pairs": {}}, table="things")
    result = extracted(spark, tmp_path, Specimen, [line], kind="debezium")
    text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    if text != UUID:
        assert result.rows("shop_things", "after.value", "unknown") == [(text, None)]


STRANGE = {
    "half a pair": r'"cut \ud83d"',
    "the other half": r'"\ude00 cut"',
    "halves in the wrong order": r'"\ude00\ud83d"',
    "behind a backslash": r'"\\\ud83d"',
    "behind what looks like the other half": r'"\\ud83d\ude00"',
    "a control character": '"a\x01b"',
    "a tab": '"a\tb"',
    "no escape": r'"a\qb"',
    "an escape that is cut": r'"a\u12"',
    "a noncharacter": '"\ufdd0b"',
    "its escape": r'"\ufdd0b"',
}


def test_a_strange_character_quarantines_its_row_only(spark, tmp_path):
    def line(number, value):
        whole = change("c", None, {"id": number, "name": "NAME"}, table="parts", row=number)
        return whole.replace('"NAME"', value)

    def carried(number, value):
        record = {"topic": "t", "partition": 0, "offset": number, "payload": line(number, value)}
        return json.dumps(record, ensure_ascii=False)

    lines = [line(1, '"n"'), *(line(9, value) for value in STRANGE.values())]
    lines += [carried(9, value) for value in STRANGE.values()]
    lines += [line(20, r'"\ud83d\ude00"'), line(30, r'"\\ud83d"'), line(40, r'"\\ufdd0 \" \/"')]
    result = extracted(spark, tmp_path, Part, lines, kind="debezium")
    assert result.rows("shop_parts", "after.id", "after.name", "defects") == sorted(
        [
            (1, "n", []),
            (20, "\U0001f600", []),
            (30, r"\ud83d", []),
            (40, r'\ufdd0 " /', []),
            *[(None, None, ["not-in-encoding"])] * 2 * len(STRANGE),
        ],
        key=repr,
    )


def test_a_last_line_that_is_whole_is_not_said_to_be_cut_off(spark, tmp_path):
    with pytest.raises(RunFailed) as raised:
        extracted(spark, tmp_path, Part, ['{"id": 1, "id": 2}'], kind="debezium")
    assert "last line" not in str(raised.value)
    with pytest.raises(RunFailed, match="Was the file cut off"):
        extracted(spark, tmp_path, Part, ['{"id": 1, "na'], kind="debezium")


def test_a_transaction_that_begins_and_does_not_end_is_held(spark, tmp_path):
    record = {"transaction": {"id": "700:1", "total_order": 1, "data_collection_order": 1}}
    line = json.loads(change("c", None, {"id": 1, "name": "a"}, table="parts", **record))
    line["source"]["txId"] = 700
    begin = json.dumps({"status": "BEGIN", "id": "700:1"})
    result = extracted(spark, tmp_path, Part, [begin, json.dumps(line)], kind="debezium")
    assert result.rows("shop_parts", "after.id", "defects") == [(1, ["transaction-unfinished"])]
    assert result.result.stored()["facts"]["extracts"]["shop"]["transactions"] == "told"
