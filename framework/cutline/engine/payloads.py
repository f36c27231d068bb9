"""Payloads: a fact's data as canonical JSON, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.context import Event
from cutline.context.payload import PayloadField, payload_fields
from cutline.errors import ConfigurationError, did_you_mean
from cutline.identity import columns as identity


class Payload:
    """The columns that a fact gives to the fields of its payload, cast to their types."""

    def __init__(self, event: type[Event], data: Mapping[str, Any], where: str) -> None:
        self.event = event
        self.fields = payload_fields(event)
        names = [f.name for f in self.fields]
        for name in data:
            if name not in names:
                raise ConfigurationError(
                    f"{where}: {event.__name__} has no field {name!r}.{did_you_mean(name, names)}"
                )
        for field in self.fields:
            if field.name not in data and not field.nullable:
                raise ConfigurationError(
                    f"{where}: {event.__name__}.{field.name} is required but has no source column"
                )
        self._given = {f.name: _column(data.get(f.name)) for f in self.fields}
        self._cast = {f.name: self._given[f.name].try_cast(f.type) for f in self.fields}

    def json(self) -> Column:
        """The payload as canonical JSON text."""
        return identity.json_object(self._cast, {f.name: f.type for f in self.fields})

    def occurrence(self) -> Column:
        """What tells this occurrence from others of the subject; null for a once-only event."""
        by_name = {f.name: f for f in self.fields}
        names = self.event.identified_by
        if not names:
            return F.lit(None).cast("string")
        return identity.json_array([self._cast[n] for n in names], [by_name[n].type for n in names])

    def fault(self) -> Column:
        """`payload:<Event>.<field>` of the first field that is wrong; null where all are right."""
        wrong = [
            F.when(_wrong(f, self._given[f.name], self._cast[f.name]), F.lit(self._rule(f)))
            for f in self.fields
        ]
        return F.coalesce(*wrong, F.lit(None).cast("string"))

    def _rule(self, field: PayloadField) -> str:
        return f"payload:{self.event.__name__}.{field.name}"


def _column(value: Any) -> Column:
    return value if isinstance(value, Column) else F.lit(value)


def _wrong(field: PayloadField, given: Column, cast: Column) -> Column:
    """Whether a value cannot stand in its field: never null."""
    # A cast that rounds or cuts off is as wrong as one that fails: a payload never says 1.01 where
    # the row said 1.005. Text is compared by the value it casts to.
    tests = [cast.isNull() & given.isNotNull()]
    if field.type == "bigint" or field.type.startswith("decimal"):
        tests.append(cast.isNotNull() & (given.try_cast("decimal(38,12)") != cast))
    if not field.nullable:
        tests.append(cast.isNull())
    if field.choices:
        tests.append(cast.isNotNull() & ~cast.isin(list(field.choices)))
    tests += [cast.isNotNull() & ~_holds(cast, name, bound) for name, bound in field.bounds]
    wrong = F.lit(False)
    for test in tests:
        wrong = wrong | F.coalesce(test, F.lit(False))
    return wrong


def _holds(value: Column, name: str, bound: Any) -> Column:
    size, limit = F.length(value), F.lit(bound)
    if name in ("min_length", "max_length"):
        return size >= limit if name == "min_length" else size <= limit
    return {"ge": value >= limit, "gt": value > limit, "le": value <= limit, "lt": value < limit}[
        name
    ]
