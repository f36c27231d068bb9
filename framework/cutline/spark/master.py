"""Whether a master of a cluster answers, before Spark waits a minute for it."""

from __future__ import annotations

import re
import socket

from cutline.errors import ConfigurationError
from cutline.spark.causes.start import no_master

_PATIENCE = 5.0
"""Seconds for one address."""


def refuse_silent_master(master: str) -> None:
    """ConfigurationError if no address of a standalone master (`spark://…`) can be connected to.

    Masters of other kinds are left to Spark, which asks them at once.
    """
    reasons = []
    for host, port in standalone_addresses(master):
        try:
            socket.create_connection((host, port), _PATIENCE).close()
        except OSError as error:
            reasons.append(f"{host}:{port}: {error.strerror or error}")
        else:
            return
    if not reasons:
        return
    cause = no_master(master, "; ".join(reasons))
    raise ConfigurationError(
        cause.sentence, left_behind="Nothing was started.", next_step=cause.next_step
    )


def standalone_addresses(master: str) -> list[tuple[str, int]]:
    """Host and port of each address of a standalone master.

    Empty for a master of another kind, and for one that is written wrongly: Spark says how.

    >>> standalone_addresses("spark://one:7077,[::1]:7078")
    [('one', 7077), ('::1', 7078)]
    >>> standalone_addresses("yarn"), standalone_addresses("spark://one")
    ([], [])
    """
    kind, _, addresses = master.partition("://")
    if kind != "spark":
        return []
    places = [re.fullmatch(r"(\[[^]]+\]|[^:/\s]+):(\d+)", text) for text in addresses.split(",")]
    if not all(places):
        return []
    return [(place[1].strip("[]"), int(place[2])) for place in places if place is not None]
