"""Declarations of a context's installed translations about tables: personal columns, aggregates."""

from __future__ import annotations

from cutline import plugins
from cutline.context import Aggregate
from cutline.masking import Masking, masking


def masking_of(context: str) -> Masking:
    """The masking that the installed translations of a context declare."""
    installed = plugins.translations().loaded.values()
    return masking(t for t in installed if t.context.name == context)


def aggregates_of(context: str) -> tuple[Aggregate, ...]:
    """The aggregates of a context's installed translations; of equal names the first."""
    installed = plugins.translations().loaded.values()
    aggregates: dict[str, Aggregate] = {}
    for aggregate in (
        a for t in installed if t.context.name == context for a in t.context.aggregates
    ):
        aggregates.setdefault(aggregate.name, aggregate)
    return tuple(aggregates.values())
