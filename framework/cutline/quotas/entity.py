"""Whose a client quota is, and what it limits, in Kafka's own words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

PRODUCER, CONSUMER = "producer_byte_rate", "consumer_byte_rate"
RATES = (PRODUCER, CONSUMER)
"""The rates that Cutline sets, in bytes a second and of each broker. Kafka knows others, which it
leaves as they are."""


@dataclass(frozen=True)
class QuotaEntity:
    """The clients that a quota is of: those of a client id; with a `user`, only this user's."""

    client_id: str
    user: str | None = None

    def __str__(self) -> str:
        of_user = "" if self.user is None else f" of user {self.user}"
        return f"client id {self.client_id}{of_user}"


def in_words(rates: Mapping[str, float]) -> str:
    """Rates for people, such as `producer_byte_rate 5,000,000`."""
    return " and ".join(f"{name} {rates[name]:,.0f}" for name in RATES if name in rates)
