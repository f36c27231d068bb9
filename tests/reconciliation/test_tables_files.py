"""Files and SQLite as sides of a comparison: nothing lost, nothing guessed, every refusal told."""

from __future__ import annotations

import sqlite3
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from cutline.errors import ConfigurationError
from cutline_reconciliation.compare.tables import Csv, fetch, place
from support.side_tables import Desk, rows, typed

BIG = 9007199254740993


@pytest.fixture
def desk(spark: SparkSession, tmp_path: Path) -> Desk:
    return Desk(spark, tmp_path)


def parquet(desk: Desk, name: str, table: pa.Table) -> str:
    path = desk.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)
    return str(path)


def database(desk: Desk, name: str = "orders.db") -> str:
    path = desk.folder / name
    with sqlite3.connect(path) as connection:
        connection.executescript(
            """
            CREATE TABLE orders (id INTEGER PRIMARY KEY, total REAL, price DECIMAL(10,2), mixed, raw BLOB, note TEXT);
            INSERT INTO orders VALUES (1, 0.1, 10, 7, x'DEADBEEF', ''), (2, 1.5, 10.5, 'seven', NULL, 'x');
            INSERT INTO orders VALUES (9007199254740993, NULL, NULL, NULL, x'', NULL);
            CREATE VIEW small AS SELECT id, note FROM orders WHERE id < 9;
            CREATE TABLE "odd ""name" (id);
            """
        )
    connection.close()
    return str(path)


def test_csv_is_read_by_its_rules_in_the_types_of_the_other_side(desk: Desk) -> None:
    left = desk.write(
        "a.csv",
        f'id,note,total,day\r\n{BIG},"x, ""y""\r\nz",1.10,2026-01-01\r\n2,,0.005,\r\n3,"",,\r\n',
    )
    right = parquet(
        desk,
        "b/part.parquet",
        pa.table(
            {
                "id": pa.array([BIG, 4], pa.int64()),
                "total": pa.array([Decimal("1.10"), None], pa.decimal128(12, 2)),
                "day": pa.array([None, None], pa.date32()),
            }
        ),
    )
    left_side, right_side = desk.sides(left, str(Path(right).parent))
    assert typed(left_side) == {
        "id": "bigint",
        "note": "string",
        "total": "decimal(22,3)",
        "day": "date",
    }
    assert typed(right_side) == {"id": "bigint", "total": "decimal(12,2)", "day": "date"}
    values_by_id = {row[0]: row[1:3] for row in rows(left_side)}
    assert values_by_id == {
        2: (None, Decimal("0.005")),
        3: ("", None),
        BIG: ('x, "y"\r\nz', Decimal("1.100")),
    }


def test_a_character_of_number_0_in_quotes_is_part_of_the_text(desk: Desk) -> None:
    left = desk.write("a.csv", 'id,note\n1,"a\0b"\n2,"a\0""b"\n"3\0","\0"\n')
    right = desk.write("b.csv", 'id,note\n1,"ab"\n')
    left_side, _ = desk.sides(left, right)
    assert rows(left_side) == [("1", "a\0b"), ("2", 'a\0"b'), ("3\0", "\0")]


def test_other_delimiters_encodings_and_globs(desk: Desk) -> None:
    desk.write("x/1.csv", "id;name\n1;Müller\n".encode("windows-1252"))
    desk.write("x/2.csv", "id;name\n2;€\n".encode("windows-1252"))
    tabs = desk.write("y.tsv", "id\tname\n1\tMüller\n")
    latin = Csv(";", "windows-1252")
    left_side, _ = desk.sides(str(desk.folder / "x" / "*.csv"), str(desk.folder / "x"), csv=latin)
    assert rows(left_side) == [("1", "Müller"), ("2", "€")]
    _, right_side = desk.sides(tabs, tabs)
    assert rows(right_side) == [("1", "Müller")]


def test_json_numbers_stay_as_they_are_written(desk: Desk) -> None:
    left = desk.write(
        "a.jsonl",
        f'{{"id":{BIG},"total":0.1,"wide":123456789012345678901234567890.5,"of":{{"b":1.10,"a":[null,1]}},"kind":1}}\n'
        '{"id":2,"total":12.345,"ok":true,"kind":"one","none":null,"e":1e3}\n',
    )
    right = desk.write("b.json", '{"id":2,"total":12.30,"none":null}\n')
    left_side, right_side = desk.sides(left, right)
    assert typed(left_side) == {
        "id": "bigint", "total": "decimal(5,3)", "wide": "decimal(31,1)", "of": "string",
        "kind": "string", "ok": "boolean", "none": "string", "e": "bigint",
    }  # fmt: skip
    assert typed(right_side) == {"id": "bigint", "total": "decimal(5,3)", "none": "string"}
    assert rows(left_side) == [
        (2, Decimal("12.345"), None, None, "one", 1000, None, True),
        (BIG, Decimal("0.100"), Decimal("123456789012345678901234567890.5"), '{"a":[null,1],"b":1.10}', "1", None, None, None),
    ]  # fmt: skip
    assert left_side.notes == ("left: column kind holds values of several kinds: number and text",)


def test_a_column_that_only_late_lines_have_is_a_column(desk: Desk) -> None:
    lines = "".join(f'{{"id":{i}}}\n' for i in range(1, 1200)) + '{"id":0,"late":"x"}\n'
    left_side, _ = desk.sides(desk.write("a.jsonl", lines), desk.write("b.csv", "id\n1\n"))
    assert typed(left_side) == {"id": "bigint", "late": "string"}


def test_sqlite_keeps_all_digits_and_says_where_types_are_mixed(desk: Desk) -> None:
    path = database(desk)
    left_side, right_side = desk.sides(f"{path}#ORDERS", f"sqlite:///{path}#small")
    assert typed(left_side) == {
        "id": "bigint", "total": "double", "price": "double", "mixed": "string", "raw": "binary",
        "note": "string",
    }  # fmt: skip
    assert rows(left_side) == [
        (1, 0.1, 10.0, "7", bytearray(b"\xde\xad\xbe\xef"), ""),
        (2, 1.5, 10.5, "seven", None, "x"),
        (BIG, None, None, None, bytearray(b""), None),
    ]
    assert left_side.notes == (
        "left: column mixed holds integers and texts, and SQLite keeps them as they came",
    )
    assert rows(right_side) == [(1, ""), (2, "x")]


def test_what_sqlite_calls_real_meets_decimals_as_it_is_written(desk: Desk) -> None:
    path = database(desk)
    decimals = pa.array([Decimal("0.10")], pa.decimal128(12, 2))
    right = parquet(desk, "b.parquet", pa.table({"id": [1], "total": decimals, "price": decimals}))
    query = "SELECT id, total, price FROM orders WHERE id < 3;"
    left_side, _ = desk.sides(path, right, queries=(query, None))
    assert rows(left_side) == [
        (1, Decimal("0.10"), Decimal("10.00")),
        (2, Decimal("1.50"), Decimal("10.50")),
    ]


def test_nested_values_of_json_are_read_whole_or_not_at_all(desk: Desk) -> None:
    kind = pa.list_(
        pa.struct([("a", pa.decimal128(20, 2)), ("m", pa.map_(pa.string(), pa.int64()))])
    )
    value = [{"a": Decimal("123456789012345678.25"), "m": [("k", BIG)]}, None]
    right = parquet(desk, "b.parquet", pa.table({"id": [1], "of": pa.array([value], kind)}))
    good = desk.write(
        "a.jsonl", f'{{"id":1,"of":[{{"a":123456789012345678.25,"m":{{"k":{BIG}}}}},null]}}\n'
    )
    left_side, right_side = desk.sides(good, right)
    assert typed(left_side) == typed(right_side)
    assert rows(left_side) == rows(right_side)
    more = desk.write("c.jsonl", '{"id":1,"of":[{"a":1,"m":{},"unknown":1}]}\n')
    with pytest.raises(ConfigurationError, match="1 value in column of that is no array<"):
        desk.sides(more, right)
    kind = pa.struct(
        [("s", pa.string()), ("d", pa.decimal128(9, 2)), ("at", pa.timestamp("us", "UTC"))]
    )
    right = parquet(
        desk, "d.parquet", pa.table({"id": list(range(5)), "of": pa.array([None] * 5, kind)})
    )
    parts = ('"s":1.10', '"d":1.005', '"at":"2026-01-01T10:00:00"', '"s":{"x":1}')
    bad = "".join(f'{{"id":{i},"of":{{{part}}}}}\n' for i, part in enumerate(parts))
    with pytest.raises(ConfigurationError, match="4 values in column of that are no struct<"):
        desk.sides(desk.write("e.jsonl", bad), right)
    good = (
        '{"id":0,"of":{"s":"1.10","d":1.5,"at":"2026-01-01T10:00:00Z"}}\n{"id":1,"of":{"s":null}}\n'
    )
    left_side, _ = desk.sides(desk.write("f.jsonl", good), right)
    assert [r[1] and r[1].s for r in rows(left_side)] == ["1.10", None]


def test_partition_folders_are_columns_of_text(desk: Desk) -> None:
    table = pa.table({"id": [1]})
    parquet(desk, "t/part=007/x.parquet", table)
    parquet(desk, "t/part=008/x.parquet", table)
    left_side, right_side = desk.sides(
        str(desk.folder / "t"), str(desk.folder / "t/part=*/*.parquet"), key=["id", "part"]
    )
    assert rows(left_side) == rows(right_side) == [(1, "007"), (1, "008")]
    within, _ = desk.sides(str(desk.folder / "t/part=007/x*.parquet"), str(desk.folder / "t"))
    assert rows(within) == [(1, "007")]


def test_names_of_partition_folders_are_decoded(desk: Desk) -> None:
    names = [
        "S%C3%A3o%3D1",
        "São b+c",
        "a%252Fb%2Fc",
        "__HIVE_DEFAULT_PARTITION__",
        "{x}[1]",
        "a=b",
        "100%",
        "5%zz%41",
    ]
    for i, name in enumerate(names):
        parquet(desk, f"t/a/c%20d={name}/x.parquet", pa.table({"id": [i]}))
    (desk.folder / "t/a/c%20d=a=b/_SUCCESS").write_text("")
    left_side, _ = desk.sides(str(desk.folder / "t"), str(desk.folder / "t"))
    assert typed(left_side) == {"id": "bigint", "c d": "string"}
    assert [r[1] for r in rows(left_side)] == [
        *("São=1", "São b+c", "a%2Fb/c", None, "{x}[1]", "a=b"),
        *("100%", "5%zzA"),
    ]


def test_folders_that_only_look_hidden_are_read(desk: Desk) -> None:
    parquet(desk, "t/_day=2/x.parquet", pa.table({"id": [1]}))
    parquet(desk, "t/_day=3/_temporary/x.parquet", pa.table({"id": [2]}))
    left_side, _ = desk.sides(str(desk.folder / "t"), str(desk.folder / "t"))
    assert rows(left_side) == [(1, "2")]


def test_folders_that_hide_or_differ_are_refused(desk: Desk) -> None:
    parquet(desk, "a/Day=06/x.parquet", pa.table({"id": [1], "day": ["XX"]}))
    parquet(desk, "b/day=06/x.parquet", pa.table({"id": [1]}))
    parquet(desk, "b/x.parquet", pa.table({"id": [1]}))
    parquet(desk, "c/d=1/D=2/x.parquet", pa.table({"id": [1]}))
    parquet(desk, "d/d=%E9/x.parquet", pa.table({"id": [1]}))
    for name, says in {
        "a": "has a column 'Day', and lies in a folder of that name, which would hide its values",
        "b": "is not that of",
        "c": "lies in two folders 'D'",
        "d": "is no percent-encoded UTF-8",
    }.items():
        with pytest.raises(ConfigurationError, match=says):
            desk.sides(str(desk.folder / name), str(desk.folder / name))
    alone, _ = desk.sides(*[str(desk.folder / "a/Day=06/x.parquet")] * 2)
    assert rows(alone) == [(1, "XX")]


def test_what_a_folder_would_hide_is_refused(desk: Desk) -> None:
    for name in ("day=1/x.csv", "lines/day=1/x.jsonl", "folder/x.csv", "file/x.csv", "away/y.csv"):
        (desk.folder / name).parent.mkdir(parents=True, exist_ok=True)
        desk.write(name, "id,v\n1,a\n" if name.endswith("csv") else '{"id":1}')
    (desk.folder / "folder/more").symlink_to(desk.folder / "away")
    (desk.folder / "file/y.csv").symlink_to(desk.folder / "nowhere.csv")
    whole = str(desk.folder / "away/y.csv")
    for name, says in {
        "day=1": "",
        "*/x.csv": "nowhere|whose column only Parquet has",
        "lines": "x.jsonl lies in the folder day=1, whose column only Parquet has",
        "folder": "folder/more is a link to another folder, which is not read",
        "file": "file/y.csv is a link to nothing that is there",
        "file/*.csv": "file/y.csv is a link to nothing that is there",
    }.items():
        if not says:
            assert rows(desk.sides(str(desk.folder / name), whole)[0]) == [("1", "a")]
            continue
        with pytest.raises(ConfigurationError, match=says):
            desk.sides(str(desk.folder / name), whole)


def test_what_cannot_be_decoded_or_parsed_is_refused(desk: Desk) -> None:
    (desk.folder / "a.csv").write_bytes("id,v\n1,a\n".encode("utf-16-le"))
    good = desk.write("b.csv", "id,v\n1,a\n")
    with pytest.raises(ConfigurationError, match=r"a.csv cannot be read as utf-16: .*BOM"):
        desk.sides(str(desk.folder / "a.csv"), good, csv=Csv(encoding="utf-16"))
    deep = desk.write("deep.jsonl", '{"id":1,"v":' + "[" * 1100 + "]" * 1100 + "}")
    with pytest.raises(ConfigurationError, match=r"line 1 of .*deep.jsonl"):
        desk.sides(deep, good)


def test_doubles_are_what_is_written_or_refused(desk: Desk) -> None:
    right = parquet(desk, "b.parquet", pa.table({"id": ["1"], "x": pa.array([0.1], pa.float64())}))
    good = desk.write(
        "a.csv", "id,x\n1,0.1\n2,0.10000000000000001\n3,NaN\n4,-1.5e-300\n5,9007199254740992\n"
    )
    left_side, _ = desk.sides(good, right)
    assert [str(r[1]) for r in rows(left_side)] == [
        "0.1",
        "0.1",
        "nan",
        "-1.5e-300",
        "9007199254740992.0",
    ]
    bad = desk.write("c.csv", f"id,x\n1,{BIG}\n2,1e999\n3,0.1234567890123456789\n")
    with pytest.raises(ConfigurationError, match="3 values in column x that are no double"):
        desk.sides(bad, right)


def test_values_that_are_none_of_the_type_are_told_with_a_way_out(desk: Desk) -> None:
    stamp = pa.array([None], pa.timestamp("us", "UTC"))
    right = parquet(desk, "b.parquet", pa.table({"id": pa.array([1], pa.int64()), "at": stamp}))
    left = desk.write("a.csv", "id,at\n1,2026-01-01 10:00:00\n2.5,2026-01-01 11:00:00\nx,\n")
    with pytest.raises(ConfigurationError) as refusal:
        desk.sides(left, right)
    assert "2 values in column id that are no bigint: such as '2.5'" in refusal.value.what
    assert (
        "2 values in column at that are no timestamp: such as '2026-01-01 10" in refusal.value.what
    )
    assert "compare them as texts: --as-text id." in refusal.value.next_step
    assert "A rule may declare the zone of at" in refusal.value.next_step
    left_side, right_side = desk.sides(left, right, as_text=frozenset({"id", "at"}))
    assert {r[0] for r in rows(left_side)} == {"1", "2.5", "x"}
    assert rows(right_side) == [("1", None)]
    zoned, _ = desk.sides(left, right, as_text=frozenset({"id"}), local_left=frozenset({"at"}))
    assert typed(zoned) == {"id": "string", "at": "timestamp_ntz"}
    with pytest.raises(ConfigurationError, match=r"--as-text idd.*Did you mean 'id'"):
        desk.sides(left, right, as_text=frozenset({"idd"}))


def test_renamed_columns_meet_in_each_others_types(desk: Desk) -> None:
    right = parquet(desk, "b.parquet", pa.table({"no": pa.array([1], pa.int64()), "id": ["x"]}))
    left = desk.write("a.csv", "id\n1\n")
    left_side, right_side = desk.sides(left, right, pairs={"id": "no"})
    assert (typed(left_side), typed(right_side)) == (
        {"id": "bigint"},
        {"no": "bigint", "id": "string"},
    )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"id,x\n1,2\n3\n4\n", "line 3 of {path}, the first of 2, is malformed"),
        ("a.csv", b'id,x\n1,"2"x\n', "line 2 of {path} is malformed"),
        ("a.csv", b"id,x\n1,\xff\n", "line 2 of {path} is not in the encoding utf-8"),
        ("a.jsonl", b'{"id":1}\n\n[1]\n', "line 3 of {path} is no JSON object"),
        ("a.jsonl", b'{"id":1,"id":2}\n', "line 1 of {path} is no JSON object, or names a key twice"),
        ("a.jsonl", b'{"id":"\xff"}\n', "line 1 of {path} is not UTF-8"),
        ("a.jsonl", b'{"id":1,"Id":2}\n', "{path} has the column 'Id' twice"),
        ("a.jsonl", b"{}\n", "{path} has no column"),
    ],
)  # fmt: skip
def test_records_that_cannot_be_read_are_told_by_file_and_line(
    desk: Desk, name: str, content: bytes, message: str
) -> None:
    path = desk.write(name, content)
    with pytest.raises(ConfigurationError) as error_info:
        desk.sides(path, desk.write("b.csv", "id,x\n1,2\n"))
    assert error_info.value.what.startswith("left: ")
    assert message.format(path=path) in error_info.value.what


@pytest.mark.parametrize(
    ("text", "query", "message"),
    [
        ("gone.csv", None, "there is no file {folder}/gone.csv"),
        ("*.nope", None, "there is no file {folder}/*.nope"),
        ("folder", None, "there is no file {folder}/folder"),
        ("empty.csv", None, "{folder}/empty.csv is empty"),
        ("empty.jsonl", None, "is empty: no object tells what its columns are"),
        ("twice.csv", None, "has the column 'ID' twice"),
        ("broken.parquet", None, "cannot be read as Parquet"),
        ("none.parquet", None, "has no column"),
        ("letter.doc", None, "is of no kind that is known"),
        ("mixed", None, "holds files of several kinds: csv, jsonl"),
        ("s3a://bucket/x.parquet", None, "neither on this machine nor in a database"),
        ("twice.csv", "SELECT 1", "a query can be put to a database only"),
        ("orders.db", None, "comes with neither a table nor a query"),
        ("orders.db#orders", "SELECT 1", "comes with a table and a query"),
        ("orders.db#ordres", None, "has no table 'ordres'. Did you mean 'orders'?"),
        ("orders.db", "SELECT nope FROM orders", "no such column: nope"),
        ("orders.db", "DELETE FROM orders", "cannot be asked"),
        ("orders.db", "SELECT id, id FROM orders", "has the column 'id' twice"),
        ("twice.csv#orders", None, "is not a SQLite database, so it has no table 'orders'"),
        ("sqlite:///gone.db#orders", None, "there is no file"),
    ],
)
def test_what_names_no_table_is_refused(
    tmp_path: Path, text: str, query: str | None, message: str
) -> None:
    desk = Desk(None, tmp_path)  # type: ignore[arg-type]
    database(desk)
    (tmp_path / "folder").mkdir()
    for name, content in (
        ("empty.csv", ""), ("empty.jsonl", "\n"), ("twice.csv", "id,ID\n1,2\n"), ("broken.parquet", "PAR1"),
        ("letter.doc", "Dear"), ("mixed/a.csv", "id\n"), ("mixed/a.jsonl", "{}\n"),
    ):  # fmt: skip
        desk.write(name, content)
    parquet(desk, "none.parquet", pa.table({}))
    where = text if "://" in text else str(tmp_path / text)
    with pytest.raises(ConfigurationError) as error_info:
        fetch(place("right", where, query), str(tmp_path / "scratch"))
    assert error_info.value.what.startswith("right")
    assert message.format(folder=tmp_path) in error_info.value.what


@pytest.mark.parametrize("glob", ["*.csv", "*/*.csv", "**/*.csv"])
def test_a_glob_passes_over_hidden_files_as_a_folder_does(desk: Desk, glob: str) -> None:
    for i, name in enumerate(("a.csv", "d/b.csv", ".c.csv", ".old/d.csv", "d/.e.csv")):
        desk.write(f"x/{name}", f"id\n{i}\n")
    left_side, right_side = desk.sides(str(desk.folder / "x" / glob), str(desk.folder / "x"))
    of_glob = {"*.csv": {"0"}, "*/*.csv": {"1"}, "**/*.csv": {"0", "1"}}
    assert ({row[0] for row in rows(left_side)}, len(rows(right_side))) == (of_glob[glob], 2)
    hidden, _ = desk.sides(str(desk.folder / "x" / ".?.csv"), str(desk.folder / "x"))
    assert rows(hidden) == [("2",)]


def test_a_glob_that_matches_what_a_folder_passes_over_is_refused(desk: Desk) -> None:
    desk.write("x/a.csv", "id\n1\n")
    desk.write("x/_b.csv", "id\n2\n")
    desk.write("x/_old/c.csv", "id\n3\n")
    for glob in ("*.csv", "*/*.csv"):
        with pytest.raises(ConfigurationError, match="begins with '_'"):
            place("left", str(desk.folder / "x" / glob))
    assert len(place("left", str(desk.folder / "x" / "_*.csv")).files) == 1
    assert len(place("left", str(desk.folder / "x" / "_old" / "*.csv")).files) == 1


@pytest.mark.parametrize(
    ("name", "content", "value"),
    [
        ("r.csv", "id,x\n1,a\n2,\n", "a"),
        ("r.jsonl", '{"id": 1, "x": "a"}\n{"id": 2, "x": null}\n', "a"),
        ("r.jsonl", '{"id": 1, "x": "a"}\n{"id": 2, "x": 5}\n', "a"),
        ("r.jsonl", '{"id": 1, "x": 7}\n', 7),
    ],
)
def test_a_column_of_nulls_alone_has_no_type(
    desk: Desk, name: str, content: str, value: object
) -> None:
    left = parquet(desk, "l.parquet", pa.table({"id": [1, 2], "x": pa.nulls(2)}))
    left_side, right_side = desk.sides(left, desk.write(name, content))
    assert typed(left_side)["x"] == typed(right_side)["x"]
    assert (rows(left_side), rows(right_side)[0]) == ([(1, None), (2, None)], (1, value))


def test_names_that_are_cutlines_own_are_refused(desk: Desk) -> None:
    csv = desk.write("l.csv", "id\n1\n")
    left = desk.write("l.jsonl", '{"id": 1, "_cutline_Broken": 2}\n')
    with sqlite3.connect(desk.folder / "o.db") as connection:
        connection.execute("CREATE TABLE t (id, _cutline_text0)")
    connection.close()
    for table in (left, f"{desk.folder}/o.db#t"):
        with pytest.raises(ConfigurationError, match="begin with _cutline_ are Cutline's own"):
            desk.sides(table, csv)


def test_a_table_may_have_a_column_that_is_called_as_a_second_one_of_a_query(desk: Desk) -> None:
    with sqlite3.connect(desk.folder / "o.db") as connection:
        connection.executescript("CREATE TABLE t (id, a, 'a:1'); INSERT INTO t VALUES (1, 2, 3);")
    connection.close()
    table = f"{desk.folder}/o.db#t"
    assert rows(desk.sides(table, table)[0]) == [(1, 2, 3)]
    query = "SELECT id, a, a FROM t"
    with pytest.raises(ConfigurationError, match="has the column 'a' twice"):
        desk.sides(f"{desk.folder}/o.db", table, queries=(query, None))


def test_a_key_with_a_quote_says_what_to_do(desk: Desk) -> None:
    left = desk.write("l.jsonl", '{"id": 1, "customer\'s": 2}\n')
    with pytest.raises(ConfigurationError, match="a key that holds a quote: customer's") as raised:
        desk.sides(left, left)
    assert raised.value.next_step == "Rename the key where the file is made."


def test_nulls_alone_meet_any_type_of_parquet(desk: Desk) -> None:
    left = parquet(desk, "l.parquet", pa.table({"id": [1], "x": pa.nulls(1)}))
    for i, kind in enumerate((pa.string(), pa.timestamp("us"), pa.list_(pa.string()), pa.null())):
        table = pa.table({"id": [1], "x": pa.nulls(1, kind)})
        sides = desk.sides(left, parquet(desk, f"{i}.parquet", table))
        assert typed(sides[0])["x"] == typed(sides[1])["x"]


def test_a_file_with_a_mark_in_its_name_is_that_file_and_an_empty_table_is_fine(desk: Desk) -> None:
    odd = desk.write("a#1.csv", "id,name\n")
    left_side, right_side = desk.sides(odd, odd)
    assert (rows(left_side), typed(right_side)) == ([], {"id": "string", "name": "string"})


def test_times_as_spark_writes_them_are_read_and_nanoseconds_are_not(desk: Desk) -> None:
    at = pa.array([1767261600123456], pa.timestamp("us"))
    table = pa.table({"id": [1], "at": at})
    (desk.folder / "old.parquet").parent.mkdir(exist_ok=True)
    pq.write_table(table, desk.folder / "old.parquet", use_deprecated_int96_timestamps=True)
    left = desk.write("a.csv", "id,at\n1,2026-01-01T10:00:00.123456Z\n")
    left_side, right_side = desk.sides(left, str(desk.folder / "old.parquet"))
    assert typed(left_side) == {"id": "bigint", "at": "timestamp"}
    assert rows(left_side) == rows(right_side)
    nanoseconds = pa.table({"id": [1], "at": at.cast(pa.timestamp("ns"))})
    fine = parquet(desk, "fine.parquet", nanoseconds)
    with pytest.raises(ConfigurationError, match="counts nanoseconds"):
        desk.sides(left, fine)


YEAR_9999 = 2_932_896 * 86_400 * 10**6


def test_old_times_finer_than_microseconds_are_refused(desk: Desk) -> None:
    """Spark cuts them. Nanoseconds have no room for the year 9999, which it reads."""
    fine = pa.array([1_000, 1_001], pa.timestamp("ns"))
    inside = pa.array([[{"at": 1_001}], None], pa.list_(pa.struct([("at", pa.timestamp("ns"))])))
    far = pa.array([YEAR_9999 + 1, 1], pa.timestamp("us"))
    for name, times, refused in (
        ("fine", {"at": fine}, "column 'at'"),
        ("nested", {"at": far, "in": inside}, "column 'in.list.element.at'"),
        ("far", {"at": far}, ""),
    ):
        path = str(desk.folder / f"{name}.parquet")
        table = pa.table({"id": [1, 2], **times})
        pq.write_table(table, path, use_deprecated_int96_timestamps=True)
        if refused:
            with pytest.raises(ConfigurationError, match=f"{refused}.*finer than a microsecond"):
                desk.sides(path, path)
        else:
            left_side, _ = desk.sides(path, path)
            micros = left_side.frame.selectExpr("unix_micros(at) AS at").collect()
            assert [row["at"] for row in micros] == [YEAR_9999 + 1, 1]


UNREADABLE = {
    "TIME": (pa.time64("us"), 1, "is a time of day"),
    "TIME(MILLIS)": (pa.time32("ms"), 1, "is a time of day"),
    "NANOS": (pa.timestamp("ns"), 1, "counts nanoseconds"),
    "wide": (pa.decimal256(50, 0), Decimal(1), "is a decimal of 50 digits, more than 38"),
    "UUID": (pa.uuid(), b"0" * 16, "is a UUID as 16 bytes"),
    "FLOAT16": (pa.float16(), 1.0, "is a number of 16 bits"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_spark_does_not_read_is_told_by_its_column(desk: Desk, name: str) -> None:
    kind, value, why = UNREADABLE[name]
    storage = kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind
    for column, inside, column_path in (
        ("x", lambda k, v: (k, v), "x"),
        ("x", lambda k, v: (pa.struct([("in", k)]), {"in": v}), "x.in"),
        ("x", lambda k, v: (pa.list_(k), [v]), "x.list.element"),
        ("x", lambda k, v: (pa.map_(pa.string(), k), [("a", v)]), "x.key_value.value"),
    ):
        if storage is not kind and column_path != "x":
            continue
        shape, content = inside(storage, value)
        array = pa.array([content], shape)
        if storage is not kind:
            array = pa.ExtensionArray.from_storage(kind, array)
        path = parquet(desk, f"{name}.parquet", pa.table({"id": [1], column: array}))
        with pytest.raises(ConfigurationError) as error_info:
            fetch(place("left", path), "")
        assert error_info.value.what == f"left: column {column_path!r} of {path} {why}" + (
            ", which Spark does not read" if why.startswith("is a ") and "digits" not in why else ""
        )


MOST_MILLISECONDS = (2**63 - 1) // 1000


@pytest.mark.parametrize("statistics", [True, False])
def test_milliseconds_beyond_microseconds_are_told_by_their_column(
    desk: Desk, statistics: bool
) -> None:
    kind = pa.timestamp("ms", "UTC")
    for path, shape, within in (
        ("at", kind, lambda v: v),
        ("at.in", pa.struct([("in", kind)]), lambda v: {"in": v}),
        ("at.list.element", pa.list_(kind), lambda v: [v, None]),
        ("at.key_value.value", pa.map_(pa.string(), kind), lambda v: [("a", v)]),
    ):
        for value, refused in (
            (MOST_MILLISECONDS, False),
            (-MOST_MILLISECONDS, False),
            (None, False),
            (MOST_MILLISECONDS + 1, True),
            (-MOST_MILLISECONDS - 1, True),
            (-(2**63), True),
        ):
            times = pa.array([within(0), None, within(value)], shape)
            file = str(desk.folder / f"{path}{value}.parquet")
            table = pa.table({"id": [1, 2, 3], "at": times})
            pq.write_table(table, file, write_statistics=statistics, row_group_size=1)
            if not refused:
                fetch(place("left", file), "")
                continue
            with pytest.raises(ConfigurationError) as raised:
                fetch(place("left", file), "")
            assert f"column {path!r} of {file} counts milliseconds" in raised.value.what


def test_names_that_differ_in_case_only_are_refused_at_any_depth(desk: Desk) -> None:
    twins = pa.array([{"a": 1, "A": 2}])
    for column, named in ((twins, "x.a"), (pa.array([twins.to_pylist()]), "x.element.a")):
        path = parquet(desk, "t.parquet", pa.table({"id": [1], "x": column}))
        with pytest.raises(ConfigurationError, match=rf"(?i)has the column '{named}' twice"):
            fetch(place("left", path), "")


def test_a_duration_is_no_number_without_a_unit(desk: Desk) -> None:
    for kind, value in ((pa.duration("s"), 5), (pa.list_(pa.duration("ms")), [5])):
        path = parquet(desk, "d.parquet", pa.table({"id": [1], "x": pa.array([value], kind)}))
        with pytest.raises(ConfigurationError, match=r"column 'x' of .* has durations, whose unit"):
            fetch(place("left", path), "")


def test_a_compression_that_spark_does_not_know_is_told(desk: Desk) -> None:
    path = str(desk.folder / "b.parquet")
    pq.write_table(pa.table({"id": [1]}), path, compression="brotli")
    with pytest.raises(ConfigurationError, match="is compressed with BROTLI"):
        fetch(place("left", path), "")
