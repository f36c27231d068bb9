"""Headers of records: as a struct of texts where their names are declared, or as a map of any.

A struct has a field for each of `HEADER_NAMES`, null for a header that a record has not. Spark
writes its text in a fraction of the time that making, sorting and writing a map takes.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from cutline.identity.columns import rough_object_of_texts, rough_value
from cutline.tables import ENVELOPE

SPECVERSION, CONTENT_TYPE = "ce_specversion", "content-type"


def attribute_header(name: str) -> str:
    """The header of an event's attribute in the binary binding of CloudEvents."""
    return CONTENT_TYPE if name == "datacontenttype" else f"ce_{name}"


HEADER_NAMES = tuple(sorted((SPECVERSION, *(attribute_header(c.name) for c in ENVELOPE))))
"""The headers of the records that Cutline writes, but that of the run."""


def declared_headers(texts: Mapping[str, Column]) -> Column:
    """The struct of these headers, each one of `HEADER_NAMES`; a null text is no header."""
    assert texts.keys() <= set(HEADER_NAMES), texts.keys()
    absent = F.lit(None).cast("string")
    return F.struct(*(texts.get(name, absent).alias(name) for name in HEADER_NAMES))


def header(records: DataFrame, name: str) -> Column:
    """The text of a header, of a struct one of `HEADER_NAMES`; null where a record has it not."""
    return F.col("headers").getField(name) if _are_declared(records) else mapped_header(name)


def mapped_header(name: str) -> Column:
    """The text of a header of records whose headers are a map of texts or of bytes, as they are
    read; null where it is not there.
    """
    return F.try_element_at("headers", F.lit(name)).cast("string")


def with_header_map(records: DataFrame) -> DataFrame:
    """The records with `headers` as map<string,string>."""
    if not _are_declared(records):
        return records
    texts = {name: F.col("headers").getField(name) for name in HEADER_NAMES}
    pairs = [column for name, text in texts.items() for column in (F.lit(name), text)]
    headers = F.map_filter(F.create_map(*pairs), lambda _, text: text.isNotNull())
    return records.withColumn("headers", headers)


def headers_text(records: DataFrame, beside: Mapping[str, str]) -> Column:
    """The headers of records with those `beside`, which take the place of others, as the rough text
    of a JSON object, sorted by name."""
    headers, added = F.col("headers"), {name: F.lit(text) for name, text in beside.items()}
    if _are_declared(records):
        texts = {name: headers.getField(name) for name in HEADER_NAMES}
        return rough_object_of_texts(texts | added)
    entries = F.map_entries(F.coalesce(headers, F.create_map().cast("map<string,string>")))
    others = F.filter(entries, lambda entry: ~entry["key"].isin(*beside))
    new = F.array(*(F.struct(F.lit(n).alias("key"), t.alias("value")) for n, t in added.items()))
    members = F.transform(
        # Sorting with `array_sort` compares by an expression that Spark walks through each time.
        F.sort_array(F.concat(others, new)),
        lambda entry: F.concat(
            rough_value(entry["key"], "string"), F.lit(":"), rough_value(entry["value"], "string")
        ),
    )
    return F.concat(F.lit("{"), F.array_join(members, ","), F.lit("}"))


def _are_declared(records: DataFrame) -> bool:
    kind = records.schema["headers"].dataType
    if not isinstance(kind, StructType):
        return False
    assert tuple(kind.names) == HEADER_NAMES, kind.names
    return True
