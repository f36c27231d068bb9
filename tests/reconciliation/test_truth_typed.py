"""Texts of the legacy's truth in the types of the state: exactly, or told as unreadable."""

from __future__ import annotations

from pyspark.sql import SparkSession

from cutline_reconciliation.compare.columns.parse_texts import UNREADABLE, parse_texts

# type, what is read (text -> as text), what is unreadable
LITERAL: dict[str, tuple[dict[str, str], list[str]]] = {
    "bigint": ({"7": "7", "-0": "0"}, ["1.0", "7L", "٧", "0x7"]),
    "decimal(12,2)": ({"1.500": "1.50", "15e-1": "1.50"}, ["1.005", "12f", "１", "1_0"]),
    "double": ({"0.1": "0.1", "1e3": "1000.0"}, ["12f", "5d", "0x1p3", "NaN", "Infinity"]),
    "boolean": ({"1": "true", "0": "false"}, ["2"]),
    "date": ({"2026-10-28": "2026-10-28", "2026-10-28 00:00:00": "2026-10-28"}, ["2026-10-28 09:15"]),
    "timestamp": (
        {
            "2026-10-28": "2026-10-28 00:00:00",
            "2026-10-28T09:15:00.1234560+01:00": "2026-10-28 08:15:00.123456",
        },
        ["T09:15", "2026-10-28T09:15:00.1234567Z"],
    ),
}  # fmt: skip


def test_what_is_read_and_what_is_unreadable(spark: SparkSession) -> None:
    wrong = []
    for ddl, (readable, refused) in LITERAL.items():
        texts = [*readable, *refused]
        frame = spark.createDataFrame([(t,) for t in texts], "v string")
        kind = spark.sql(f"SELECT CAST(NULL AS {ddl}) v").schema["v"].dataType
        read = parse_texts(frame, {"v": kind}).selectExpr(
            "CAST(v AS string)", f"size({UNREADABLE})"
        )
        expected = [*((v, 0) for v in readable.values()), *((None, 1) for _ in refused)]
        parsed = [tuple(row) for row in read.collect()]
        wrong += [(ddl, t, g) for t, g, e in zip(texts, parsed, expected, strict=True) if g != e]
    assert wrong == []
