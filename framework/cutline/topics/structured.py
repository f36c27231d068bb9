"""Records in the structured mode of CloudEvents' Kafka binding: the whole event is the value."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.identity.columns import json_value
from cutline.topics.headers import CONTENT_TYPE

STRUCTURED = "application/cloudevents+json"
_PREFIX = "ce_"
_BOOLEANS = ("migreplaysafe",)


def structured(records: DataFrame) -> DataFrame:
    """The records with the event in JSON as their value; tombstones stay as they are.

    The attributes stay headers as well, as the binding allows, so that nobody must parse a value to
    know whose it is.
    """
    headers, value = F.col("headers"), F.col("value")
    is_event = value.isNotNull()
    with_type = F.map_concat(
        F.map_filter(headers, lambda name, _: name != CONTENT_TYPE),
        F.create_map(F.lit(CONTENT_TYPE), F.lit(STRUCTURED)),
    )
    return records.withColumns(
        {
            "value": F.when(is_event, _event(headers, value)),
            "headers": F.when(is_event, with_type).otherwise(headers),
        }
    )


def _event(headers: Column, data: Column) -> Column:
    """The event as a JSON object: its attributes by name, and `data` as it is."""
    attributes = F.filter(
        F.sort_array(F.map_entries(headers)),
        lambda entry: entry["key"].startswith(_PREFIX) | (entry["key"] == CONTENT_TYPE),
    )
    members = F.transform(attributes, _member)
    return F.concat(
        F.lit("{"), F.array_join(members, ","), F.lit(',"data":'), data.cast("string"), F.lit("}")
    )


def _member(entry: Column) -> Column:
    name = F.when(entry["key"] == CONTENT_TYPE, F.lit("datacontenttype")).otherwise(
        F.substr(entry["key"], F.lit(len(_PREFIX) + 1))
    )
    text = json_value(entry["value"], "string")
    plain = F.when(name.isin(*_BOOLEANS), entry["value"]).otherwise(text)
    return F.concat(F.lit('"'), name, F.lit('":'), plain)
