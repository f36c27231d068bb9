"""Ports of this machine that nobody listens at."""

from __future__ import annotations

import socket
from contextlib import ExitStack


def free_port() -> int:
    """A port on 127.0.0.1 that was free a moment ago."""
    (port,) = free_ports(1)
    return port


def free_ports(count: int) -> list[int]:
    """So many ports on 127.0.0.1, each another, that were free a moment ago."""
    with ExitStack() as stack:
        # All are held at once: one that is free again may be given a second time.
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]
