"""Every line of a file is a record, or is named: random files, and a reader that loses some."""

from __future__ import annotations

import tempfile
from pathlib import Path
from unittest import mock

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutline.errors import ConservationError
from cutline.project.source import CsvSource
from cutline.sources import csv_files, text_records
from cutline.sources.text_records import TextFormat, split_records


@st.composite
def delimited_files(draw):
    """A delimited file as bytes, how it is to be read, and its records, blank lines left out."""
    delimiter = draw(st.sampled_from(",;\t| "))
    multiline = draw(st.booleans())
    encoding = draw(st.sampled_from(["utf-8", "utf-16", "windows-1252"]))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    plain = st.sampled_from(["", " ", "  ", "a", "é", "\x0b", "0"])
    inner = ["\n", f"{end}{end}", f"x{end}y", '""', delimiter] if multiline else ['""', delimiter]
    quoted = st.sampled_from(["", *inner]).map(lambda value: f'"{value}"')
    row = st.lists(st.one_of(plain, quoted), min_size=2, max_size=3).map(delimiter.join)
    rows = draw(st.lists(st.one_of(row, st.just("")), max_size=12))
    written = end.join(["first" + delimiter + "second", *rows])
    written += draw(st.sampled_from(["", end, end + end]))
    if encoding == "utf-8":
        written = draw(st.sampled_from(["", "\ufeff"])) + written
    section = CsvSource(
        kind="csv",
        path=".",
        tables={"t": {}},
        delimiter=delimiter,
        multiline=multiline,
        encoding=encoding,
    )
    return (
        written.encode(encoding),
        csv_files.text_format(section, header=True),
        [r for r in rows if r],
    )


@st.composite
def change_files(draw):
    """A change file as bytes, how it is to be read, and its records, blank lines left out."""
    end = draw(st.sampled_from(["\n", "\r\n"]))
    record = st.sampled_from(['{"op":"c"}', "null", '{"id":1}^', '{"id":1}^{"op":"d"}', "{}", "{"])
    kinds = st.one_of(record, st.sampled_from(["", " ", "\t", " \t"]))
    rows = draw(st.lists(kinds, max_size=12))
    licence = draw(st.sampled_from(["", f"/*{end} * x{end}{end} */{end}{end}"]))
    written = licence + end.join(rows) + draw(st.sampled_from(["", end]))
    return written.encode(), TextFormat(licence=True), [r for r in rows if r.strip()]


def cut(content, text):
    """What `split_records` writes of a file, and the account that it gives."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "given"
        path.write_bytes(content)
        (account,) = split_records([path], f"{folder}/out", "sources.s", text).files
        return pq.read_table(f"{folder}/out")["line"].to_pylist(), account


@settings(max_examples=300, deadline=None)
@given(st.one_of(delimited_files(), change_files()), st.sampled_from([5, 64, 8 << 20]))
def test_every_line_is_a_record_or_is_named(given_file, piece):
    content, text, expected = given_file
    if b"/*" in content:
        piece = 8 << 20  # a licence is looked for in the first piece only
    with mock.patch.object(text_records, "_CHUNK_BYTES", piece):
        records, account = cut(content, text)
    assert records == expected
    assert account.records == len(expected)
    assert account.headers == int(text.header)


def _white_is_blank(content, text):
    return pc.greater(pc.binary_length(pc.ascii_trim_whitespace(content)), 0)


def _last_is_lost(content, text):
    return pc.not_equal(content, content[-1]) if len(content) else pc.is_valid(content)


@pytest.mark.parametrize("mutant", [_white_is_blank, _last_is_lost])
@pytest.mark.parametrize("multiline", [False, True])
def test_a_reader_that_loses_a_row_is_found_out(monkeypatch, mutant, multiline):
    """The first was Cutline's own: it took a row of tabs, or of blanks, for a blank line."""
    monkeypatch.setattr(text_records, "_has_content", mutant)
    section = CsvSource(kind="csv", path=".", tables={"t": {}}, delimiter="\t", multiline=multiline)
    content = b'a\tb\n1\t"x"\n\t\n2\ty\n'
    with pytest.raises(ConservationError, match=r"/given has 4 lines, of which 0 are blank"):
        cut(content, csv_files.text_format(section, header=True))
