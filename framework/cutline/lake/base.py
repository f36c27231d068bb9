"""What a delta goes on from: the table of another run of the slice, and which of its rows go.

A delta is a table that holds only what is new. Its manifest names the base, which may be a delta
itself, and the tables of keys whose rows in the base it replaces.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cutline.lake.manifest import details_of

MOST_DELTAS = 8
"""So many deltas lie over one base at most; the next one is written whole."""
MOST_SHARE = 0.25
"""Deltas that hold so many rows for each row of their base are written whole."""

_BASE = "base"


@dataclass(frozen=True)
class Replaced:
    """Rows of a base that a delta has anew: those that agree with a row of a table of keys.

    `keys` is the name of that table, which the delta's run has. `columns` says by column of the
    base which column of the keys it equals; null equals null. `of_base` and `of_keys` are
    conditions in SQL: rows of the base, and keys, for which they are not true have no part in it.
    """

    keys: str
    columns: Mapping[str, str]
    of_base: str = "true"
    of_keys: str = "true"

    def as_json(self) -> dict[str, Any]:
        """As a manifest keeps it."""
        columns = dict(self.columns)
        conditions = {"of_base": self.of_base, "of_keys": self.of_keys}
        return {"keys": self.keys, "columns": columns, **conditions}


@dataclass(frozen=True)
class Base:
    """The base of a delta, as the delta's manifest has it.

    `run_id` is the run whose table it is, `manifest` the digest of that table's manifest, and
    `base_rows` its rows. `rows` are those in the delta's own files. `deltas` and `delta_rows` count
    the deltas from here down to the table that is whole, and their rows; `whole_rows` are that
    table's.
    """

    run_id: str
    manifest: str
    base_rows: int
    rows: int
    deltas: int
    delta_rows: int
    whole_rows: int
    replaced: tuple[Replaced, ...] = ()

    @property
    def is_worn(self) -> bool:
        """Whether it is time to write the table whole."""
        return self.deltas > MOST_DELTAS or self.delta_rows > MOST_SHARE * max(self.whole_rows, 1)

    def as_json(self) -> dict[str, Any]:
        """As a manifest keeps it."""
        numbers = {name: getattr(self, name) for name in _NUMBERS}
        replaced = [rows.as_json() for rows in self.replaced]
        base = {"run_id": self.run_id, "manifest": self.manifest, **numbers, "replaced": replaced}
        return {_BASE: base}


_NUMBERS = ("base_rows", "rows", "deltas", "delta_rows", "whole_rows")


def base_of(path: str) -> Base | None:
    """The base of the table in a folder; null for a table that is whole."""
    base = details_of(path).get(_BASE)
    if not isinstance(base, dict):
        return None
    replaced = tuple(Replaced(**rows) for rows in base["replaced"])
    numbers = {name: int(base[name]) for name in _NUMBERS}
    return Base(base["run_id"], base["manifest"], **numbers, replaced=replaced)
