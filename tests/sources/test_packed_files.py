"""Packed text files are refused by their first bytes, whatever they are called."""

from __future__ import annotations

import bz2
import gzip
import lzma
from pathlib import Path

import pyspark.sql.types as T
import pytest
from pyspark.sql import SparkSession

from cutline.errors import ConfigurationError
from cutline.sources.files import open_text_file
from cutline.translator import SourceContract, column, table
from support.extracting import Extract, change, write

LINE = b'{"op": "c"}\n'


class Order(SourceContract):
    """One order."""

    order_no: T.StringType = column(doc="its number", nullable=False)

    class Config:
        """Where the rows come from."""

        metadata = table("erp", "orders", key=["order_no"])


def packers() -> dict[str, bytes]:
    """A line as each packer that Python has writes it."""
    return {"gzip": gzip.compress(LINE), "bzip2": bz2.compress(LINE), "xz": lzma.compress(LINE)}


@pytest.mark.parametrize("packer", packers())
def test_the_packer_is_named(tmp_path: Path, packer: str) -> None:
    file = tmp_path / "changes.jsonl"
    file.write_bytes(packers()[packer])
    refused = pytest.raises(ConfigurationError, match=f"its.key: .*jsonl is packed by {packer}")
    with refused, open_text_file(file, "its.key"):
        pass


@pytest.mark.parametrize("content", [LINE, b"", b"BZh9,PK\n", b"P"])
def test_text_is_read_from_its_beginning(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "lines"
    file.write_bytes(content)
    with open_text_file(file, "its.key") as handle:
        assert handle.read() == content


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_an_extract_that_is_packed_stops_the_run(
    spark: SparkSession, tmp_path: Path, kind: str
) -> None:
    content = "order_no\n1\n" if kind == "csv" else '{"order_no": "1"}\n'
    write(tmp_path / "orders.txt", gzip.compress(content.encode()))
    tables = {"orders": {"path": "orders.txt"}}
    extract = Extract(tmp_path, {"erp": {"kind": kind, "path": ".", "tables": tables}}, (Order,))
    with pytest.raises(ConfigurationError, match=r"erp.tables.orders.*packed by gzip") as refusal:
        extract.run(spark, "all")
    assert refusal.value.next_step == "Unpack it, and name the unpacked file."


def test_a_change_file_that_is_packed_stops_the_run(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path / "orders.csv", "order_no\n1\n")
    line = change("c", None, {"order_no": "2"})
    write(tmp_path / "changes.jsonl", gzip.compress(line.encode()))
    changes = {
        "kind": "debezium",
        "path": "changes.jsonl",
        "snapshot": {"policy": "exported-snapshot", "consistent_point": "1"},
    }
    tables = {"orders": {"path": "orders.csv"}}
    source = {"kind": "csv", "path": ".", "tables": tables, "changes": changes}
    with pytest.raises(ConfigurationError, match=r"erp.changes.*jsonl is packed by gzip"):
        Extract(tmp_path, {"erp": source}, (Order,)).run(spark, "all")
