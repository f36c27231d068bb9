"""Records of any declared look as CloudEvents in the binary mode: attributes are headers `ce_…`."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.project.live import LiveRecords, PlaceInRecord
from cutline.spark import json_text
from cutline.topics.cloudevents import UNREADABLE_BECAUSE
from cutline.topics.headers import CONTENT_TYPE, mapped_header
from cutline.topics.lines import member_text

_JSON = "application/json"
_STRUCTURED = r"(?i)^application/cloudevents\+json\s*(;.*)?$"
_PER_SECOND = {"seconds": 1, "milliseconds": 1_000, "microseconds": 1_000_000}
_MOMENT = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'"


def as_cloudevents(records: DataFrame, section: LiveRecords) -> DataFrame:
    """The records with `headers` and `value` as the binary mode has them; all else stays.

    What an attribute is not found for lacks it, and is refused as an event that lacks it.
    """
    if section.format == "json":
        parsed = json_text.with_object(records, F.col("value"), "parsed")
        return _of_json(parsed, section).drop("parsed")
    # Of the binary mode the value is the payload, which need not be looked into.
    events = F.when(_is_structured(), F.col("value"))
    return _of_events(json_text.with_object(records, events, "parsed")).drop("parsed")


def _of_events(records: DataFrame) -> DataFrame:
    """Events in the structured mode: the value holds the attributes, and the payload as `data`, or
    as `data_base64`."""
    is_structured, parsed = _is_structured(), F.col("parsed")
    # What is no object, or has a member twice, has no attributes.
    members = F.from_json(F.when(parsed.isNotNull(), F.col("value")), "map<string,string>")
    no_attributes = ("data", "data_base64", "datacontenttype")
    attributes = F.map_filter(members, lambda name, _: ~name.isin(*no_attributes))
    prefixed = F.transform_keys(attributes, lambda name, _: F.concat(F.lit("ce_"), name))
    data_type = F.coalesce(json_text.text(parsed, "datacontenttype"), F.lit(_JSON))
    # Of these the event itself says what they are; other headers stay.
    others = F.map_filter(
        "headers", lambda name, _: ~(name.startswith("ce_") | (name == CONTENT_TYPE))
    )
    with_type = F.map_concat(others, prefixed, F.create_map(F.lit(CONTENT_TYPE), data_type))
    opened = records.withColumns(
        {
            "is_structured": is_structured,
            "base64": F.when(is_structured, json_text.text(parsed, "data_base64")),
            "data": F.when(is_structured, member_text(parsed, "data")),
        }
    )
    decoded = F.try_validate_utf8(F.try_to_binary("base64", F.lit("base64")).cast("string"))
    decoded_records = opened.withColumn("decoded", F.translate(decoded, "\r\n", "  ")).withColumn(
        "fault", F.when(F.col("is_structured"), _fault_of_structured())
    )
    read_headers = F.coalesce(with_type, "headers")
    without_fault = F.map_filter(read_headers, lambda name, _: name != UNREADABLE_BECAUSE)
    with_fault = F.map_concat(
        without_fault, F.create_map(F.lit(UNREADABLE_BECAUSE), F.col("fault"))
    )
    event_headers = F.when(F.col("fault").isNull(), read_headers).otherwise(with_fault)
    is_event = F.col("is_structured")
    return decoded_records.withColumns(
        {
            "headers": F.when(is_event, event_headers).otherwise(F.col("headers")),
            "value": F.when(is_event, F.coalesce("data", "decoded")).otherwise(F.col("value")),
        }
    ).drop("is_structured", "base64", "data", "decoded", "fault")


def _fault_of_structured() -> Column:
    """Why nobody can read the event in a value; null for one that can, or where there is none."""
    is_json = F.expr(json_text.parsed_sql("decoded")).isNotNull()
    is_twice = F.col("data").isNotNull() & F.col("base64").isNotNull()
    return F.when(
        F.col("value").isNotNull() & F.col("parsed").isNull(),
        "its value is no JSON object, or has a member twice",
    ).when(
        F.col("base64").isNotNull(),
        F.when(is_twice, "its data stands there twice, once as data_base64").when(
            ~F.coalesce(is_json, F.lit(False)), "its data_base64 is no JSON in Base64"
        ),
    )


def _is_structured() -> Column:
    media = mapped_header(CONTENT_TYPE)
    return F.coalesce(media.rlike(_STRUCTURED), F.lit(False))


def _of_json(records: DataFrame, section: LiveRecords) -> DataFrame:
    """Plain JSON, whose attributes stand where the section says."""
    no_source = PlaceInRecord(constant="")
    declared = {
        "ce_id": section.id,
        "ce_type": section.type,
        "ce_subject": section.subject,
        "ce_time": section.time,
        "ce_source": section.source,
        "ce_migregion": section.region,
    }
    texts = {name: place_text(place or no_source) for name, place in declared.items()}
    if section.source is None:
        texts["ce_source"] = F.concat(F.lit("kafka:"), F.col("topic"))
    if section.region is None:
        del texts["ce_migregion"]
    texts |= {"ce_specversion": F.lit("1.0"), CONTENT_TYPE: F.lit(_JSON)}
    pairs = [column for name, text in texts.items() for column in (F.lit(name), text)]
    of_the_event = F.map_filter(F.create_map(*pairs), lambda _, text: text.isNotNull())
    own_names = F.array(*map(F.lit, texts))
    others = F.map_filter("headers", lambda name, _: ~F.array_contains(own_names, name))
    data = F.col("value") if section.data is None else _member(section.data)
    return records.withColumns({"headers": F.map_concat(others, of_the_event), "value": data})


def place_text(place: PlaceInRecord) -> Column:
    """The text of an attribute; null where the record has none. Fields are those of `parsed`."""
    if place.field is not None:
        text = json_text.text(F.col("parsed"), *place.field.split("."))
    elif place.header is not None:
        text = mapped_header(place.header)
    elif place.record == "key":
        text = F.col("key")
    elif place.record == "place":
        text = F.concat_ws("/", "topic", F.col("partition"), F.col("offset"))
    elif place.record == "timestamp":
        text = F.date_format("timestamp", _MOMENT)
    else:
        text = F.lit(place.constant)
    if place.unit != "iso":
        micros = text.try_cast("decimal(20,6)") * (1_000_000 // _PER_SECOND[place.unit])
        text = F.date_format(F.timestamp_micros(micros.try_cast("bigint")), _MOMENT)
    if place.meaning:
        pairs = [F.lit(word) for pair in place.meaning.items() for word in pair]
        text = F.coalesce(F.try_element_at(F.create_map(*pairs), text), text)
    return text


def _member(path: str) -> Column:
    *outer, name = path.split(".")
    parsed = F.col("parsed")
    return member_text(json_text.node(parsed, *outer) if outer else parsed, name)
