"""Ports for servers of the tests are none that anybody else is given."""

from __future__ import annotations

import socket

from support.ports import first_ephemeral_port, free_ports


def test_ports_are_free_and_none_that_the_system_gives_to_whoever_asks_for_any() -> None:
    ports = free_ports(20)
    assert len(set(ports)) == 20
    for port in ports:
        assert port < first_ephemeral_port()
        with socket.socket() as server:
            server.bind(("127.0.0.1", port))
    with socket.socket() as anybody:
        anybody.bind(("127.0.0.1", 0))
        assert anybody.getsockname()[1] >= first_ephemeral_port()
