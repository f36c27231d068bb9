"""CSV by the book: what breaks the rules is kept as a defect, and nothing is guessed."""

from __future__ import annotations

import json

import pyspark.sql.types as T
import pytest

from cutline.errors import ConfigurationError
from cutline.translator import SourceContract, column, table
from support.extracting import Extract, write


class Release(SourceContract):
    """One release of one order."""

    order_no: T.StringType = column(doc="the order", nullable=False)
    region: T.StringType = column(doc="the region")
    note: T.StringType = column(doc="a note")
    pieces: T.LongType = column(doc="pieces")

    class Config:
        metadata = table("warehouse", "releases", key=["order_no"])


class Word(SourceContract):
    """One word."""

    word: T.StringType = column(doc="the word", nullable=False)

    class Config:
        metadata = table("warehouse", "words", key=["word"])


HEADER = "order_no,region,note,pieces\n"


def warehouse(tmp_path, content, region="region = :region", **options):
    write(tmp_path / "in" / "releases.csv", content)
    tables = {
        "releases": {"path": "releases.csv", "region": region},
        "places": {"path": "places.csv"},
    }
    sources = {"warehouse": {"kind": "csv", "path": "in", "tables": tables} | options}
    return Extract(tmp_path, sources, (Release,))


def images(extract, spark, region="eu"):
    extracted = extract.run(spark, region)
    assert extracted.result.rows_in == extracted.result.rows_out
    return extracted.rows("warehouse_releases", "after.*", "defects")


def test_rows_of_the_slice_and_every_line_that_is_malformed(spark, tmp_path):
    content = HEADER + (
        '1,eu,"a, ""quoted"" note",3\r\n'
        "2,us,another region,3\n"
        "\n"
        '3,eu,"open,3\n'
        '4,eu,"closed"late,3\n'
        '5,eu,in "the" middle,3\n'
        "6,eu,too few\n"
        "7,eu,too,many,values\n"
        "8,eu,,\n"
        '9,eu,"",many\n'
    )
    extracted = warehouse(tmp_path, content).run(spark)
    assert extracted.rows("warehouse_releases", "key", "after.*", "defects") == sorted(
        [
            ('["1"]', "1", "eu", 'a, "quoted" note', 3, []),
            *[(None, None, None, None, None, ["malformed-line"])] * 5,
            ('["8"]', "8", "eu", None, None, []),
            ('["9"]', "9", "eu", None, None, ["wrong-type:pieces"]),
        ],
        key=repr,
    )
    payloads = [p for (p,) in extracted.rows("warehouse_releases", "payload") if p]
    assert '3,eu,"open,3' in payloads
    assert "7,eu,too,many,values" in payloads
    assert {"order_no": "9", "region": "eu", "note": None, "pieces": "many"} in [
        json.loads(p) for p in payloads if p.startswith("{")
    ]
    assert extracted.result.rows_in == extracted.result.rows_out == 8


@pytest.mark.parametrize("delimiter", [",", "\t", ";", " "])
def test_a_row_of_delimiters_or_blanks_alone_is_a_row(spark, tmp_path, delimiter):
    lines = [HEADER.strip(), "1,eu,x,1", ",,,", "", "2,eu,y,2", ",,,", "\x0b", "\x0c\x0b", ""]
    content = "\r\n".join(lines).replace(",", delimiter)
    extract = warehouse(tmp_path, content, region=None, delimiter=delimiter)
    assert images(extract, spark) == [
        ("1", "eu", "x", 1, []),
        ("2", "eu", "y", 2, []),
        (None, None, None, None, ["malformed-line"]),
        (None, None, None, None, ["malformed-line"]),
        (None, None, None, None, ["null-key:order_no"]),
        (None, None, None, None, ["null-key:order_no"]),
    ]


def test_blanks_alone_are_the_value_of_a_table_of_one_column(spark, tmp_path):
    write(tmp_path / "in" / "words.csv", "word\n  \n\n\t\nlast")
    tables = {"words": {"path": "words.csv"}}
    sources = {"warehouse": {"kind": "csv", "path": "in", "tables": tables}}
    extracted = Extract(tmp_path, sources, (Word,)).run(spark)
    assert extracted.rows("warehouse_words", "after.word") == [("  ",), ("\t",), ("last",)]


def test_a_carriage_return_alone_ends_no_line(spark, tmp_path):
    rows = images(warehouse(tmp_path, HEADER + "1,eu,a,1\r2,eu,b,2\n3,eu,c,3\n"), spark)
    assert rows == [
        ("3", "eu", "c", 3, []),
        (None, None, None, None, ["malformed-line"]),
    ]
    with pytest.raises(ConfigurationError, match=r"releases.csv has carriage returns where lines"):
        warehouse(tmp_path, (HEADER + "1,eu,a,1\n").replace("\n", "\r")).run(spark)


def test_bytes_of_another_encoding_spoil_their_row_only(spark, tmp_path):
    content = (HEADER + "1,eu,café,1\n").encode() + b"2,eu,caf\xe9,2\n3,\xe9u,x,3\n4,us,caf\xe9,4\n"
    assert images(warehouse(tmp_path, content), spark) == [
        ("1", "eu", "café", 1, []),
        ("2", "eu", None, 2, ["not-in-encoding"]),
        ("3", None, "x", 3, ["not-in-encoding"]),
    ]


def test_a_replacement_character_that_is_in_the_file_is_a_character(spark, tmp_path):
    assert images(warehouse(tmp_path, HEADER + "1,eu,\ufffd,1\n"), spark) == [
        ("1", "eu", "\ufffd", 1, [])
    ]


@pytest.mark.parametrize("options", [{}, {"multiline": True}])
def test_a_character_of_number_0_is_part_of_its_value(spark, tmp_path, options):
    written = ["a\0b", '"a\0b"', '"a\0b,c"', '"a\0""b"', '"\0"', '"\0\0"', '"""\0"']
    values = ["a\0b", "a\0b", "a\0b,c", 'a\0"b', "\0", "\0\0", '"\0']
    content = HEADER + "".join(f"{i},eu,{text},{i}\n" for i, text in enumerate(written))
    read_rows = images(warehouse(tmp_path, content, **options), spark)
    assert read_rows == [(str(i), "eu", value, i, []) for i, value in enumerate(values)]
    write(tmp_path / "in" / "words.csv", "word\n" + "".join(f"{text}\n" for text in written))
    source = {"kind": "csv", "path": "in", "tables": {"words": {"path": "words.csv"}}} | options
    extracted = Extract(tmp_path, {"warehouse": source}, (Word,)).run(spark)
    assert sorted(w for (w,) in extracted.rows("warehouse_words", "after.word")) == sorted(values)


@pytest.mark.parametrize(
    ("encoding", "broken"),
    [
        ("windows-1252", b"2,eu,\x81,2\n"),
        ("utf-16", "2,eu,\udc00,2\n".encode("utf-16-le", "surrogatepass")),
    ],
)
def test_other_encodings_are_decoded_strictly(spark, tmp_path, encoding, broken):
    content = (HEADER + "1,eu,Größe,1\n").encode(encoding) + broken
    assert images(warehouse(tmp_path, content, encoding=encoding), spark) == [
        ("1", "eu", "Größe", 1, []),
        ("2", "eu", None, 2, ["not-in-encoding"]),
    ]


def test_every_byte_is_a_character_of_latin_1(spark, tmp_path):
    content = (HEADER + "1,eu,Größe\x81,1\n").encode("iso-8859-1")
    assert images(warehouse(tmp_path, content, encoding="iso-8859-1"), spark) == [
        ("1", "eu", "Größe\x81", 1, [])
    ]


def test_values_over_several_lines_do_not_hide_a_broken_quote(spark, tmp_path):
    content = HEADER + (
        '1,eu,"two\nlines",1\n2,eu,"open,2\n3,eu,"x",3\n4,eu,y,4\n5,eu,"three\n\nlines",5\n'
    )
    rows = images(warehouse(tmp_path, content, multiline=True), spark)
    assert rows == [
        ("1", "eu", "two\nlines", 1, []),
        ("3", "eu", "x", 3, []),
        ("4", "eu", "y", 4, []),
        ("5", "eu", "three\n\nlines", 5, []),
        (None, None, None, None, ["malformed-line"]),
    ]


def test_a_semicolon_and_a_byte_order_mark(spark, tmp_path):
    content = "\ufeff" + (HEADER + "1,eu,a|b,1\n").replace(",", ";")
    assert images(warehouse(tmp_path, content, delimiter=";"), spark) == [("1", "eu", "a|b", 1, [])]


def test_a_header_alone_is_an_empty_table(spark, tmp_path):
    assert images(warehouse(tmp_path, HEADER), spark) == []
    assert images(warehouse(tmp_path, HEADER.strip()), spark) == []


def test_several_files_of_one_table_have_one_header_each(spark, tmp_path):
    extract = warehouse(tmp_path, HEADER + "1,eu,a,1\n")
    write(tmp_path / "in" / "releases-2.csv", HEADER + "1,eu,b,1\n2,eu,c,1\n")
    extract.sources["warehouse"]["tables"]["releases"]["path"] = "releases*.csv"
    assert images(extract, spark) == [
        ("1", "eu", "a", 1, ["duplicate-key"]),
        ("1", "eu", "b", 1, ["duplicate-key"]),
        ("2", "eu", "c", 1, []),
    ]
    write(tmp_path / "in" / "releases-3.csv", HEADER.replace("note", "remark"))
    with pytest.raises(ConfigurationError, match=r"the header of .*releases-3.csv is not that of"):
        extract.run(spark)


def test_a_predicate_sees_the_other_declared_tables(spark, tmp_path):
    write(tmp_path / "in" / "places.csv", "order_no,place\n1,us\n2,eu\n")
    extract = warehouse(
        tmp_path,
        HEADER + "1,x,a,1\n2,x,b,1\n3,x\n",
        region="order_no IN (SELECT order_no FROM places WHERE place = :region)",
    )
    assert images(extract, spark) == [
        ("2", "x", "b", 1, []),
        (None, None, None, None, ["malformed-line"]),
    ]


@pytest.mark.parametrize(
    "predicate", ["regin = :region", "region = = :region", "order_no IN (SELECT x FROM places)"]
)
def test_a_wrong_predicate_names_table_and_predicate(spark, tmp_path, predicate):
    write(tmp_path / "in" / "places.csv", "order_no,place\n")
    with pytest.raises(ConfigurationError) as raised:
        warehouse(tmp_path, HEADER, region=predicate).run(spark)
    assert "sources.warehouse.tables.releases.region" in raised.value.what
    assert predicate in raised.value.what
    assert not (tmp_path / "lake" / "eu" / "changes_warehouse_releases").exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", ["is empty", "releases.csv"]),
        ("\n\n", ["is empty"]),
        ("order_no,region,note,Note,pieces\n", ["column 'Note' twice"]),
        ("order_no,region,_Cutline_line\n", ["'_Cutline_line'", "_cutline_ are Cutline's own"]),
        ('order_no,"region,note,pieces\n', ["header", "cannot be read"]),
        (b"order_no,r\xe9gion,note,pieces\n", ["header", "cannot be read"]),
        ("order_no,regio,note,pieces\n", ["lacks column 'region'", "Did you mean 'regio'?"]),
    ],
)
def test_a_header_that_cannot_be_used_stops_the_run(spark, tmp_path, content, words):
    with pytest.raises(ConfigurationError) as raised:
        warehouse(tmp_path, content).run(spark)
    for word in words:
        assert word in raised.value.what


def test_a_missing_file_names_the_key_and_the_path(spark, tmp_path):
    extract = warehouse(tmp_path, HEADER)
    (tmp_path / "in" / "releases.csv").unlink()
    with pytest.raises(ConfigurationError) as raised:
        extract.run(spark, positions={"warehouse": "-"})
    assert "sources.warehouse.tables.releases.path" in raised.value.what
    assert "releases.csv" in raised.value.what
