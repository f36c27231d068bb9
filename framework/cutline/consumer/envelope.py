"""The envelope of an event: CloudEvents' attributes, Cutline's typed, and the payload."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from cutline.consumer.attributes import attribute_text, read_boolean, read_epoch, read_time

Text = Annotated[str, BeforeValidator(attribute_text)]
Moment = Annotated[dt.datetime, BeforeValidator(read_time)]
Truth = Annotated[bool, BeforeValidator(read_boolean)]
Epoch = Annotated[int, BeforeValidator(read_epoch)]

SYNTHETIC, NATIVE, CORRECTIVE = "synthetic", "native", "corrective"


class Envelope(BaseModel):
    """One event. What a producer left out is null; times are in UTC.

    `data` is the payload: JSON with Decimals where the media type is JSON, else bytes or text, and
    null for a tombstone. `extensions` are attributes that have no field here, as text.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    specversion: Literal["1.0"]
    id: Text
    source: Text
    type: Text
    subject: Text | None = None
    time: Moment | None = None
    datacontenttype: Text | None = None
    dataschema: Text | None = None
    partitionkey: Text | None = None
    sequence: Text | None = None
    recordedtime: Moment | None = None
    migorigin: Literal["synthetic", "native", "corrective"] | None = None
    migreplaysafe: Truth | None = Field(
        None, description="false: rebuild state only, cause no side effect"
    )
    migconfidence: Literal["exact", "inferred", "approximate"] | None = None
    migtimebasis: Literal["effective", "commit", "extract"] | None = None
    migsrcsystem: Text | None = None
    migsrctable: Text | None = None
    migsrckey: Text | None = None
    migsrcpos: Text | None = None
    migsrctx: Text | None = None
    migsrctime: Moment | None = None
    migextracttime: Moment | None = None
    migtranslator: Text | None = None
    migtranslatorver: Text | None = None
    migbatchid: Text | None = None
    migrunid: Text | None = None
    migregion: Text | None = None
    migcontext: Text | None = None
    migfactkey: Text | None = None
    migsupersedes: Text | None = None
    migepoch: Epoch | None = Field(
        None, description="the slice's epoch under which a live producer wrote"
    )
    extensions: Mapping[str, str] = {}
    data: Any = None
    tombstone: bool = False


OF_THE_RECORD = ("extensions", "data", "tombstone")
"""Fields of an envelope that are no attributes of CloudEvents."""
ATTRIBUTES = frozenset(Envelope.model_fields).difference(OF_THE_RECORD)
