"""Changes as the output plugins of PostgreSQL's logical decoding write them.

The records are what PostgreSQL 15 wrote for the statements of `STATEMENTS`, shortened; a live
server writes them again where its plugins are installed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import psycopg
import pyspark.sql.types as T
import pytest

from cutline.errors import RunFailed
from cutline.translator import SourceContract, column, table
from support.extracting import Extract, write
from support.missing import missing
from support.paths import SHARED

EXPECTED = SHARED / "data" / "wal2json" / "expected"

STATEMENTS = (
    "create table item (id int primary key, name text, price numeric(10,2), weight real,"
    " sold timestamptz, picture bytea)",
    "alter table item alter column name set storage external",
    "create table note (id int, txt text)",
    "alter table note replica identity full",
    'create table "odd ""na[me]: INSERT: x" (id int primary key, "col: x" text)',
)
CHANGES = (
    (
        "insert into item values (1, repeat('x', 3000), 1.50, 2.5,"
        " '2026-01-02 03:04:05.123456+01', '\\x00ff41'),"
        " (2, 'it''s \"q\" \\ back new-tuple: id[integer]:9', 0, null, null, null)",
        "insert into note values (1, 'n')",
    ),
    ("update item set price = 2 where id = 1",),
    ("update item set id = 3 where id = 2",),
    ("update note set txt = 'two'",),
    ("delete from item where id = 3", "delete from note"),
    ('insert into "odd ""na[me]: INSERT: x" values (1, $$a [b]:c \'d\' null$$)',),
    ("select pg_logical_emit_message(true, 'pre', 'hello')",),
)
"""One transaction each; then two that commit in another order than they began."""

QUOTED = 'it\'s "q" \\ back new-tuple: id[integer]:9'
LONG = "x" * 3000
SOLD = "2026-01-02 02:04:05.123456"


class Item(SourceContract):
    """One item."""

    id: T.IntegerType = column(doc="number")
    name: T.StringType = column(doc="name", nullable=True)
    price: Annotated[T.DecimalType, 10, 2] = column(doc="price", nullable=True)
    weight: T.DoubleType = column(doc="kilograms", nullable=True)
    sold: T.TimestampType = column(doc="when", nullable=True)
    picture: T.BinaryType = column(doc="picture", nullable=True)

    class Config:
        metadata = table("pg", "item", key=["id"])


class Note(SourceContract):
    """One note, of which every column tells which it is."""

    id: T.IntegerType = column(doc="number")
    txt: T.StringType = column(doc="text")

    class Config:
        metadata = table("pg", "note", key=["id"])


class Odd(SourceContract):
    """A row of a table whose names look like something else."""

    id: T.IntegerType = column(doc="number")
    col: T.StringType = column(alias="col: x", doc="text")

    class Config:
        metadata = table("pg", "odd", key=["id"])


def source(path: Path, kind: str, **more: Any) -> dict[str, Any]:
    return {
        "kind": "log",
        "tables": {"item": {}, "note": {}, "odd": {"name": 'odd "na[me]: INSERT: x'}},
        "changes": {"kind": kind, "path": str(path), "snapshot": {"policy": "in-log"}, **more},
    }


def extracted(spark: Any, folder: Path, kind: str, lines: Sequence[str], **more: Any) -> Any:
    path = write(folder / "changes.jsonl", "\n".join(lines) + "\n")
    return Extract(folder, {"pg": source(path, kind, **more)}, (Item, Note, Odd)).run(spark)


# --- literal records, by kind and format -----------------------------------------------------

AT = "2026-11-25 15:42:05.014269+13:45"
COMMITTED = "2026-11-25 01:57:05.014269"


def two(action: str, xid: int, lsn: str, **more: Any) -> str:
    return json.dumps({"action": action, "xid": xid, "timestamp": AT, "lsn": lsn, **more})


def cells(**values: tuple[str, Any]) -> list[dict[str, Any]]:
    return [{"name": n, "type": kind, "value": value} for n, (kind, value) in values.items()]


def item_cells(number: int, **values: Any) -> list[dict[str, Any]]:
    kinds = {
        "name": "text", "price": "numeric(10,2)", "weight": "real",
        "sold": "timestamp with time zone", "picture": "bytea",
    }  # fmt: skip
    typed = {name: (kinds[name], value) for name, value in values.items()}
    return cells(id=("integer", number), **typed)


FORMAT_2 = (
    two("B", 738, "0/1535888", nextlsn="0/15358B8"),
    two("I", 738, "0/15357C8", schema="public", table="item",
        columns=item_cells(1, name="a", price=1.50, weight=None, sold=AT, picture="00ff41")),
    two("C", 738, "0/1535888", nextlsn="0/15358B8"),
    two("B", 731, "0/15353A0", nextlsn="0/15353D0"),
    two("M", 731, "0/15353A0", transactional=True, prefix="pre", content="hello"),
    two("U", 731, "0/15352C8", schema="public", table="item",
        columns=item_cells(1, price=2.00, weight=2.5, sold=None, picture=None),
        identity=item_cells(1)),
    two("C", 731, "0/15353A0", nextlsn="0/15353D0"),
)  # fmt: skip


def test_format_2_is_ordered_by_commits_and_an_update_leaves_out_what_it_does_not_know(
    spark, tmp_path
):
    # 731 began first and committed last; in the log it has the smaller places of both kinds.
    lines = [line.replace("0/15353", "1/15353") for line in FORMAT_2]
    result = extracted(spark, tmp_path, "wal2json", lines)
    first, second = int("1535888", 16), int("1015353A0", 16)
    assert result.rows(
        "pg_item",
        *("commit", "op", "key", "after.price", "after.weight", "unknown", "transaction"),
        *("cast(source_time as string)", "defects"),
    ) == [
        (
            *(f"{first:020d}", "c", "[1]", Decimal("1.50"), None, None, "738", COMMITTED),
            ["wrong-type:weight"],
        ),
        (
            *(f"{second:020d}", "u", "[1]", Decimal("2.00"), 2.5, ["name"], "731"),
            *(COMMITTED, []),
        ),
    ]


def test_numbers_as_texts_tell_a_null_from_a_value_that_is_no_number(spark, tmp_path):
    insert = two(
        "I", 1, "0/10", schema="public", table="item",
        columns=item_cells(1, name="a", price="1.50", weight=None, sold=None, picture=None),
    )  # fmt: skip
    null_insert = insert.replace('"value": 1}', '"value": "2"}').replace('"1.50"', '"NaN"')
    lines = [two("B", 1, "0/20"), insert, null_insert, two("C", 1, "0/20")]
    result = extracted(spark, tmp_path, "wal2json", lines, numbers="string")
    assert result.rows("pg_item", "key", "after.weight", "defects") == [
        ("[1]", None, []),
        ("[2]", None, ["wrong-type:price"]),
    ]


def test_format_1_has_a_transaction_a_record(spark, tmp_path):
    note = {"schema": "public", "table": "note"}
    old = {"keynames": ["id", "txt"], "keytypes": ["integer", "text"], "keyvalues": [1, "n"]}
    new = {"columnnames": ["id", "txt"], "columntypes": ["integer", "text"]}
    changes = [
        {"kind": "insert", **note, **new, "columnvalues": [1, "n"]},
        {"kind": "update", **note, **new, "columnvalues": [2, "two"], "oldkeys": old},
        {"kind": "message", "transactional": True, "prefix": "pre", "content": "hello"},
    ]
    head = {"xid": 733, "nextlsn": "0/1535550", "timestamp": AT}
    lines = [
        json.dumps({**head, "change": changes}),
        json.dumps({**head, "xid": 740, "change": []}),
    ]
    result = extracted(spark, tmp_path, "wal2json", lines)
    commit = f"{int('1535550', 16) - 1:020d}"
    assert result.rows("pg_note", "op", "old_key", "key", "before.txt", "after.txt", "commit") == [
        ("c", None, "[1]", None, "n", commit),
        ("u", "[1]", "[2]", "n", "two", commit),
    ]
    assert result.result.stored()["facts"]["extracts"]["pg"]["transactions"] == "told"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (FORMAT_2[1:2], "no record tells where a transaction was committed"),
        ([FORMAT_2[1].replace('"xid": 738, ', "")], r"changes.jsonl, line 1: .*include-xids"),
        ([FORMAT_2[1].replace('"lsn": "0/15357C8", ', "")], r"changes.jsonl, line 1: .*include-lsn"),
        ([two("T", 1, "0/10", schema="public", table="note")], "truncates table 'note'"),
        (['{"xid": 3, "change": []}'], r"changes.jsonl, line 1: .*`nextlsn`"),
        (["BEGIN 730"], r"changes.jsonl, line 1: .*is no change"),
    ],
)  # fmt: skip
def test_what_leaves_open_when_a_row_was_committed_stops_the_run(spark, tmp_path, lines, message):
    with pytest.raises(RunFailed, match=message):
        extracted(spark, tmp_path, "wal2json", lines)


def test_a_row_whose_columns_do_not_fit_together_is_quarantined(spark, tmp_path):
    note = {"schema": "public", "table": "note"}
    whole = cells(id=("integer", 1), txt=("text", "n"))
    broken = (
        [*whole, *cells(txt=("text", "m"))],
        [*whole, {"type": "text", "value": "m"}],
        [*whole, {"name": None, "type": "text", "value": "m"}],
    )
    format_2 = [
        two("I", 1, "0/10", **note, columns=whole),
        *(two("I", 1, "0/10", **note, columns=columns) for columns in broken),
        *(two("U", 1, "0/10", **note, columns=whole, identity=key) for key in broken),
        *(two("D", 1, "0/10", **note, identity=key) for key in broken),
        two("C", 1, "0/20"),
    ]

    def listed(prefix: str, names: list[Any], values: list[Any]) -> dict[str, Any]:
        kinds = ["text"] * len(names)
        return {f"{prefix}names": names, f"{prefix}types": kinds, f"{prefix}values": values}

    names, values = ["id", "txt"], [1, "n"]
    lists = ((["id", "id"], values), (["id", None], values), (names, [1]), (names, [1, "n", 2]))
    insert, update = ({"kind": kind, **note} for kind in ("insert", "update"))
    changes = [
        insert | listed("column", names, values),
        *(insert | listed("column", *lists_) for lists_ in lists),
        *(
            update | listed("column", names, values) | {"oldkeys": listed("key", *lists_)}
            for lists_ in lists
        ),
    ]
    format_1 = json.dumps({"xid": 2, "nextlsn": "0/40", "timestamp": AT, "change": changes})
    for lines, count in ((format_2, 9), ([format_1], 8)):
        result = extracted(spark, tmp_path / str(count), "wal2json", lines)
        assert result.rows("pg_note", "key", "after.txt", "defects") == [
            ("[1]", "n", []),
            *[(None, None, ["no-image"])] * count,
        ]


def text_line(lsn: str, xid: int, data: str) -> str:
    return json.dumps({"lsn": lsn, "xid": str(xid), "data": data})


def test_text_of_the_example_plugin(spark, tmp_path):
    lines = [
        text_line("0/1000", 7, "BEGIN 7"),
        text_line("0/1010", 7, "table public.item: INSERT: id[integer]:1 name[text]:'null'"
                  " price[numeric]:1.50 weight[real]:NaN sold[timestamp with time zone]:'"
                  + AT + "' picture[bytea]:'\\x00ff41'"),
        text_line("0/1020", 7, "table public.item: UPDATE: old-key: id[integer]:1 new-tuple:"
                  " id[integer]:2 name[text]:unchanged-toast-datum price[numeric]:null"
                  " weight[real]:1e-05 sold[timestamp with time zone]:null picture[bytea]:null"),
        text_line("0/1030", 7, "table public.note: DELETE: (no-tuple-data)"),
        text_line("0/2001", 7, f"COMMIT 7 (at {AT})"),
        text_line("0/2001", 8, "message: transactional: 0 prefix: pre, sz: 5 content:hello"),
    ]  # fmt: skip
    result = extracted(spark, tmp_path, "test_decoding", lines)
    commit = f"{0x2000:020d}"
    assert result.rows(
        "pg_item", "op", "old_key", "key", "after.name", "after.price", "after.weight",
        "hex(after.picture)", "unknown", "commit", "cast(source_time as string)", "defects",
    ) == [
        ("c", None, "[1]", "null", Decimal("1.50"), None, "00FF41", None, commit, COMMITTED,
         ["wrong-type:weight"]),
        ("u", "[1]", "[2]", None, None, 1e-05, None, ["name"], commit, COMMITTED, []),
    ]  # fmt: skip
    assert result.rows("pg_note", "op", "defects") == [("d", ["no-image"])]


BYTES_AS_WRITTEN = {
    r"\x00ff41": b"\x00\xffA",
    r"\x": b"",
    # What a server writes where bytea_output is escape.
    "abcd": b"abcd",
    "beef": b"beef",
    "a": b"a",
    "": b"",
    r"\000\377\\x41": b"\x00\xff\\x41",
    r"\\": b"\\",
    r"it''s \012": b"it's \n",
    # What no server writes.
    r"\9": None,
    r"\400": None,
    "\x01": None,
    "é": None,
    "abcd\n": None,
}


def test_bytes_of_text_are_those_of_either_form(spark, tmp_path):
    rows = [
        f"table public.item: INSERT: id[integer]:{number} name[bytea]:'{text}'"
        f" price[numeric]:1 weight[real]:1 sold[timestamp with time zone]:null"
        f" picture[bytea]:'{text}'"
        for number, text in enumerate(BYTES_AS_WRITTEN)
    ]
    lines = [text_line(f"0/1{at:03X}", 7, row) for at, row in enumerate(rows)]
    lines.append(text_line("0/2001", 7, f"COMMIT 7 (at {AT})"))
    result = extracted(spark, tmp_path, "test_decoding", lines)
    read = result.rows("pg_item", "after.id", "after.name", "after.picture", "defects")
    wrong = ["wrong-type:picture"]
    assert {number: (picture, defects) for number, _, picture, defects in read} == {
        number: (None, wrong) if value is None else (value, [])
        for number, value in enumerate(BYTES_AS_WRITTEN.values())
    }
    # Under a text column, bytes are their digits.
    assert {number: name for number, name, picture, _ in read if picture is not None} == {
        number: value.hex()
        for number, value in enumerate(BYTES_AS_WRITTEN.values())
        if value is not None
    }


def test_a_row_of_text_that_has_a_column_twice_is_quarantined(spark, tmp_path):
    once, twice = "id[integer]:1 txt[text]:'n'", "id[integer]:1 txt[text]:'n' txt[text]:'m'"
    lines = [
        text_line("0/10", 1, f"table public.note: INSERT: {once}"),
        text_line("0/20", 1, f"table public.note: INSERT: {twice}"),
        text_line("0/30", 1, f"table public.note: UPDATE: old-key: {twice} new-tuple: {once}"),
        text_line("0/40", 1, f"table public.note: DELETE: {twice}"),
        text_line("0/50", 1, f"COMMIT 1 (at {AT})"),
    ]
    result = extracted(spark, tmp_path, "test_decoding", lines)
    assert result.rows("pg_note", "op", "key", "after.txt", "defects") == [
        ("c", "[1]", "n", []),
        ("c", None, None, ["no-image"]),
        ("d", None, None, ["no-image"]),
        ("u", None, None, ["no-image"]),
    ]


def test_a_long_text_with_quotes_is_read_whole(spark, tmp_path):
    long = 'it\'s "so" ' * 100_000
    lines = [
        text_line(
            "0/10",
            1,
            f"table public.note: INSERT: id[integer]:1 txt[text]:'{long.replace(chr(39), chr(39) * 2)}'",
        ),
        text_line("0/20", 1, f"COMMIT 1 (at {AT})"),
    ]
    result = extracted(spark, tmp_path, "test_decoding", lines)
    assert result.rows("pg_note", "length(after.txt)", "after.txt", "defects") == [
        (len(long), long, [])
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("table public.other, public.note: TRUNCATE: (no-flags)", "truncates table 'note'"),
        ("something else", "is no change that can be read"),
    ],
)
def test_text_that_leaves_open_what_happened_stops_the_run(spark, tmp_path, data, message):
    with pytest.raises(RunFailed, match=message):
        extracted(spark, tmp_path, "test_decoding", [text_line("0/10", 1, data)])


# --- a live server --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def decoded(postgres_server) -> Iterator[dict[str, list[str]]]:
    """What each plugin writes for the statements, as lines."""
    name = postgres_server.create_database()
    with psycopg.connect(postgres_server.url(name), autocommit=True) as server:
        for statement in STATEMENTS:
            server.execute(statement.encode())
        slots = {}
        for plugin in ("wal2json", "test_decoding"):
            try:
                server.execute(
                    "SELECT pg_create_logical_replication_slot(%s, %s)", [plugin, plugin]
                )
                slots[plugin] = plugin
            except psycopg.errors.UndefinedFile:
                continue
        for statements in CHANGES:
            with server.transaction():
                for statement in statements:
                    server.execute(statement.encode())
        with psycopg.connect(postgres_server.url(name)) as early:
            early.execute("insert into note values (9, 'early')")
            server.execute("insert into note values (10, 'between')")
        lines = {}
        options = ("include-xids", "1", "include-lsn", "1", "include-timestamp", "1")
        if "wal2json" in slots:
            for number in ("1", "2"):
                changes = server.execute(
                    "SELECT data FROM pg_logical_slot_peek_changes('wal2json', NULL, NULL,"
                    " 'format-version', %s, %s, %s, %s, %s, %s, %s)",
                    [number, *options],
                )
                lines[f"wal2json {number}"] = [row[0] for row in changes]
        if "test_decoding" in slots:
            changes = server.execute(
                "SELECT row_to_json(c)::text FROM pg_logical_slot_peek_changes("
                "'test_decoding', NULL, NULL, 'include-timestamp', '1') c"
            )
            lines["test_decoding"] = [row[0] for row in changes]
        for slot in slots.values():
            server.execute("SELECT pg_drop_replication_slot(%s)", [slot])
    yield lines
    postgres_server.drop_database(name)


@pytest.mark.postgres
@pytest.mark.parametrize("plugin", ["wal2json 1", "wal2json 2", "test_decoding"])
def test_what_a_live_server_writes(spark, tmp_path, decoded, plugin):
    if plugin not in decoded:
        missing(f"the plugin of {plugin} is not installed beside the PostgreSQL server")
    result = extracted(spark, tmp_path, plugin.split()[0], decoded[plugin])
    # The second item has no weight: as a JSON number that could be NaN as well.
    unclear = [] if plugin == "test_decoding" else ["wrong-type:weight"]
    assert result.rows(
        "pg_item",
        *("op", "old_key", "key", "after.name", "after.price", "after.weight"),
        *("cast(after.sold as string)", "hex(after.picture)", "unknown", "defects"),
    ) == sorted(
        [
            ("c", None, "[1]", LONG, Decimal("1.50"), 2.5, SOLD, "00FF41", None, []),
            ("c", None, "[2]", QUOTED, Decimal("0.00"), None, None, None, None, unclear),
            ("u", None, "[1]", None, Decimal("2.00"), 2.5, SOLD, "00FF41", ["name"], []),
            ("u", "[2]", "[3]", QUOTED, Decimal("0.00"), None, None, None, None, unclear),
            ("d", None, "[3]", None, None, None, None, None, None, []),
        ],
        key=repr,
    )
    assert result.rows("pg_odd", "after.`col: x`") == [("a [b]:c 'd' null",)]
    notes = result.rows("pg_note", "position", "op", "after.txt", "before.txt")
    assert [row[1:] for row in notes] == [
        ("c", "n", None),
        ("u", "two", "n"),
        ("d", None, "two"),
        ("c", "between", None),
        ("c", "early", None),
    ]
    assert result.rows("pg_note", "count(distinct commit)", "count(source_time)") == [(5, 5)]
    assert result.result.stored()["facts"]["extracts"]["pg"]["transactions"] == "told"


# --- the published expectations of wal2json --------------------------------------------------


def published(name: str) -> list[str]:
    """The records of format 2 of an expectation, with the fields that it was not asked for."""
    text = (EXPECTED / name).read_text()
    records = [json.loads(line) for line in re.findall(r'^ (\{"action".*\})\s*$', text, re.M)]
    lines, number = [], 0
    for place, record in enumerate(records, 16):
        number += record["action"] == "B"
        more = {"xid": number, "lsn": f"0/{place:X}", "timestamp": AT}
        lines.append(json.dumps({**record, **more}))
    return lines


def joined(name: str) -> list[str]:
    """The records of format 1 of an expectation, likewise."""
    text = (EXPECTED / name).read_text()
    pretty = re.findall(r"^ \{ *\+\n(?:.*\+\n)*? \}$", text, re.M)
    lines = []
    for number, block in enumerate(pretty, 16):
        record = json.loads(re.sub(r"\+$", "", block, flags=re.M))
        more = {"xid": number, "nextlsn": f"0/{number:X}", "timestamp": AT}
        lines.append(json.dumps({**record, **more}))
    return lines


class Keyed(SourceContract):
    """A row of wal2json's `table_with_pk`; days and moments are in the server's own style."""

    a: T.ShortType = column(doc="a", nullable=True)
    b: T.ShortType = column(doc="b")
    c: T.IntegerType = column(doc="c")
    d: T.LongType = column(doc="d")
    e: Annotated[T.DecimalType, 5, 3] = column(doc="e", nullable=True)
    f: T.DoubleType = column(doc="f", nullable=True)
    h: T.StringType = column(doc="h", nullable=True)
    k: T.StringType = column(doc="k", nullable=True)
    n: T.BooleanType = column(doc="n", nullable=True)
    o: T.StringType = column(doc="o", nullable=True)

    class Config:
        metadata = table("pg", "table_with_pk", key=["b", "c", "d"])


class Xpto(SourceContract):
    """A row of wal2json's `xpto`."""

    a: T.IntegerType = column(doc="a")
    c: T.StringType = column(doc="c", nullable=True)
    d: T.DoubleType = column(doc="d", nullable=True)

    class Config:
        metadata = table("pg", "xpto", key=["a"])


def of_expectation(
    spark: Any, folder: Path, lines: Sequence[str], contract: type[SourceContract], name: str
) -> Any:
    path = write(folder / "changes.jsonl", "\n".join(lines) + "\n")
    section = source(path, "wal2json") | {"tables": {name: {}}}
    return Extract(folder, {"pg": section}, (contract,)).run(spark)


needs_expectations = pytest.mark.skipif(
    not EXPECTED.is_dir(), reason=f"wal2json's expectations are not at {EXPECTED}"
)


@needs_expectations
def test_published_inserts_updates_and_deletions_of_format_2(spark, tmp_path):
    names = ("insert1.out", "update1.out", "delete1.out")
    # Each expectation numbers its transactions from 1; together they are one log.
    lines = []
    for at, name in enumerate(names):
        for line in published(name):
            record = json.loads(line)
            record["xid"] += 100 * at
            record["lsn"] = record["lsn"].replace("0/", f"{at}/")
            lines.append(json.dumps(record))
    result = of_expectation(spark, tmp_path, lines, Keyed, "table_with_pk")
    rows = result.rows(
        "pg_table_with_pk",
        *("op", "old_key", "key", "after.a", "after.e", "after.f", "after.h", "after.k"),
        *("after.n", "after.o", "unknown", "defects"),
    )
    image = (1, Decimal("3.540"), "teste     ", "001110010101010", True, '{ "a": 123 }')

    def shown(op: str, old: str | None, key: str, f: float) -> tuple[Any, ...]:
        a, e, h, k, n, o = image
        return (op, old, key, a, e, f, h, k, n, o, None, [])

    assert [r for r in rows if r[0] == "c"] == [shown("c", None, "[1,2,3]", 876.563)]
    assert [r for r in rows if r[0] == "u"] == [
        shown("u", "[1,2,3]", "[-1,2,3]", -876.563),
        shown("u", None, "[1,2,3]", -876.563),
    ]
    assert [r[:3] + r[-2:] for r in rows if r[0] == "d"] == [("d", None, "[1,2,3]", None, [])]


@needs_expectations
def test_published_special_values_and_savepoints_of_format_1(spark, tmp_path):
    special = joined("specialvalue.out")
    result = of_expectation(spark, tmp_path / "special", special, Xpto, "xpto")
    rows = result.rows("pg_xpto", "key", "after.c", "after.d", "defects")
    # '+inf', 'nan' and '-inf' arrive as nulls: nobody can tell them from one.
    assert [(r[0], r[1], r[3]) for r in rows[:3]] == [
        ("[1]", "test1", ["wrong-type:d"]),
        ("[2]", "test2", ["wrong-type:d"]),
        ("[3]", "null", ["wrong-type:d"]),
    ]
    assert rows[3] == (
        "[4]",
        "valid: ' \" \\ / \b \f \n \r \t \u207f \u967f invalid: \\g \\k end",
        123.456,
        [],
    )


@needs_expectations
@pytest.mark.parametrize("name", ["truncate.out"])
def test_published_truncations_stop_the_run(spark, tmp_path, name):
    class Truncated(SourceContract):
        """A row of a table that is truncated."""

        a: T.IntegerType = column(doc="a")
        b: T.StringType = column(doc="b", nullable=True)

        class Config:
            metadata = table("pg", "table_truncate_1", key=["a"])

    with pytest.raises(RunFailed, match="truncates table 'table_truncate_1'"):
        of_expectation(spark, tmp_path, published(name), Truncated, "table_truncate_1")
