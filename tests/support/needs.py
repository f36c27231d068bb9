"""What a test needs beside Python, as markers; a test without one starts no process.

`spark`, `mariadb`, `kafka` and `debezium` are marked by fixtures, `process`, `postgres` and `browser` by hand. What
has none of them, and is not slow, is what `make test-fast` runs.
"""

from __future__ import annotations

import sys
from typing import Any

import pytest

NEEDS = ("spark", "process", "postgres", "mariadb", "kafka", "debezium", "browser", "slow")
MARKS = {
    "spark": "spark",
    "mariadb_server": "mariadb",
    "kafka_broker": "kafka",
    "other_broker": "kafka",
    "schema_registry": "kafka",
    "connect_worker": "debezium",
}
"""The marker of a test that asks for a fixture, itself or by another fixture."""

_running: list[pytest.Item] = []


def pytest_configure(config: pytest.Config) -> None:
    sys.addaudithook(_refuse_processes)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for fixture, mark in MARKS.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(mark)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    _running.append(item)
    try:
        return (yield)
    finally:
        _running.remove(item)


def _refuse_processes(event: str, arguments: tuple[Any, ...]) -> None:
    """A session is a process, too: its JVM."""
    if event == "subprocess.Popen" and _running:
        test = _running[-1]
        if not any(test.get_closest_marker(need) for need in NEEDS):
            raise RuntimeError(
                f"{test.nodeid} starts {arguments[0]}: give it the fixture `spark` where it needs "
                "a session, or else the marker `process`"
            )
