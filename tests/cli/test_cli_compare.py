"""`cutline compare`: two tables in any folder, exit codes, what is printed and what is written."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from decimal import Decimal
from pathlib import Path
from xml.etree import ElementTree as Xml

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.cli_process import cutline
from support.command_line import parser

LEFT = """id,name,total,status,old
1,Ann,10.00,A,x
2,Bob ,20.00,A,x
3,Cy,30.00,A,x
4,\x1b[31mDi,40.00,B,x
5,Ed,50.00,B,x
5,Ed,50.00,B,x
,Nobody,0.00,B,x
7,Gus,70.00,B,x
"""
RIGHT = """{"no":1,"name":"Ann","total":10.005,"status":"ACTIVE"}
{"no":2,"name":"bob","total":20.00,"status":"ACTIVE"}
{"no":3,"name":"Cy","total":31.00,"status":"ACTIVE"}
{"no":4,"name":"Di","total":40.00,"status":"B"}
{"no":5,"name":"Ed","total":50.00,"status":"B"}
{"no":6,"name":"Flo","total":60.00,"status":"B"}
"""
RULES = """rename: {id: no}
ignore: [old]
columns:
  name: {trim: true, case: ignore}
  total: {tolerance: 0.01}
  status: {map: {A: ACTIVE}}
"""
CONTRACT = {
    "rows_left": 8, "rows_right": 6, "matched": 2, "changed": 2, "only_left": 1, "only_right": 1,
    "duplicate_keys_left": 1, "duplicate_keys_right": 0, "null_keys_left": 1, "null_keys_right": 0,
}  # fmt: skip


def compare(capfd: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        parser()(["compare", *(str(a) for a in args)])
    out, err = capfd.readouterr()
    return end.value.code, out, err


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with two tables and rules, and no project."""
    (tmp_path / "a.csv").write_text(LEFT)
    (tmp_path / "b.jsonl").write_text(RIGHT)
    (tmp_path / "rules.yaml").write_text(RULES)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_people_read_verdict_classes_columns_and_examples(
    spark, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, err = compare(
        capfd, "a.csv", "b.jsonl", "--key", "id", "--rules", "rules.yaml", "--out", "found"
    )
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert code == 1
    assert lines[0] == "DIFFERENT a.csv → b.jsonl, by id"
    assert lines[1].startswith("2 of 4 common keys changed, 1 row only on the left, ")
    assert lines[3:11] == [
        "rows left right",
        "matched 2 2",
        "of them only by rules 2 2",
        "changed 2 2",
        "only on one side 1 1",
        "duplicated 2 1",
        "null in the key 1 0",
        "all 8 6",
    ]
    assert "name 1 1 4 trim 1, case 1" in lines
    assert "total 1 1 4 tolerance 1" in lines
    assert "status 0 3 4 map 3" in lines
    assert "total '30.000' '31.000' 1 3" in lines
    assert "name '\\x1b[31mDi' 'Di' 1 4" in lines
    assert "only right 6" in lines
    assert lines[-1] == "ignored by rules: old"
    assert "\x1b" not in out
    assert "left: reading a.csv" in err
    _holds_every_view(folder / "found")
    assert not any((folder / "scratch").iterdir())
    again = compare(capfd, "a.csv", "a.csv", "--key", "id", "--out", "found")
    assert again[0] == 0
    assert json.loads((folder / "found" / "comparison.json").read_text())["equal"] is True


def test_values_of_an_ignored_column_are_not_read(
    spark, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "l.csv").write_text("id,n,loaded\n1,5,n/a\n2,,7\n")
    (folder / "r.jsonl").write_text('{"id": 1, "n": 5, "at": 3}\n{"id": 2, "n": null, "at": 4}\n')
    options = "--key", "id", "--rules", "rules.yaml"
    for ignored in ("loaded", "at"):
        (folder / "rules.yaml").write_text(f"rename: {{loaded: at}}\nignore: [{ignored}]\n")
        code, out, err = compare(capfd, "l.csv", "r.jsonl", *options)
        assert (code, "2 rows are alike" in out) == (0, True), err
    # What a rule computes with is read in the type of the column that it meets.
    with (folder / "rules.yaml").open("a") as rules:
        rules.write("where: {right: at > 3}\n")
    code, _, err = compare(capfd, "l.csv", "r.jsonl", *options)
    assert (code, "1 value in column loaded that is no bigint: 'n/a'" in err) == (2, True), err


def _holds_every_view(folder: Path) -> None:
    comparison = json.loads((folder / "comparison.json").read_text())
    assert {name: comparison[name] for name in CONTRACT} == CONTRACT
    assert comparison["columns"]["total"] | {"forgiven_by": {}} == {
        "compared": 4, "different": 1, "within_tolerance": 1, "forgiven_by": {},
    }  # fmt: skip
    assert comparison["right"]["types"] == {
        "id": "number", "name": "text", "total": "number", "status": "text",
    }  # fmt: skip
    suite = Xml.parse(folder / "junit.xml").getroot().find("testsuite")
    assert suite is not None
    assert suite.get("failures") == "7"
    assert "DIFFERENT" in (folder / "comparison.html").read_text()
    details = pq.read_table(folder / "details").to_pylist()
    classes = sorted(row["class"] for row in details)
    assert classes == [
        "changed", "changed", "duplicated", "null_key", "only_left", "only_right",
        "within_tolerance", "within_tolerance",
    ]  # fmt: skip
    assert {path.name for path in folder.iterdir()} == {
        "comparison.html", "comparison.json", "details", "junit.xml",
    }  # fmt: skip


def test_programs_read_one_json_document(
    spark, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = compare(
        capfd, "a.csv", "b.jsonl", "--key", "id", "--rules", "rules.yaml", "--json"
    )
    comparison = json.loads(out)
    assert code == 1
    assert {name: comparison[name] for name in CONTRACT} == CONTRACT
    assert comparison["equal"] is False
    assert comparison["forgave"]["status.map"] == 3
    assert comparison["examples"] is None


def test_a_legacy_database_meets_what_was_extracted_of_it(
    spark, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with sqlite3.connect("legacy.db") as connection:
        connection.execute(
            "CREATE TABLE orders (id INTEGER PRIMARY KEY, total DECIMAL(12,2), at TEXT)"
        )
        rows = [(9007199254740993, 10, "2026-01-01T10:00:00Z"), (2, 0.1, None)]
        connection.executemany("INSERT INTO orders VALUES (?, ?, ?)", rows)
    connection.close()
    (folder / "t").mkdir()
    for i, (number, total, at) in enumerate(
        ((9007199254740992, "10.00", 1767261600000000), (2, "0.10", None))
    ):
        table = {
            "id": pa.array([number], pa.int64()),
            "total": pa.array([Decimal(total)], pa.decimal128(12, 2)),
            "at": pa.array([at], pa.timestamp("us", "UTC")),
        }
        pq.write_table(pa.table(table), folder / "t" / f"{i}.parquet")
    code, out, _ = compare(capfd, "legacy.db#orders", "t", "--key", "id", "--json")
    comparison = json.loads(out)
    assert code == 1
    assert (
        comparison["matched"],
        comparison["changed"],
        comparison["only_left"],
        comparison["only_right"],
    ) == (1, 0, 1, 1)
    query = "SELECT id - (id > 99) AS id, total, at FROM orders"
    code, out, _ = compare(
        capfd, "legacy.db", "t/*.parquet", "--key", "id", "--left-query", query, "--json"
    )
    assert (code, json.loads(out)["matched"]) == (0, 2)


def test_texts_that_a_rule_maps_are_not_read_as_what_they_stand_for(
    spark, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "c.csv").write_text("id,state,at\n1,OPEN,2026-07-01 12:00:00\n2,DONE,\n")
    instant = pa.array([1782900000000000, None], pa.timestamp("us", "UTC"))
    table = {"id": pa.array([1, 2]), "state": pa.array([10, 20], pa.int32()), "at": instant}
    pq.write_table(pa.table(table), folder / "d [1] {x}.parquet")
    (folder / "map.yaml").write_text(
        "columns:\n  state: {map: {OPEN: '10', DONE: '20'}}\n  at: {zone: {left: Europe/Berlin}}\n"
    )
    code, out, err = compare(
        capfd,
        "c.csv",
        "d [1] {x}.parquet",
        "--key",
        "id",
        "--rules",
        "map.yaml",
        "--json",
        "--out",
        "odd [1] {x}",
    )
    assert (code, json.loads(out or "{}").get("matched")) == (0, 2), err
    assert len(pq.read_table(folder / "odd [1] {x}" / "details")) == 2


def test_texts_that_a_rule_counts_are_not_read_as_their_number(
    spark, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "c.csv").write_text("id,codes,sums\n1,a,1\n1,b,2\n2,c,4\n")
    table = {"id": [1, 2], "number": pa.array([2, 1], pa.int64()), "sums": [3, 4]}
    pq.write_table(pa.table(table), folder / "n.parquet")
    (folder / "count.yaml").write_text(
        "rename: {codes: number}\ncombine:\n  left: {codes: count, sums: sum}\n"
    )
    arguments = ("c.csv", "n.parquet", "--key", "id", "--rules", "count.yaml", "--json")
    code, out, err = compare(capfd, *arguments)
    assert (code, json.loads(out or "{}").get("matched")) == (0, 2), err


def test_what_was_lost_is_noted_and_one_key_is_shown_once(
    spark, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "c.csv").write_text("id,zip\n1,01234\n2,98765\n,1\n,2\n,3\n")
    zips = pa.table({"id": [1, 2], "zip": pa.array([1234, 98765], pa.int32())})
    pq.write_table(zips, folder / "d.parquet")
    note = (
        "left: 1 value in column zip read as int and compared so, without how they are written "
        "(zeros before them, a plus sign, blanks or an exponent): '01234'"
    )
    code, out, _ = compare(capfd, "c.csv", "d.parquet", "--key", "id")
    assert code == 1
    assert f"note: {note}" in " ".join(out.split())
    assert [line for line in out.splitlines() if line.startswith("null key")] == ["null key  null"]
    code, out, _ = compare(capfd, "c.csv", "d.parquet", "--key", "id", "--json", "--out", "found")
    assert (code, json.loads(out)["left"]["notes"]) == (1, [note])
    assert "&#39;01234&#39;" in (folder / "found" / "comparison.html").read_text()


@pytest.mark.postgres
def test_a_server_is_compared_and_its_password_is_nowhere(
    spark, folder: Path, capfd: pytest.CaptureFixture[str], postgres_url: str
) -> None:
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE TABLE orders (id bigint, total numeric(12,2), at timestamptz)")
        connection.execute(
            "INSERT INTO orders VALUES (1, 1.10, '2026-01-01 10:00:00+00'), (2, NULL, NULL)"
        )
    (folder / "c.csv").write_text("id,total,at\n1,1.1,2026-01-01T11:00:00+01:00\n2,,\n")
    code, out, err = compare(
        capfd, "c.csv", f"{postgres_url}#orders", "--key", "id", "--out", "found"
    )
    assert code == 0
    assert out.splitlines()[1] == "All 2 rows are alike."
    written = "".join(p.read_text() for p in (folder / "found").iterdir() if p.is_file())
    assert "correct-horse" not in out + err + written
    code, out, err = compare(capfd, "c.csv", f"{postgres_url}#order", "--key", "id")
    assert code == 2
    assert "Did you mean 'orders'?" in err
    assert "correct-horse" not in out + err


@pytest.mark.parametrize(
    ("args", "code", "message", "then"),
    [
        (["a.csv", "gone.parquet", "--key", "id"], 2, "there is no file gone.parquet", ""),
        (["a.csv", "b.jsonl", "--key", ","], 2, "--key names no column.", "--key id,line"),
        (["a.csv", "b.jsonl", "--key", "id", "--rules", "gone.yaml"], 2, "gone.yaml", ""),
        (["a.csv", "b.jsonl", "--key", "id", "--rules", "bad.yaml"], 2, "bad.yaml: columns.total.tolerence", ""),
        (["a.csv", "b.jsonl", "--key", "id", "--encoding", "utf-9"], 2, "--encoding utf-9", ""),
        (["a.csv", "b.jsonl", "--key", "id", "--delimiter", "||"], 2, "--delimiter '||'", ""),
        (["a.csv", "b.jsonl", "--key", "id", "--delimiter", "\\"], 2, "delimits no values", ""),
        (["a.csv", "b.jsonl", "--key", "id", "--memory", "lots"], 2, "--memory lots", ""),
        (["a.csv", "b.jsonl", "--key", "id", "--out", "a.csv"], 2, "--out: a.csv cannot be written", ""),
        (["a.csv", "b.jsonl", "--key", "id", "--out", "a.csv/x"], 2, "--out: a.csv/x cannot be", ""),
        (["a.csv", "b.jsonl", "--key", "id", "--out", "."], 2, "holds something that is no comp", "empty folder"),
        (["a.csv", "b.jsonl", "--key", "id", "--left-query", "SELECT 1"], 2, "to a database only", ""),
        (["a.csv", "b.jsonl"], 2, "Missing option '--key'", ""),
        (["a.csv", "b.jsonl", "--key", "id"], 2, "column id is not on the right side", "It has:"),
        (["a.csv", "bad.csv", "--key", "id"], 2, "right: line 3 of bad.csv is malformed", "--delimiter"),
        (["a.csv", "a.csv", "--key", "id", "--as-text", "nam"], 2, "Did you mean 'name'?", ""),
        (["n.jsonl", "a.csv", "--key", "id"], 2, "1 value in column total that is no bigint: 'x'", ""),
        (["n.jsonl", "t.jsonl", "--key", "id"], 2, "column total is bigint on the left and string on the right: a text is no number", "--as-text total"),
        (["u.parquet", "u.parquet", "--key", "id"], 2, "column 's.t' of u.parquet is a time of day", "Write it as text"),
        (["torn.parquet", "torn.parquet", "--key", "id"], 3, "failed:", "run the same command"),
    ],
)  # fmt: skip
def test_what_is_written_wrong_ends_with_a_sentence(
    spark,
    folder: Path,
    capfd: pytest.CaptureFixture[str],
    args: list[str],
    code: int,
    message: str,
    then: str,
) -> None:
    (folder / "bad.yaml").write_text("columns:\n  total: {tolerence: 1}\n")
    (folder / "bad.csv").write_text('id,name\n1,Ann\n2,"Bob"x\n')
    (folder / "n.jsonl").write_text('{"id":1,"total":1e3}\n')
    (folder / "t.jsonl").write_text('{"id":1,"total":"1000"}\n')
    struct = pa.array([{"t": 1}], pa.struct([("t", pa.time64("us"))]))
    pq.write_table(pa.table({"id": [1], "s": struct}), folder / "u.parquet")
    (folder / "a.csv").write_text(LEFT.replace("10.00", "x") if args[0] == "n.jsonl" else LEFT)
    pq.write_table(
        pa.table({"id": list(range(5000))}), folder / "torn.parquet", use_dictionary=False
    )
    whole = (folder / "torn.parquet").read_bytes()
    (folder / "torn.parquet").write_bytes(whole[:8] + b"\xff" * 4000 + whole[4008:])
    ended, out, err = compare(capfd, *args)
    assert ended == code
    assert out == ""
    assert message in " ".join(err.split())
    assert then in err
    assert "Traceback" not in err
    assert not any((folder / "scratch").iterdir())


def test_nothing_is_kept_of_a_folder_that_was_asked_for_in_vain(
    spark, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "c.csv").write_text("id,x\n1,2\n")
    wrong = ("c.csv", "c.csv", "--key", "no", "--out", "found")
    assert compare(capfd, *wrong)[0] == 2
    assert not (folder / "found").exists()
    good = ("c.csv", "c.csv", "--key", "id", "--out", "found", "--json")
    assert compare(capfd, *good)[0] == 0
    before = (folder / "found" / "comparison.html").read_bytes()
    assert compare(capfd, *wrong)[0] == 2
    assert (folder / "found" / "comparison.html").read_bytes() == before
    assert sorted(path.name for path in (folder / "found").iterdir()) == [
        "comparison.html", "comparison.json", "junit.xml",
    ]  # fmt: skip


@pytest.mark.process
def test_usage_errors_come_before_spark_is_loaded(folder: Path) -> None:
    done = cutline("compare", folder / "a.csv", folder / "gone.csv", "--key", "id")
    assert done.returncode == 2
    assert "WARNING" not in done.stderr
    assert done.stdout == ""
