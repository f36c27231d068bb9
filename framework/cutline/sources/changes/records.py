"""From lines to records: the place of each, its key and headers, and its value.

Each line is recognised by itself: the change alone; the change with its schema; `key^change`; or a
record with its metadata, as `kcat -J` writes it, with its payload as text. If a line has no
partition and offset, the number of its file and its own place are used.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.sources.changes.mend import with_mended_object
from cutline.spark import json_text

PARSED = "parsed"
"""A number without meaning. A filter that uses it stays above the parsing: otherwise Spark moves it
below, and repeats the parsing for each mention of a parsed value.
"""

PLACE = ("file", "number", "place", "line", "valid", "partition", "offset", PARSED)
"""Where a record comes from: the index of its file, its line there, its place among all lines; its
bytes, and whether they and all values in them are valid UTF-8; partition and offset; and PARSED.
"""

RECORD = (*PLACE, "key", "key_text", "newkey", "oldkey", "tombstone", "value")
"""A record: `key` and `value` are objects as variants, null for anything else. `key_text`, and the
headers `newkey` and `oldkey` of a key change, are texts that can be compared.
"""

# The key of `key^change`: up to the first ^ that an object follows, or the end of the line.
_KEYED = r"(?s)^(.*?)\^\s*(\{.*|null\s*|)$"


def records(lines: DataFrame) -> DataFrame:
    """One row per line, with the columns RECORD."""
    return _with_record_columns(_with_payload(_with_object(lines)))


def _with_object(lines: DataFrame) -> DataFrame:
    """The lines with `whole`: the object that the line is, or that follows its key."""
    read = lines.select(
        *("file", "number", "place", "line"),
        F.is_valid_utf8("line").alias("valid"),
        F.make_valid_utf8("line").alias("text"),
    )
    first = with_mended_object(read, F.col("text"), "first")
    keyed = F.col("first").isNull() & F.contains("text", F.lit("^"))
    parts = first.withColumns(
        {
            "key_text": F.when(keyed, F.regexp_extract("text", _KEYED, 1)),
            "rest": F.when(keyed & F.rlike("text", F.lit(_KEYED)), _value_after_key()),
        }
    )
    second = with_mended_object(parts, F.col("rest"), "second")
    return second.withColumn("whole", F.coalesce("first", "second")).drop("first", "second")


def _value_after_key() -> Column:
    return F.regexp_extract("text", _KEYED, 2)


def _with_payload(split: DataFrame) -> DataFrame:
    """The same with `outer`: the object in a record's payload, or the object itself."""
    whole = F.col("whole")
    payload = json_text.node(whole, "payload")
    offset = json_text.text(whole, "offset").try_cast("bigint")
    enveloped = (
        json_text.text(whole, "topic").isNotNull() & offset.isNotNull()
    ) & ~json_text.is_object(payload)
    marked = split.withColumn("enveloped", F.coalesce(enveloped, F.lit(False)))
    inside = F.col("enveloped")
    read = marked.withColumns(
        {
            "partition": F.when(
                inside, json_text.text(whole, "partition").try_cast("int")
            ).otherwise(F.col("file")),
            "offset": F.when(inside, offset).otherwise(F.col("place")),
            "key_text": F.when(inside, json_text.text(whole, "key")).otherwise(F.col("key_text")),
            "carried_text": F.when(inside, json_text.text(whole, "payload")),
            "headers": F.when(inside, F.try_variant_get(whole, "$.headers", "array<string>")),
        }
    )
    carried = with_mended_object(read, F.col("carried_text"), "carried")
    return carried.withColumn("outer", F.when(inside, F.col("carried")).otherwise(F.col("whole")))


def _with_record_columns(carried: DataFrame) -> DataFrame:
    """The same with the columns RECORD: the change without its schema, and whether it is a
    tombstone.
    """
    named = carried.withColumns(
        {name: _header(f"__debezium.{name}") for name in ("newkey", "oldkey")}
    )
    for name in ("key_text", "newkey", "oldkey"):
        named = json_text.with_object(named, F.col(name), f"{name}_whole")
    content = F.trim(F.translate(F.coalesce("carried_text", "rest", "text"), "\r\t", ""))
    nothing = (content == "null") | ((content == "") & F.col("whole").isNull())
    empty = F.col("enveloped") & F.coalesce(F.trim("carried_text").isin("", "null"), F.lit(True))
    return named.select(
        *PLACE[:-1],
        F.spark_partition_id().alias(PARSED),
        _without_schema("key_text_whole").alias("key"),
        *(_comparable(name).alias(name) for name in ("key_text", "newkey", "oldkey")),
        (nothing | empty | _null_payload()).alias("tombstone"),
        _without_schema("outer").alias("value"),
    )


def _comparable(name: str) -> Column:
    return F.coalesce(json_text.text(_without_schema(f"{name}_whole")), F.col(name))


def _without_schema(name: str) -> Column:
    """The payload beside a schema, or the object itself."""
    inner = json_text.node(F.col(name), "payload")
    return F.when(json_text.is_object(inner), inner).otherwise(F.col(name))


def _null_payload() -> Column:
    return F.coalesce(F.is_variant_null(json_text.node(F.col("outer"), "payload")), F.lit(False))


def _header(name: str) -> Column:
    """The value of a header: names and values alternate."""
    value = f"get(filter(headers, (h, i) -> i % 2 = 1 AND get(headers, i - 1) = '{name}'), 0)"
    return F.expr(value)
