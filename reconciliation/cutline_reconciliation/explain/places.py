"""Places of attributes: each attribute is one bit of the words of a row, 64 to a word. Pure Python.

The words of several rows are joined bit by bit, so that what any row of a subject has, the subject
has. However many rows and values there are, a subject stays a few numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cutline.sql.spark import literal

Attribute = tuple[str, str | None]
"""The column, `<source>.<table>.<column>`, and its value, which may be null."""
NOT_NULL = "given"
"""The value of an attribute for any value that is not null, of columns with many."""
_WORD = 64


@dataclass(frozen=True)
class ColumnPlaces:
    """The attributes of one column: null has the first place, the values those after it."""

    name: str
    """`<source>.<table>.<column>`."""
    sql: str
    """The value of a row as a text, in Spark SQL."""
    first: int
    """The place of null."""
    values: tuple[str, ...] | None
    """Its values in their order; null where only NOT_NULL and null are told apart."""

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attributes from the first place on."""
        not_null = (NOT_NULL,) if self.values is None else self.values
        return tuple((self.name, value) for value in (None, *not_null))

    @property
    def words(self) -> range:
        """The words that the column's places are in; nearly always one."""
        return range(self.first // _WORD, (self.first + len(self.attributes) - 1) // _WORD + 1)

    def word(self, number: int) -> str:
        """The bit of a row's value in the word of that number, in Spark SQL; 0 if in another."""
        if self.words == range(number, number + 1):
            return f"shiftleft(1L, cast({self._place()} - {number * _WORD} AS int))"
        bit = f"shiftleft(1L, cast({self._place()} % {_WORD} AS int))"
        return f"if({self._place()} div {_WORD} = {number}, {bit}, 0L)"

    def _place(self) -> str:
        if self.values is None:
            return f"if({self.sql} IS NULL, {self.first}, {self.first + 1})"
        values = ", ".join(map(literal, self.values))
        position = f"array_position(cast(array({values}) AS array<string>), {self.sql})"
        return f"({self.first} + coalesce({position}, 0))"


@dataclass(frozen=True)
class AttributePlaces:
    """The places of all attributes of the rows of a run."""

    columns: tuple[ColumnPlaces, ...] = ()
    """By name: of two attributes, that of the column whose name is less has the lower place."""

    @property
    def words(self) -> tuple[str, ...]:
        """The names of the columns that hold the words of a row or a subject."""
        return tuple(
            f"_word_{n}" for n in range(self.columns[-1].words.stop if self.columns else 0)
        )

    @property
    def attributes(self) -> dict[int, Attribute]:
        """The attribute at each place."""
        return {
            place: attribute
            for column in self.columns
            for place, attribute in enumerate(column.attributes, column.first)
        }

    def words_of(self, names: Iterable[str]) -> dict[str, str]:
        """The words of a row that has the columns of these names, in Spark SQL by word."""
        mine = set(names)
        bits: list[list[str]] = [[] for _ in self.words]
        for column in self.columns:
            if column.name in mine:
                for number in column.words:
                    bits[number].append(column.word(number))
        return {
            word: " | ".join(of_word) or "0L"
            for word, of_word in zip(self.words, bits, strict=True)
        }

    def places(self) -> str:
        """The places that the words of a row or subject have: an array in order, in Spark SQL."""
        in_words: list[list[int]] = [[] for _ in self.words]
        for place in sorted(self.attributes):
            in_words[place // _WORD].append(place)
        arrays = [
            f"filter(array({', '.join(map(str, those))}), "
            f"p -> bit_get({word}, p - {number * _WORD}) = 1)"
            for number, (word, those) in enumerate(zip(self.words, in_words, strict=True))
        ]
        return f"concat({', '.join(arrays)})" if arrays else "cast(array() AS array<int>)"


def place_columns(
    columns: Mapping[str, str], values: Mapping[str, Sequence[str]]
) -> AttributePlaces:
    """A place for each attribute of the columns, by name; `values` has those of few values.

    `columns` has the SQL of each column's text by its name. A column begins a new word where it
    does not fit into the one begun, so that a row's bit is one shift.
    """
    placed, free = [], 0
    for name in sorted(columns):
        in_order = tuple(sorted(values[name])) if name in values else None
        size = 2 if in_order is None else 1 + len(in_order)
        if free % _WORD + size > _WORD and free % _WORD:
            free += _WORD - free % _WORD
        placed.append(ColumnPlaces(name, columns[name], free, in_order))
        free += size
    return AttributePlaces(tuple(placed))
