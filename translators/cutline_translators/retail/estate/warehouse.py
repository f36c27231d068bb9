"""The warehouse's feed: two CSV files without quotes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cutline_translators.estate.chance import Bools, rare_places
from cutline_translators.estate.columns import (
    append_lines,
    codes,
    csv_lines,
    words_at,
)
from cutline_translators.estate.moments import DAY, EXTRACT, HOUR, MINUTE, NULL, Ints, iso
from cutline_translators.retail.estate.lines import has_line
from cutline_translators.retail.estate.orders import DraftedOrders
from cutline_translators.retail.estate.regions import REGIONS
from cutline_translators.retail.estate.rows import OrderLines, order_number
from cutline_translators.retail.estate.statuses import (
    CLOSED,
    FIRST_ELSEWHERE,
    FIRST_HOLD,
    LINE_SHIPPED,
    RELEASED,
    TESTO,
)

MALFORMED = 0.0005
DELIVERED_BEFORE_DISPATCHED = 0.001
TIME_UNKNOWN = 0.002
TIME_AS_A_WORD = 0.0005
EARLY_RELEASE = 0.002
"""Share of orders that the warehouse releases before the ERP does."""

_RELEASES = "order_no,region,release_status,released_at"
_SHIPMENTS = "shipment_no,order_no,region,carrier,status,dispatched_at,delivered_at"
_CARRIERS = ("Norse Post", "Parcelwing", "RoadRunner", "Blue Van")
_LABELLED, _DISPATCHED, _DELIVERED = range(3)


class Warehouse:
    """Writes the feed of one chunk of orders after the other; numbers run on."""

    def __init__(self, folder: Path) -> None:
        self._releases = folder / "releases.csv"
        self._shipments = folder / "shipments.csv"
        self._legs = 0
        for path, header in ((self._releases, _RELEASES), (self._shipments, _SHIPMENTS)):
            path.unlink(missing_ok=True)
            append_lines(path, pa.array([header]))

    def add(
        self,
        rng: np.random.Generator,
        drafted: DraftedOrders,
        lines: OrderLines,
        releasing: Bools,
        least: int,
    ) -> None:
        """Add the releases and shipments of orders; `releasing` are about to be released."""
        self._add_releases(rng, drafted, releasing, least)
        self._add_shipments(rng, drafted, lines, least)

    def _add_releases(
        self, rng: np.random.Generator, drafted: DraftedOrders, releasing: Bools, least: int
    ) -> None:
        orders, drawn = drafted.orders, rng.random(len(drafted.orders.number))
        announced = np.isin(orders.status, (RELEASED, CLOSED)) & (drawn < 0.97)
        # The warehouse hears of some releases before the ERP writes them down.
        early = np.zeros(len(drawn), dtype=np.bool_)
        early[rare_places(rng, releasing, orders.region, EARLY_RELEASE, least)] = True
        on_hold = (orders.status >= FIRST_HOLD) & (orders.status < FIRST_ELSEWHERE) & (drawn < 0.3)
        place = np.flatnonzero(announced | early | on_hold)
        word = np.where(on_hold[place], 1, np.where(rng.random(len(place)) < 0.005, 2, 0))
        word[early[place]] = 0
        at = drafted.course[place, 3] + rng.integers(0, 5 * MINUTE, len(place))
        at = np.where(early[place], EXTRACT - rng.integers(60, HOUR, len(place)), at)
        at[on_hold[place]] = NULL
        start = [order_number(orders.number[place]), words_at(REGIONS, orders.region[place])]
        fields = [words_at(("REL", "HLD", "ERR"), word), iso(np.minimum(at, EXTRACT - 1))]
        broken = pc.binary_join_element_wise(words_at(("REL",), word * 0), " again", ",")
        append_lines(
            self._releases,
            _malformed(
                rng,
                csv_lines([*start, *fields]),
                csv_lines(start),
                csv_lines([*start, broken, fields[1]]),
                announced[place],
                orders.region[place],
                least,
            ),
        )

    def _add_shipments(
        self, rng: np.random.Generator, drafted: DraftedOrders, lines: OrderLines, least: int
    ) -> None:
        place, status = _legs(rng, drafted, lines, least)
        count, region = len(place), drafted.orders.region[place]
        released, closed = drafted.course[place, 3], drafted.course[place, 4]
        left = released + (rng.random(count) * np.maximum(closed - released, 60)).astype(np.int64)
        left = np.where(status == _LABELLED, NULL, np.minimum(left, EXTRACT - HOUR))
        came = left + rng.integers(DAY // 2, 4 * DAY, count)
        status = np.where((status == _DELIVERED) & (came >= EXTRACT), _DISPATCHED, status)
        came = np.where(status == _DELIVERED, came, NULL)
        plain = np.ones(count, dtype=np.bool_)

        def plant(eligible: Bools, rate: float) -> Ints:
            places = rare_places(rng, eligible & plain, region, rate, least)
            plain[places] = False
            return places

        backwards = plant(status == _DELIVERED, DELIVERED_BEFORE_DISPATCHED)
        came[backwards] = left[backwards] - rng.integers(HOUR, DAY, len(backwards))
        came[plant(status == _DELIVERED, TIME_UNKNOWN)] = NULL
        left[plant(status == _DISPATCHED, TIME_UNKNOWN)] = NULL
        left_text = iso(left)
        spoken = np.zeros(count, dtype=np.bool_)
        spoken[plant(status == _DISPATCHED, TIME_AS_A_WORD)] = True
        left_text = pc.if_else(pa.array(spoken), "yesterday", left_text)

        first = self._legs + 1
        self._legs += count
        start = [
            codes("SH", np.arange(first, self._legs + 1), 8),
            order_number(drafted.orders.number[place]),
            words_at(REGIONS, region),
        ]
        carrier = words_at(_CARRIERS, rng.integers(0, len(_CARRIERS), count))
        rest = [words_at(("LABELLED", "DISPATCHED", "DELIVERED"), status), left_text, iso(came)]
        limited = pc.binary_join_element_wise(carrier, " Ltd", ",")
        append_lines(
            self._shipments,
            _malformed(
                rng,
                csv_lines([*start, carrier, *rest]),
                csv_lines(start),
                csv_lines([*start, limited, *rest]),
                plain,
                region,
                least,
            ),
        )


def _legs(
    rng: np.random.Generator, drafted: DraftedOrders, lines: OrderLines, least: int
) -> tuple[Ints, Ints]:
    """The order of each parcel and how far it has come; one order in ten has a second parcel."""
    orders, count = drafted.orders, len(drafted.orders.number)
    left = has_line(orders, lines, lines.status == LINE_SHIPPED)
    partly = (orders.status >= FIRST_ELSEWHERE) & (orders.status < TESTO)
    departed = left & ((orders.status == CLOSED) | (orders.status == RELEASED) | partly)
    label = ~left & (orders.status == RELEASED) & (rng.random(count) < 0.6)
    label[rare_places(rng, ~departed & (orders.status == RELEASED), orders.region, 0, least)] = True
    drawn = rng.random(count)
    status = np.where(
        label,
        _LABELLED,
        np.where((orders.status == CLOSED) & (drawn < 0.92), _DELIVERED, _DISPATCHED),
    )
    parcels = (departed | label) + (departed & (rng.random(count) < 0.1))
    place = np.repeat(np.arange(count), parcels)
    return place, status[place]


def _malformed(
    rng: np.random.Generator,
    lines: pa.Array,
    cut_short: pa.Array,
    with_extra_value: pa.Array,
    eligible: Bools,
    region: Ints,
    least: int,
) -> pa.Array:
    """The lines, a few of them ending after the region, a few with a comma inside a value."""
    fate = np.zeros(len(lines), dtype=np.int64)
    fate[rare_places(rng, eligible, region, MALFORMED / 2, least)] = 1
    fate[rare_places(rng, eligible & (fate == 0), region, MALFORMED / 2, least)] = 2
    return pc.choose(pa.array(fate), lines, cut_short, with_extra_value)
