"""What the installed translations of a context say of its tables: whose values are personal."""

from __future__ import annotations

from cutline import plugins
from cutline.context import Aggregate
from cutline.masking import Masking, masking


def masking_of(context: str) -> Masking:
    """What every installed translation of a context asks to be masked."""
    installed = plugins.translations().loaded.values()
    return masking(t for t in installed if t.context.name == context)


def aggregates_of(context: str) -> tuple[Aggregate, ...]:
    """The aggregates that the installed translations of a context know; of a name the first."""
    installed = plugins.translations().loaded.values()
    aggregates: dict[str, Aggregate] = {}
    for aggregate in (
        a for t in installed if t.context.name == context for a in t.context.aggregates
    ):
        aggregates.setdefault(aggregate.name, aggregate)
    return tuple(aggregates.values())
