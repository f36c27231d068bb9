"""What is sold: simple articles, and bundles of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cutline_translators.estate.chance import Bools, Chance
from cutline_translators.estate.columns import codes, words_at
from cutline_translators.estate.moments import Ints

_KINDS = ("Mug", "Lamp", "Chair", "Rug", "Kettle", "Shelf", "Clock", "Blanket", "Vase", "Tray")
_COLOURS = ("white", "black", "blue", "green", "red", "grey")


@dataclass(frozen=True)
class Catalogue:
    """Articles by number: simple ones first, then bundles.

    `start[b]` to `start[b + 1]` are the places of bundle b in `component` and `pieces`.
    """

    simple: int
    bundles: int
    price: Ints
    start: Ints
    component: Ints
    pieces: Ints
    skus: pa.Array

    def is_bundle(self, sku: Ints) -> Bools:
        """Whether each article is a bundle."""
        return sku >= self.simple

    def names(self, sku: Ints) -> pa.Array:
        """`SKU-00001` or `BND-0001` per article."""
        return pc.take(self.skus, pa.array(sku))

    def needs(self, sku: Ints) -> tuple[Ints, Ints, Ints]:
        """What one unit of each article draws from stock: (place in `sku`, component, pieces).

        A simple article is its own component. Rows come in the order of `sku`, components of a
        bundle by their number.
        """
        bundle = np.maximum(sku - self.simple, 0)
        first = np.where(self.is_bundle(sku), self.start[bundle], 0)
        count = np.where(self.is_bundle(sku), self.start[bundle + 1] - self.start[bundle], 1)
        place = np.repeat(np.arange(len(sku)), count)
        within = np.arange(len(place)) - np.repeat(np.cumsum(count) - count, count)
        row = np.repeat(first, count) + within
        whole = self.is_bundle(sku[place])
        return (
            place,
            np.where(whole, self.component[row], sku[place]),
            np.where(whole, self.pieces[row], 1),
        )


def catalogue(chance: Chance, orders: int) -> Catalogue:
    """The articles for an estate of so many orders."""
    rng = chance.of("catalogue")
    simple, bundles = max(40, orders // 20), max(12, orders // 60)
    size = rng.integers(2, 5, bundles)
    start = np.concatenate([[0], np.cumsum(size)])
    # Components of a bundle differ: a random first one, then steps through the range.
    first, step = rng.integers(0, simple, bundles), rng.integers(1, simple // 4, bundles)
    within = np.arange(start[-1]) - np.repeat(start[:-1], size)
    component = (np.repeat(first, size) + within * np.repeat(step, size)) % simple
    order = np.lexsort((component, np.repeat(np.arange(bundles), size)))
    price = np.concatenate(
        [rng.integers(300, 20_000, simple), rng.integers(4_000, 60_000, bundles)]
    )
    skus = pa.concat_arrays(
        [
            codes("SKU", np.arange(1, simple + 1), 5),
            codes("BND", np.arange(1, bundles + 1), 4),
        ]
    )
    pieces = rng.integers(1, 4, start[-1])
    return Catalogue(simple, bundles, price, start, component[order], pieces, skus)


def products_table(items: Catalogue, chance: Chance) -> pa.Table:
    """The rows of the ERP's `products`."""
    rng, count = chance.of("products"), items.simple + items.bundles
    kind = items.is_bundle(np.arange(count)).astype(np.int64)
    name = pc.binary_join_element_wise(
        words_at(_COLOURS, rng.integers(0, len(_COLOURS), count)),
        words_at(_KINDS, rng.integers(0, len(_KINDS), count)),
        words_at(("", "set"), kind),
        " ",
    )
    return pa.table(
        {
            "sku": items.skus,
            "name": pc.utf8_capitalize(pc.utf8_trim_whitespace(name)),
            "kind": words_at(("SIMPLE", "BUNDLE"), kind),
            "price_cents": pa.array(items.price),
            "active": pa.array((rng.random(count) > 0.05).astype(np.int64)),
        }
    )


def components_table(items: Catalogue) -> pa.Table:
    """The rows of the ERP's `bundle_components`."""
    bundle = np.repeat(np.arange(items.bundles), np.diff(items.start)) + items.simple
    return pa.table(
        {
            "bundle_sku": items.names(bundle),
            "component_sku": items.names(items.component),
            "quantity": pa.array(items.pieces),
        }
    )
