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


def test_a_release_has_topics_of_its_own() -> None:
    topics = names.release_topics("shop", "orders", 3, "eu.west")
    assert topics.history("order") == "shop.release.orders.3.eu.west.order.synthetic"
    assert topics.state("order") == "shop.release.orders.3.eu.west.order.state"
    assert topics.progress == "shop.release.orders.3.eu.west.progress"
    assert names.is_history(topics.history("order"))
    assert names.is_state(topics.state("order"))


def test_topics_are_of_one_release_of_one_slice() -> None:
    west = names.release_topics("shop", "orders", 1, "eu.west")
    narrow = names.release_topics("shop", "orders", 1, "eu")
    later = names.release_topics("shop", "orders", 12, "eu")
    every = [
        topic
        for topics in (west, narrow, later)
        for topic in (topics.history("order"), topics.state("order"), topics.progress)
    ]
    every += [
        *(
            "shop.orders.order.synthetic",
            "shop.orders.progress",
            "other.release.orders.1.eu.progress",
        ),
        *("shop.release.bills.1.eu.order.state", "shop.release.orders.x.eu.order.state"),
        *("shop.release.orders.1.eu.order.live", "shop.release.orders.1.eu"),
    ]
    assert names.topics_by_release("shop", "orders", "eu", every) == {
        1: sorted(every[3:6]),
        12: sorted(every[6:9]),
    }
    assert names.topics_by_release("shop", "orders", "eu.west", every) == {1: sorted(every[:3])}
    assert names.topics_by_release("shop", "orders", "west", every) == {}
