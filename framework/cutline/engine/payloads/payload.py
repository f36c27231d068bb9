"""Payloads: a fact's data as canonical JSON, and its faults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.context import Event
from cutline.context.payload import payload_fields
from cutline.engine.payloads.casts import cast_to_field, check_source_type, spark_type
from cutline.engine.payloads.faults import faults
from cutline.engine.rules import as_column
from cutline.errors import ConfigurationError, did_you_mean
from cutline.identity import columns as identity


class Payload:
    """The source columns of a payload's fields, cast to the fields' types.

    `types` are the columns' own types by field, from Spark's analysis or as DDL: a column that has
    the field's type already is neither cast nor tested for lost digits. ConfigurationError for a
    type that cannot be the field's source.
    """

    def __init__(
        self,
        event: type[Event],
        columns: Mapping[str, Column],
        types: Mapping[str, T.DataType | str],
    ) -> None:
        self.event = event
        self.fields = payload_fields(event)
        self._types = {f.name: f.type for f in self.fields}
        self._columns = {f.name: columns.get(f.name, F.lit(None).cast(f.type)) for f in self.fields}
        self._kinds = {f.name: _type(types.get(f.name, f.type)) for f in self.fields}
        for field in self.fields:
            check_source_type(self._kinds[field.name], field, f"{event.__name__}.{field.name}")
        self._cast = {
            f.name: cast_to_field(self._columns[f.name], self._kinds[f.name], f)
            for f in self.fields
        }

    def json(self) -> Column:
        """The payload as rough JSON text; `identity.finished` makes it canonical."""
        return identity.rough_object(self._cast, self._types)

    def occurrence(self) -> Column:
        """The fields in `identified_by` as rough JSON; null for an event without them."""
        names = self.event.identified_by
        if not names:
            return F.lit(None).cast("string")
        return identity.rough_array([self._cast[n] for n in names], [self._types[n] for n in names])

    def fault(self) -> Column:
        """`payload:<Event>.<path>` of the first field with a fault; null if all are right.

        Fields are tested by name, a nested one before what is in it. The path has no index:
        `payload:LineOrdered.needs[].quantity`.
        """
        labels = [
            F.when(wrong(self._columns[field.name]), F.lit(f"payload:{self.event.__name__}.{path}"))
            for field in self.fields
            for path, wrong in faults(field, self._kinds[field.name], field.name)
        ]
        return F.coalesce(*labels, F.lit(None).cast("string"))


def given_columns(event: type[Event], data: Mapping[str, Any], where: str) -> dict[str, Column]:
    """The columns of a fact's data; ConfigurationError where they do not fit the payload."""
    fields = payload_fields(event)
    names = [f.name for f in fields]
    for name in data:
        if name not in names:
            raise ConfigurationError(
                f"{where}: {event.__name__} has no field {name!r}.{did_you_mean(name, names)}"
            )
    for field in fields:
        if field.name not in data and not field.nullable:
            raise ConfigurationError(
                f"{where}: {event.__name__}.{field.name} is required but has no source column"
            )
    return {name: as_column(value) for name, value in data.items()}


def check_given_type(event: type[Event], name: str, source_type: T.DataType, where: str) -> None:
    """ConfigurationError, beginning with `where`, for a column's type that its field cannot have.

    `given_columns` has checked that the event has the field.
    """
    field = next(field for field in payload_fields(event) if field.name == name)
    check_source_type(source_type, field, f"{where}: {event.__name__}.{name}")


def _type(declared: T.DataType | str) -> T.DataType:
    return spark_type(declared) if isinstance(declared, str) else declared
