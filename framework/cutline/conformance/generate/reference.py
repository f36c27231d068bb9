"""Reference rows for a history: what its lookups find, or do not find."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from cutline.conformance.generate.row_strategy import Table
from cutline.testing.row import Row
from cutline.testing.step import EXTRACTED
from cutline.translator import Lookup, Translator

_THERE = 0.9


def reference_rows(
    translator: type[Translator],
    tables: Mapping[str, Table],
    images: Sequence[Row],
    rng: random.Random,
) -> tuple[Row, ...]:
    """Rows of the looked-up tables that meet the images of the translator's first part.

    Mostly there is one for each key that is looked for; sometimes there is none. A table that is a
    part as well shows its own rows only.
    """
    parts = {part.contract for part in translator.parts.values()}
    found: dict[tuple[Any, ...], Row] = {}
    for name, lookup in translator.lookups.items():
        if lookup.contract not in parts:
            for row in _rows(lookup, tables[name], images, rng):
                key = (lookup.contract, *(row.named[c] for c in lookup.contract.key()))
                found.setdefault(key, row)
    return tuple(found.values())


def _rows(lookup: Lookup, table: Table, images: Iterable[Row], rng: random.Random) -> Iterator[Row]:
    wanted = dict.fromkeys(tuple(image.named[c] for c in lookup.on) for image in images)
    for number, values in enumerate(wanted):
        if None in values or rng.random() > _THERE:
            continue
        met = dict(zip(lookup.by, values, strict=True))
        for nth in range(rng.choice((1, 2)) if lookup.many else 1):
            fixed = {
                c: met.get(c, table.key_value(c, number * 2 + nth, rng, EXTRACTED))
                for c in lookup.contract.key()
            }
            yield table.first(rng, EXTRACTED, {**fixed, **met, **_interval(lookup)}, 0.2)


def _interval(lookup: Lookup) -> dict[str, Any]:
    """An interval that holds every business time, for a lookup as of one."""
    if lookup.valid is None:
        return {}
    begin, end = lookup.valid
    long_ago = dt.datetime(1800, 1, 1, tzinfo=dt.UTC)
    kind = lookup.contract.columns()[begin].dtype.type.typeName()
    return {begin: long_ago.date() if kind == "date" else long_ago, end: None}
