"""What a rule sees: one image of a row, its parts and its lookups, as Spark columns."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError, did_you_mean
from cutline.translator.names import SELF
from cutline.translator.translator import Translator

AFTER, BEFORE = "after", "before"


def image(side: str, name: str) -> Column:
    """The struct column of one part or lookup, in the image `after` or `before`."""
    return F.col(f"{side}_{name}")


class Fields:
    """The columns of one part or lookup."""

    def __init__(self, column: Column, names: tuple[str, ...], where: str) -> None:
        self._column, self._names, self._where = column, names, where

    def __getattr__(self, name: str) -> Column:
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self._names:
            raise ConfigurationError(
                f"{self._where} has no column {name!r}.{did_you_mean(name, self._names)}",
                next_step=f"Its columns are: {', '.join(self._names)}.",
            )
        return self._column.getField(name)


class Element:
    """One element of an array of structs, within `each`."""

    def __init__(self, column: Column) -> None:
        self._column = column

    def __getattr__(self, name: str) -> Column:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._column.getField(name)


class Row:
    """One image of a row: `row.status`, `row.<part>.status`, `row.<lookup>.name`."""

    def __init__(self, translator: type[Translator], side: str, rule: str) -> None:
        self._translator, self._side = translator, side
        self._where = f"translator {translator.__name__}, rule {rule}: "

    def __getattr__(self, name: str) -> Column | Fields:
        if name.startswith("__"):
            raise AttributeError(name)
        translator = self._translator
        if name in translator.lookups:
            lookup = translator.lookups[name]
            column = image(self._side, name)
            return column if lookup.many else self._fields(name, tuple(lookup.contract.columns()))
        if name in translator.parts and name != SELF:
            return self._fields(name, tuple(translator.parts[name].contract.columns()))
        if SELF in translator.parts:
            names = tuple(translator.parts[SELF].contract.columns())
            own: Column = getattr(self._fields(SELF, names), name)
            return own
        known = (*translator.parts, *translator.lookups)
        raise ConfigurationError(
            f"{self._where}the row has no part or lookup {name!r}.{did_you_mean(name, known)}",
            next_step=f"It has: {', '.join(known)}.",
        )

    def _fields(self, name: str, names: tuple[str, ...]) -> Fields:
        label = "the row" if name == SELF else name
        return Fields(image(self._side, name), names, self._where + label)
