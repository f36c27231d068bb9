"""Ports of this machine that nobody listens at."""

from __future__ import annotations

import random
import socket
from contextlib import ExitStack
from pathlib import Path

_EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LOWEST = 10_000


def free_port() -> int:
    """A port on 127.0.0.1 that was free a moment ago."""
    (port,) = free_ports(1)
    return port


def free_ports(count: int) -> list[int]:
    """So many ports on 127.0.0.1, each another, that were free a moment ago.

    None is of those that the system gives to whoever asks for any. A client that goes on asking
    at the port of a server that is gone would reach what got it next: Spark hands its rows to
    Python at such ports, and takes one connection each.
    """
    with ExitStack() as stack:
        # All are held at once: one that is free again may be given a second time.
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        return [_bound(probe) for probe in probes]


def _bound(probe: socket.socket) -> int:
    for port in random.sample(range(_LOWEST, first_ephemeral_port()), k=100):
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return port
    raise OSError(f"of 100 ports below {first_ephemeral_port()} none is free")


def first_ephemeral_port() -> int:
    """The lowest port that the system gives to whoever asks for any."""
    return int(_EPHEMERAL.read_text().split()[0]) if _EPHEMERAL.is_file() else 32_768
