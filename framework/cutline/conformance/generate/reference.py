"""Reference rows for a history: rows of looked-up tables, present or missing."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from cutline.conformance.generate.row_strategy import RowStrategy
from cutline.testing.row import Row
from cutline.testing.step import EXTRACTED
from cutline.translator import Lookup, Translator

_HIT_RATE = 0.9
"""The share of lookup keys that find a row."""


def reference_rows(
    translator: type[Translator],
    strategies: Mapping[str, RowStrategy],
    images: Sequence[Row],
    rng: random.Random,
) -> tuple[Row, ...]:
    """Rows of looked-up tables that match images of the translator's first part, each key once.

    Most keys have a row (of a lookup with many, one or two), some have none. A table that is also
    a part gets no reference rows: its lookup sees the part's rows. `strategies` are by lookup name.
    """
    parts = {part.contract for part in translator.parts.values()}
    rows_by_key: dict[tuple[Any, ...], Row] = {}
    for name, lookup in translator.lookups.items():
        if lookup.contract not in parts:
            for row in _rows(lookup, strategies[name], images, rng):
                key = (lookup.contract, *(row.named[c] for c in lookup.contract.key()))
                rows_by_key.setdefault(key, row)
    return tuple(rows_by_key.values())


def _rows(
    lookup: Lookup, strategy: RowStrategy, images: Iterable[Row], rng: random.Random
) -> Iterator[Row]:
    keys = dict.fromkeys(tuple(image.named[c] for c in lookup.on) for image in images)
    for number, values in enumerate(keys):
        if None in values or rng.random() > _HIT_RATE:
            continue
        join_values = dict(zip(lookup.by, values, strict=True))
        for nth in range(rng.choice((1, 2)) if lookup.many else 1):
            key_values = {
                c: join_values.get(c, strategy.draw_key(c, number * 2 + nth, rng, EXTRACTED))
                for c in lookup.contract.key()
            }
            fixed = {**key_values, **join_values, **_always_valid(lookup)}
            yield strategy.draw_created(rng, EXTRACTED, fixed, 0.2)


def _always_valid(lookup: Lookup) -> dict[str, Any]:
    """A validity interval with every business time in it, by column; empty if there is none."""
    if lookup.valid is None:
        return {}
    begin, end = lookup.valid
    long_ago = dt.datetime(1800, 1, 1, tzinfo=dt.UTC)
    kind = lookup.contract.columns()[begin].dtype.type.typeName()
    return {begin: long_ago.date() if kind == "date" else long_ago, end: None}
