"""Nightly stock adjustments: a JSON-lines file that grows by a block each night."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cutline_translators.estate.chance import Bools, rare_places
from cutline_translators.estate.columns import (
    append_lines,
    codes,
    json_number,
    json_object,
    json_text,
    words_at,
)
from cutline_translators.estate.moments import DAY, EXTRACT, HOUR, NULL, Ints, iso
from cutline_translators.retail.estate.catalogue import Catalogue
from cutline_translators.retail.estate.regions import REGIONS

PER_ARTICLE = 0.7
"""Adjustments by the number of simple articles and regions."""
ALREADY_COUNTED = 0.03
CUT_OFF = 0.001
DELTA_AS_A_WORD = 0.001

_REASONS = ("DAMAGE", "FOUND", "THEFT", "RETURN", "MISPICK")
_WORDS = ("two", "five", "some")


@dataclass(frozen=True)
class Adjustments:
    """Corrections of simple articles; `fate` is 0 sound, 1 torn, 2 with a word as delta."""

    region: Ints
    sku: Ints
    delta: Ints
    reason: Ints
    booked: Ints
    fate: Ints
    counts: Bools

    def per_article(self, articles: int) -> Ints:
        """The sum that the legacy adds to each count: (region, article)."""
        summed = np.zeros((2, articles), dtype=np.int64)
        mine = self.counts
        np.add.at(summed, (self.region[mine], self.sku[mine]), self.delta[mine])
        return summed


def draw_adjustments(rng: np.random.Generator, items: Catalogue, counted_at: Ints) -> Adjustments:
    """Corrections after each article's count, and a few that the count includes already."""
    count = max(40, round(2 * items.simple * PER_ARTICLE))
    region, sku = rng.integers(0, 2, count), rng.integers(0, items.simple, count)
    counted = np.where(counted_at[region, sku] == NULL, EXTRACT - 2 * DAY, counted_at[region, sku])
    nights = rng.integers(0, np.maximum((EXTRACT - counted) // DAY, 1))
    booked = EXTRACT - 3 * HOUR - nights * DAY + rng.integers(0, HOUR, count)
    booked = np.where(booked > counted, booked, EXTRACT - HOUR)
    has_count = counted_at[region, sku] != NULL
    late = rare_places(rng, has_count, region, ALREADY_COUNTED, 1)
    order = np.argsort(booked, kind="stable")
    booked[late] = counted[late] - rng.integers(HOUR, 3 * DAY, len(late))
    delta = rng.integers(1, 4, count) * np.where(rng.random(count) < 0.6, -1, 1)
    counts = np.ones(count, dtype=np.bool_)
    counts[late] = False
    fate = np.zeros(count, dtype=np.int64)
    for kind, rate in ((1, CUT_OFF), (2, DELTA_AS_A_WORD)):
        fate[rare_places(rng, counts & (fate == 0), region, rate, 1)] = kind
    unsorted = Adjustments(
        region,
        sku,
        delta,
        rng.integers(0, len(_REASONS), count),
        booked,
        fate,
        counts & (fate == 0),
    )
    return Adjustments(*(getattr(unsorted, name)[order] for name in unsorted.__dataclass_fields__))


def write_adjustments(path: Path, adjustments: Adjustments, items: Catalogue) -> None:
    """Write the file, in the order of the nights."""
    count = len(adjustments.sku)
    number = codes("ADJ", np.arange(1, count + 1), 7)
    spoken = pc.if_else(
        pa.array(adjustments.fate == 2),
        json_text(words_at(_WORDS, np.arange(count) % len(_WORDS))),
        json_number(pa.array(adjustments.delta)),
    )
    lines = json_object(
        {
            "adjustment_no": json_text(number),
            "sku": json_text(items.names(adjustments.sku)),
            "region": json_text(words_at(REGIONS, adjustments.region)),
            "delta": spoken,
            "reason": json_text(words_at(_REASONS, adjustments.reason)),
            "booked_at": json_text(iso(adjustments.booked)),
        }
    )
    cut_off = pc.utf8_slice_codeunits(lines, 0, 40)
    path.unlink(missing_ok=True)
    append_lines(path, pc.if_else(pa.array(adjustments.fate == 1), cut_off, lines))
