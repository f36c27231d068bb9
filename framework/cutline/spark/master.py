"""Whether a master of a cluster answers, before Spark waits a minute for it."""

from __future__ import annotations

import socket

from cutline.errors import ConfigurationError
from cutline.spark.causes.start import no_master

_PATIENCE = 5.0
"""Seconds for one address."""


def refuse_silent_master(master: str) -> None:
    """ConfigurationError if no address of a standalone master (`spark://…`) can be connected to.

    Masters of other kinds are left to Spark, which asks them at once.
    """
    kind, separator, addresses = master.partition("://")
    if kind != "spark" or not separator:
        return
    reasons = []
    for address in addresses.split(","):
        host, _, port = address.rpartition(":")
        if not host or not port.isdigit():
            # Spark says what is wrong with it.
            return
        try:
            socket.create_connection((host.strip("[]"), int(port)), _PATIENCE).close()
        except OSError as error:
            reasons.append(f"{address}: {error.strerror or error}")
        else:
            return
    cause = no_master(master, "; ".join(reasons))
    raise ConfigurationError(
        cause.sentence, left_behind="Nothing was started.", next_step=cause.next_step
    )
