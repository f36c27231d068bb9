"""Payloads: a fact's data as canonical JSON, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.context import Event
from cutline.context.payload import PayloadField, payload_fields
from cutline.errors import ConfigurationError, did_you_mean
from cutline.identity import columns as identity


class Payload:
    """The columns that a fact gives to the fields of its payload, in their types.

    `types` are the columns' own types by field name, as Spark's analysis finds them: what has its
    type already is neither cast nor checked for a loss.
    """

    def __init__(
        self, event: type[Event], given: Mapping[str, Column], types: Mapping[str, str]
    ) -> None:
        self.event = event
        self.fields = payload_fields(event)
        self._given = {f.name: given.get(f.name, F.lit(None).cast(f.type)) for f in self.fields}
        self._same = {f.name for f in self.fields if types.get(f.name, f.type) == f.type}
        self._cast = {
            name: column if name in self._same else column.try_cast(self._type(name))
            for name, column in self._given.items()
        }

    def json(self) -> Column:
        """The payload as rough JSON text; `identity.finished` makes it canonical."""
        return identity.rough_object(self._cast, {f.name: f.type for f in self.fields})

    def occurrence(self) -> Column:
        """What tells this occurrence from others, as rough JSON; null for a once-only event."""
        names = self.event.identified_by
        if not names:
            return F.lit(None).cast("string")
        return identity.rough_array([self._cast[n] for n in names], [self._type(n) for n in names])

    def fault(self) -> Column:
        """`payload:<Event>.<field>` of the first field that is wrong; null where all are right."""
        wrong: list[Column] = []
        for field in self.fields:
            tests = list(self._tests(field))
            if tests:
                rule = F.lit(f"payload:{self.event.__name__}.{field.name}")
                wrong.append(F.when(reduce(Column.__or__, tests), rule))
        return F.coalesce(*wrong, F.lit(None).cast("string"))

    def _type(self, name: str) -> str:
        return next(f.type for f in self.fields if f.name == name)

    def _tests(self, field: PayloadField) -> Iterator[Column]:
        """What would be wrong with a value, each never null."""
        given, cast = self._given[field.name], self._cast[field.name]
        if not field.nullable:
            yield cast.isNull()
        if field.name not in self._same:
            yield cast.isNull() & given.isNotNull()
            # A cast that rounds or cuts off is as wrong as one that fails: a payload never says
            # 1.01 where the row said 1.005. Text is compared by the value it spells.
            if field.type == "bigint" or field.type.startswith("decimal"):
                yield F.coalesce(given.try_cast("decimal(38,12)") != cast, F.lit(False))
        if field.choices:
            yield F.coalesce(~cast.isin(list(field.choices)), F.lit(False))
        for name, bound in field.bounds:
            yield F.coalesce(~_holds(cast, name, bound), F.lit(False))


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
    return {name: _column(value) for name, value in data.items()}


def _column(value: Any) -> Column:
    return value if isinstance(value, Column) else F.lit(value)


def _holds(value: Column, name: str, bound: Any) -> Column:
    size, limit = F.length(value), F.lit(bound)
    if name in ("min_length", "max_length"):
        return size >= limit if name == "min_length" else size <= limit
    return {"ge": value >= limit, "gt": value > limit, "le": value <= limit, "lt": value < limit}[
        name
    ]
