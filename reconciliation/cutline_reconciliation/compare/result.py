"""The result of a comparison: exact counts that balance, and the details of differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class ColumnResult:
    """One column of both sides, over keys with one row on each side."""

    compared: int
    """Compared pairs of values: one per key with one row on each side."""
    different: int
    """Pairs that differ and are not forgiven."""
    within_tolerance: int
    """Pairs that differ and are forgiven, by a tolerance or any other rule."""
    forgiven_by: Mapping[str, int] = field(default_factory=dict)
    """Forgiven pairs by rule of the column, zeros included.

    A pair counts for the first rule that suffices alone; without such a one, for each needed rule.
    """


@dataclass(frozen=True)
class Comparison:
    """The result of a comparison of two tables by key.

    Every row has one class, so on each side rows = matched + changed + only + duplicated + null
    keys. A key with several rows on a side is `duplicated`, and in no other class on either side.
    """

    key: tuple[str, ...]
    """The key's columns, as the left side calls them."""
    rows_left: int
    """Rows of the left side that were compared: after `where` and `combine`."""
    rows_right: int
    """Rows of the right side that were compared."""
    filtered_left: int
    """Rows of the left side that rule `where` leaves out, which are in no other count."""
    filtered_right: int
    """Rows of the right side that rule `where` leaves out."""
    matched: int
    """Keys once on each side in which every compared column is the same or forgiven."""
    forgiven: int
    """Those of `matched` that are equal only because rules forgive a difference."""
    changed: int
    """Keys once on each side in which a compared column differs."""
    only_left: int
    """Keys, and rows, that only the left side has."""
    only_right: int
    """Keys, and rows, that only the right side has."""
    duplicate_keys_left: int
    """Distinct keys that occur more than once on the left."""
    duplicate_keys_right: int
    """Distinct keys that occur more than once on the right."""
    duplicated_rows_left: int
    """Rows of the left side whose key occurs more than once on either side."""
    duplicated_rows_right: int
    """Rows of the right side whose key occurs more than once on either side."""
    null_keys_left: int
    """Rows of the left side with a null in the key."""
    null_keys_right: int
    """Rows of the right side with a null in the key."""
    duplicate_keys_unlike: int
    """Duplicated keys, of either side, whose rows are not the same on both sides: as many of each
    kind, whatever their order."""
    null_keys_unlike: int
    """Rows with a null in the key, of either side, that the other side does not have as often."""
    columns: Mapping[str, ColumnResult]
    """By compared column, as the left side calls it, in the order of the left side."""
    columns_only_left: tuple[str, ...] = ()
    """Columns that only the left side has and no rule ignores: not compared, and not equal."""
    columns_only_right: tuple[str, ...] = ()
    """Columns that only the right side has and no rule ignores."""
    ignored: tuple[str, ...] = ()
    """Columns that rules ignore, of either side."""
    make_details: Callable[[], DataFrame] | None = field(default=None, repr=False, compare=False)
    """Computes `details`; None where there are none."""

    @cached_property
    def details(self) -> DataFrame | None:
        """One row per key with a difference, or per row with a null key; None where there is none.

        The columns are `key`, a struct; `class`; `rows_left` and `rows_right`, the numbers of rows;
        `left` and `right`, the row as a struct, null where there is none or several; and
        `differences`, an array of structs: `column`, `class` (`changed` or `within_tolerance`),
        `left` and `right` as text, `amount` (right minus left where both are numbers), and `rules`,
        which forgive it.
        """
        return None if self.make_details is None else self.make_details()

    @property
    def forgave(self) -> Mapping[str, int]:
        """The number of pairs of values for which a rule was needed, by `<column>.<rule>`."""
        return {
            f"{name}.{rule}": count
            for name, column in self.columns.items()
            for rule, count in column.forgiven_by.items()
        }

    @property
    def equal(self) -> bool:
        """Whether both sides have the same rows and columns, apart from forgiven differences.

        Rows are compared as a multiset: duplicates and null keys that both sides have alike are
        equal.
        """
        return not (
            self.changed
            or self.only_left
            or self.only_right
            or self.duplicate_keys_unlike
            or self.null_keys_unlike
            or self.columns_only_left
            or self.columns_only_right
        )

    def as_json(self) -> dict[str, Any]:
        """The counts as one JSON document; its names are a contract."""
        return {
            "key": list(self.key),
            "rows_left": self.rows_left,
            "rows_right": self.rows_right,
            "filtered_left": self.filtered_left,
            "filtered_right": self.filtered_right,
            "matched": self.matched,
            "forgiven": self.forgiven,
            "changed": self.changed,
            "only_left": self.only_left,
            "only_right": self.only_right,
            "duplicate_keys_left": self.duplicate_keys_left,
            "duplicate_keys_right": self.duplicate_keys_right,
            "duplicated_rows_left": self.duplicated_rows_left,
            "duplicated_rows_right": self.duplicated_rows_right,
            "null_keys_left": self.null_keys_left,
            "null_keys_right": self.null_keys_right,
            "duplicate_keys_unlike": self.duplicate_keys_unlike,
            "null_keys_unlike": self.null_keys_unlike,
            "columns": {
                name: {
                    "compared": one.compared,
                    "different": one.different,
                    "within_tolerance": one.within_tolerance,
                    "forgiven_by": dict(one.forgiven_by),
                }
                for name, one in self.columns.items()
            },
            "columns_only_left": list(self.columns_only_left),
            "columns_only_right": list(self.columns_only_right),
            "ignored": list(self.ignored),
            "forgave": dict(self.forgave),
            "equal": self.equal,
        }
