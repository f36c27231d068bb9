"""Random small histories of one subject each: few values, so that everything meets everything."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterator
from typing import Any

from cutline.context import (
    Aggregate,
    Context,
    Foreign,
    LateArrivals,
    MergePolicy,
    NativeCollision,
    NotAuthoritative,
    Overlap,
    excludes,
    expects,
    requires,
)
from support.merge.candidates import at, candidate
from support.shop import ORDER, SHOP, STOCK, Cancelled, Placed, Released

STRICT = SHOP
"""Three steps, each of which requires the one before it."""
LENIENT = Context(
    name="shop",
    doc="",
    aggregates=(
        Aggregate(
            name="order",
            doc="",
            events=ORDER.events,
            state={},
            order=(
                requires(Released, first=Placed),
                expects(Cancelled, first=Released, rule="too-early", missing="never-released"),
                excludes(Cancelled, other=Placed, rule="cancelled-though-placed"),
            ),
        ),
        STOCK,
    ),
)
"""One law, and habits that look at what may be held."""
EVERYTHING = MergePolicy(
    not_authoritative=NotAuthoritative(foreign=(Foreign(region="elsewhere"),)),
    late_arrivals=LateArrivals(before=at(4), allowed=dt.timedelta(hours=2)),
    overlap=Overlap(idempotent_consumers=False),
    native_collision=NativeCollision(enabled=True, within=dt.timedelta(hours=1)),
)
KINDS = ("Placed", "Placed", "Released", "Released", "Cancelled", "Reserved")


def history(rng: random.Random, subject: str) -> Iterator[dict[str, Any]]:
    """Up to nine candidates of one subject (and now and then one of another aggregate)."""
    for i in range(rng.randint(1, 9)):
        native = rng.random() < 0.25
        has_own_time = native or rng.random() < 0.7
        # A snapshot has no commit time, whatever its events say of theirs.
        basis = "effective" if has_own_time else rng.choice(("commit", "commit", "extract"))
        changed = not native and basis != "extract" and rng.random() < 0.6
        id = f"{subject}/{rng.choice((i, i, i, 0))}"
        fact = rng.choice((None, 1, 2, 2, 3, 4))
        yield candidate(
            id,
            rng.choice(KINDS),
            rng.choice((1, 2, 2, 3, 3, 4, 5)),
            subject=subject,
            partitionkey=subject,
            sequence=rng.choice(("1", "2", "3")) if not native else None,
            migorigin="native" if native else "synthetic",
            source="urn:live" if native else rng.choice(("urn:a", "urn:a", "urn:b")),
            migsrcsystem=None if native else rng.choice(("x", "x", "y")),
            migsrcpos=None if native else rng.choice(("1", "2", "3")),
            migconfidence=rng.choice(("exact", "exact", "inferred", "approximate")),
            migtimebasis=basis,
            migsrctime=at(9) if changed else None,
            migtranslator=None if native else rng.choice("AB"),
            migtranslatorver=None if native else rng.choice(("1.9.0", "1.10.0", "2.0.0")),
            migregion=rng.choice((None, None, None, "here", "elsewhere")),
            migfactkey=None if fact is None else f"{subject}/f{fact}",
            side=rng.choice(("before", "before", "before", "before", "overlap", "after")),
            data=rng.choice(("{}", "{}", '{"x":1}')),
        )


def histories(seed: int, count: int) -> list[dict[str, Any]]:
    """The candidates of many subjects, each named by its number."""
    rng = random.Random(seed)
    return [row for i in range(count) for row in history(rng, f"h{i:05d}")]
