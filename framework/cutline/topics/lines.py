"""Records to lines and lines to records, in Spark expressions.

A line is `{"partition":0,"offset":12,"timestamp":"…","key":"…","headers":{…},"value":{…}}`; the
driver gives it partition and offset, the body is what stands behind them.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.identity.canonical import quoted
from cutline.identity.columns import finished, json_value, rough_value
from cutline.spark.json_text import node, parsed, text
from cutline.topics.headers import headers_text
from cutline.topics.murmur2 import partition_of
from cutline.topics.partition_file import PLACE
from cutline.topics.record import REGION_HEADER, RUN_HEADER

RECORDS = (
    "topic string, partition int, offset bigint, timestamp timestamp, key string, "
    "headers map<string,string>, value string, line string"
)

_LOW_BITS = 2**31 - 1

_VALUE = ',"value":'
"""What stands before the value of a line: nowhere earlier, where quotes in texts are escaped."""


def new_lines(
    records: DataFrame,
    run_id: str,
    topics: Sequence[str],
    order: Sequence[str],
    partitions: int,
    *,
    keyed: bool = True,
) -> DataFrame:
    """One row per record, to be sorted by its columns: the places, key (null where it is not
    `keyed`), `order`, and `line`.

    A record whose `topic` is none of `topics` fails.
    """
    place = F.coalesce(partition_of(F.col("key"), partitions), F.lit(0))
    return records.withColumn("head", _head(records, run_id)).select(
        _slot(topics, place, partitions).alias(PLACE[0]),
        F.lit(True).alias(PLACE[1]),
        (F.col("key") if keyed else F.lit(None).cast("string")).alias("by_key"),
        *(F.col(name).alias(f"by_{i}") for i, name in enumerate(order)),
        _body().alias("line"),
    )


def compacted_lines(
    old: DataFrame,
    records: DataFrame,
    run_id: str,
    topics: Sequence[str],
    order: Sequence[str],
    partitions: int,
) -> DataFrame:
    """One row per line of compacted topics, to be sorted by its columns.

    `old` are the heads of the topics, with that of the run. Of them stay the lines that cannot be
    read and those of keys that the records do not name, except what the run wrote itself, in their
    old order.
    """
    lines = _keyed_lines(records, run_id, topics, order, partitions)
    last = _last_lines(lines, len(order))
    of_others = F.coalesce(F.col(RUN_HEADER) != run_id, F.lit(True))
    kept_lines = old.where(of_others).select(
        _slot(topics, F.col("partition"), partitions).alias(PLACE[0]),
        F.lit(False).alias(PLACE[1]),
        "offset",
        F.col("key").alias("by_key"),
        "line",
    )
    columns = (*PLACE, "offset", "by_key", "line")
    new = last.withColumn("offset", F.lit(None).cast("bigint"))
    # By topic and not by slot: another producer may have put the key into another partition.
    topic = F.floor(F.col(PLACE[0]) / partitions).alias("by_topic")
    named = lines.select(topic, "by_key")
    rest = kept_lines.select("*", topic).join(named, ["by_topic", "by_key"], "left_anti")
    return rest.select(*columns).union(new.select(*columns))


def last_lines(
    records: DataFrame, run_id: str, topics: Sequence[str], order: Sequence[str], partitions: int
) -> DataFrame:
    """As `new_lines`, of compacted topics: of several records with one key the last by `order`."""
    lines = _keyed_lines(records, run_id, topics, order, partitions)
    return _last_lines(lines, len(order)).select(*PLACE, "by_key", "line")


def _keyed_lines(
    records: DataFrame, run_id: str, topics: Sequence[str], order: Sequence[str], partitions: int
) -> DataFrame:
    no_key = F.raise_error(F.lit("a compacted topic needs a key in each record"))
    keyed = records.withColumn("key", F.when(F.col("key").isNull(), no_key).otherwise(F.col("key")))
    return new_lines(keyed, run_id, topics, order, partitions)


def _last_lines(lines: DataFrame, order: int) -> DataFrame:
    latest = Window.partitionBy(PLACE[0], "by_key").orderBy(
        *(F.col(f"by_{i}").desc() for i in range(order)), F.col("line").desc()
    )
    return lines.withColumn("nth", F.row_number().over(latest)).where("nth = 1")


def records(lines: DataFrame) -> DataFrame:
    """One row per line of files named `<topic>/<partition>.jsonl`, in the columns of RECORDS.

    `value` is the value's JSON text with its numbers as written; null is a tombstone. A line that
    is not one JSON object has null for all that stands in it, save an offset at its very start.
    """
    return records_of_lines(_placed(lines))


def heads(lines: DataFrame, *headers: str) -> DataFrame:
    """As `records`, of what tells one record from another, which takes a tenth of the time.

    Columns: topic, partition, offset, key, some headers by their names, line, and content: the hash
    of the value, as `content_of` has it; of lines that others have written it may be any. A key
    that comes twice in an object counts as it stands last.
    """
    line = F.col("line")
    names = ", ".join(f"`{name}` string" for name in headers)
    schema = f"offset string, key string, headers struct<{names}>"
    # An object that is cut off is none, and what is behind one makes the line none.
    is_object = F.trim(line).startswith("{") & F.trim(line).endswith("}")
    head = F.when(is_object, F.from_json(line, schema, {"allowNonNumericNumbers": "false"}))
    placed = _placed(lines).where(F.trim("line") != "")
    # Through a generator: as a plain column the object would be parsed once for each of its parts.
    return placed.select("*", F.inline(F.array(F.struct(head.alias("head"))))).select(
        "topic",
        "partition",
        F.coalesce(F.col("head.offset").try_cast("bigint"), _written_offset(line)).alias("offset"),
        "head.key",
        *(f"head.headers.{name}" for name in headers),
        F.when(F.col("head").isNotNull(), _written_content(line)).alias("content"),
        "line",
    )


def imprints(lines: DataFrame, region: str) -> DataFrame:
    """One row per partition of files of topics: how many lines it has, those that name another
    region left out, and two numbers over what they say, in whichever order they stand."""
    line, mark = F.col("value"), f'"{REGION_HEADER}":'
    is_of_another = line.contains(mark) & ~line.contains(f"{mark}{quoted(region)}")
    rows = lines.where(~is_of_another).select(
        F.col("_metadata.file_path").alias("file"), F.xxhash64(line).alias("hash")
    )
    # A file is placed once, and not with each of its lines.
    by_file = rows.groupBy("file").agg(
        F.count(F.lit(1)).alias("lines"),
        F.bit_xor("hash").alias("all_bits"),
        F.sum(F.col("hash").bitwiseAND(F.lit(_LOW_BITS))).alias("low_bits"),
    )
    return by_file.select(*_place(F.col("file")), "lines", "all_bits", "low_bits")


def content_of(value: Column) -> Column:
    """The hash of a value, as `heads` has it of the line that the value stands on."""
    return F.xxhash64(_value_text(value))


def no_content() -> Column:
    """The hash of a tombstone's value."""
    return content_of(F.lit(None).cast("string"))


def _written_content(line: Column) -> Column:
    """The hash of the value of a line that is as Cutline writes it: the text behind its headers."""
    begins = F.instr(line, _VALUE) + len(_VALUE)
    return F.xxhash64(F.substring(line, begins, F.length(line) - begins))


def _placed(lines: DataFrame) -> DataFrame:
    """Topic, partition and `line` of each line of the files of topics."""
    return lines.select(*_place(F.col("_metadata.file_path")), F.col("value").alias("line"))


def _place(file: Column) -> tuple[Column, Column]:
    """Topic and partition of a file, by its path."""
    pattern = r"([^/]+)/(\d{5})\.jsonl$"
    topic, partition = (F.regexp_extract(file, pattern, group) for group in (1, 2))
    return topic.alias("topic"), partition.cast("int").alias("partition")


def _written_offset(line: Column) -> Column:
    """The offset at the very start of a line; null for a line that begins otherwise."""
    return F.regexp_extract(line, r'^\{"partition":\d+,"offset":(\d+)\b', 1).try_cast("bigint")


def records_of_lines(lines: DataFrame, *beside: str) -> DataFrame:
    """As `records`, of lines whose topic and partition are columns beside `line`; with columns
    `beside`."""
    placed = lines.where(F.trim("line") != "").withColumn("record", parsed(F.col("line")))
    record, line = F.col("record"), F.col("line")
    return placed.select(
        "topic",
        "partition",
        F.coalesce(text(record, "offset").try_cast("bigint"), _written_offset(line)).alias(
            "offset"
        ),
        F.try_to_timestamp(text(record, "timestamp")).alias("timestamp"),
        text(record, "key").alias("key"),
        F.from_json(text(record, "headers"), "map<string,string>").alias("headers"),
        member_text(record, "value").alias("value"),
        "line",
        *beside,
    )


def _slot(topics: Sequence[str], partition: Column, partitions: int) -> Column:
    topic = F.col("topic")
    number = F.array_position(F.array(*map(F.lit, topics)), topic)
    message = F.concat(F.lit("a record for another topic: "), F.coalesce(topic, F.lit("none")))
    place = (number.cast("int") - 1) * partitions + partition
    return F.when(number > 0, place).otherwise(F.raise_error(message).cast("int"))


def _head(records: DataFrame, run_id: str) -> Column:
    """A record's line from behind its offset up to its value, naming the run; still rough."""
    members = {
        "timestamp": rough_value(F.col("timestamp"), "timestamp"),
        "key": rough_value(F.col("key"), "string"),
        "headers": headers_text(records, {RUN_HEADER: run_id}),
    }
    parts = [
        part for name, text in members.items() for part in (F.lit(f'"{name}":'), text, F.lit(","))
    ]
    return F.concat(*parts)


def _body() -> Column:
    """A record's line from behind its offset; `head` is what comes before the value."""
    return F.concat(
        finished(F.col("head")), F.lit(_VALUE[1:]), _value_text(F.col("value")), F.lit("}")
    )


def _value_text(value: Column) -> Column:
    # Valid JSON has line ends between its tokens only, where a blank does as well.
    return F.coalesce(F.translate(value, "\r\n", "  "), F.lit("null"))


def member_text(record: Column, name: str) -> Column:
    """The JSON text of a member: a string in its quotes, anything else as `text` gives it."""
    value, plain = node(record, name), text(record, name)
    # A number is a string with a mark here, which `text` takes away.
    is_string = (F.schema_of_variant(value) == "STRING") & (value.cast("string") == plain)
    return F.when(is_string, json_value(plain, "string")).otherwise(plain)
