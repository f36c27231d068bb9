"""Topic names."""

from __future__ import annotations

import pytest

from cutline.errors import ConfigurationError
from cutline.topics import names


def test_names() -> None:
    assert names.control("shop", "orders") == "shop.orders.control"
    assert names.synthetic("shop", "orders", "order") == "shop.orders.order.synthetic"
    assert names.live("shop", "orders", "order") == "shop.orders.order.live"
    assert names.state("shop", "orders", "order") == "shop.orders.order.state"
    assert names.exceptions("shop", "orders") == "shop.orders.exceptions"
    assert names.breaks("shop", "orders") == "shop.orders.breaks"


@pytest.mark.parametrize("aggregate", ["", "a.b", "a/b", "..", "größe", "x" * 240])
def test_what_kafka_would_refuse_is_refused(aggregate: str) -> None:
    with pytest.raises(ConfigurationError, match="cannot be the name of a topic"):
        names.live("shop", "orders", aggregate)
