"""Finance's stock ledger: the booked quantities, which differ from the counted ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cutline_translators.estate.columns import words_at
from cutline_translators.estate.moments import EXTRACT, HOUR, Ints
from cutline_translators.retail.estate.catalogue import Catalogue
from cutline_translators.retail.estate.regions import REGIONS

DISAGREES = 0.15
"""Share of articles with different booked and counted quantities."""


def booked_quantities(rng: np.random.Generator, items: Catalogue, counted: Ints) -> Ints:
    """Financial quantity per (region, article)."""
    off = np.where(rng.random(counted.shape) < DISAGREES, rng.integers(-5, 6, counted.shape), 0)
    off[:, 0] = 2
    off[:, items.simple :] = 0
    return np.maximum(counted + off, 0)


def write_ledger(path: Path, items: Catalogue, booked: Ints) -> None:
    """The ledger as Parquet: one row per article and region."""
    articles = items.simple + items.bundles
    as_of = np.full(2 * articles, EXTRACT - 2 * HOUR)
    path.parent.mkdir(parents=True, exist_ok=True)
    ledger = pa.table(
        {
            "sku": items.names(np.tile(np.arange(articles), 2)),
            "region": words_at(REGIONS, np.repeat([0, 1], articles)),
            "financial_quantity": pa.array(booked.ravel()),
            "as_of": pa.array(as_of * 1_000_000).cast(pa.timestamp("us", "UTC")),
        }
    )
    pq.write_table(ledger, path, compression="zstd")
