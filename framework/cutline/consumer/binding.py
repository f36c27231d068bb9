"""From a record to its envelope: CloudEvents 1.0 in both modes of its Kafka binding."""

from __future__ import annotations

import binascii
import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from cutline.consumer.attributes import NAME, plain_text
from cutline.consumer.envelope import ATTRIBUTES, OF_THE_RECORD, Envelope
from cutline.consumer.errors import MalformedEvent
from cutline.consumer.json_text import parsed_json
from cutline.consumer.received import Received

CONTENT_TYPE = "content-type"
_PREFIX = "ce_"
_EVENT = re.compile(r"application/cloudevents(?P<format>[^;\s]*)\s*(;.*)?", re.IGNORECASE)
_JSON = re.compile(r"(application|text)/([^;\s]+\+)?json\s*(;.*)?", re.IGNORECASE)


def envelope_of(record: Received) -> Envelope:
    """The event of a record. A null value is a tombstone, whose attributes are its headers.

    MalformedEvent, with the attribute that is at fault, for what is no CloudEvent 1.0.
    """
    headers = _headers(record)
    media = headers.pop(CONTENT_TYPE, None)
    structured = _EVENT.fullmatch(media.strip()) if media else None
    if structured and record.value is not None:
        if structured["format"].lower() != "+json":
            raise _malformed(record, CONTENT_TYPE, f"is {media}, which is not read here")
        return _structured(record, record.value)
    if media is not None and not structured:
        headers["datacontenttype"] = media
    return _binary(record, headers)


def _headers(record: Received) -> dict[str, str]:
    """The attributes of headers by their names, and the media type; other headers are left out."""
    headers: dict[str, str] = {}
    for name, value in record.headers:
        if name.lower() == CONTENT_TYPE:
            attribute = CONTENT_TYPE
        elif name.startswith(_PREFIX):
            attribute = name.removeprefix(_PREFIX)
            if not NAME.fullmatch(attribute):
                raise _malformed(record, attribute, "is no name of an attribute")
        else:
            continue
        if value is None:
            continue
        try:
            text = value.decode()
        except UnicodeDecodeError:
            raise _malformed(record, attribute, "is no UTF-8") from None
        if headers.setdefault(attribute, text) != text:
            raise _malformed(record, attribute, "stands there twice, and says two things")
    return headers


def _binary(record: Received, attributes: Mapping[str, str]) -> Envelope:
    media = attributes.get("datacontenttype")
    data: Any = record.value
    if record.value is not None and media is not None and _JSON.fullmatch(media.strip()):
        data = _payload(record, record.value)
    return _envelope(record, attributes, data)


def _structured(record: Received, value: bytes) -> Envelope:
    event = _payload(record, value)
    if not isinstance(event, dict):
        raise _malformed(record, "data", "is no JSON object, and so no event")
    members = {name: member for name, member in event.items() if member is not None}
    data, encoded = members.pop("data", None), members.pop("data_base64", None)
    if encoded is not None:
        if data is not None:
            raise _malformed(record, "data", "stands there twice, once as data_base64")
        try:
            data = binascii.a2b_base64(encoded, strict_mode=True)
        except (binascii.Error, TypeError, ValueError):
            raise _malformed(record, "data_base64", "is no base64") from None
    return _envelope(record, members, data)


def _payload(record: Received, value: bytes) -> Any:
    try:
        return parsed_json(value)
    except ValueError as error:
        raise _malformed(record, "data", str(error)) from None


def _envelope(record: Received, attributes: Mapping[str, Any], data: Any) -> Envelope:
    extensions: dict[str, str] = {}
    for name in attributes:
        if not NAME.fullmatch(name) or name in OF_THE_RECORD:
            raise _malformed(record, name, "is no name of an attribute")
        if name not in ATTRIBUTES:
            try:
                extensions[name] = plain_text(attributes[name])
            except ValueError as error:
                raise _malformed(record, name, str(error)) from None
    fields = {name: value for name, value in attributes.items() if name in ATTRIBUTES}
    rest = {"extensions": extensions, "data": data, "tombstone": record.value is None}
    try:
        event = Envelope.model_validate(fields | rest)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise _malformed(record, str(first["loc"][0]), _reason(first)) from None
    for name in ("migcontext", "migregion"):
        if event.migepoch is not None and getattr(event, name) is None:
            raise _malformed(record, name, "is not there, and migepoch is of no slice without it")
    return event


def _reason(error: Any) -> str:
    """What pydantic says, as the end of a sentence that begins with the attribute."""
    match error["type"]:
        case "missing":
            return "is not there"
        case "literal_error":
            return f"is not {error['ctx']['expected']}"
        case _:
            return str(error["msg"]).removeprefix("Value error, ")


def _malformed(record: Received, attribute: str, reason: str) -> MalformedEvent:
    return MalformedEvent(record.topic, record.partition, record.offset, attribute, reason)
