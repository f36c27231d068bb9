"""What a test needs beside Python, as markers; a test without one starts no process.

`spark` is marked by the fixture, `process`, `postgres` and `browser` by hand. What has none of them,
and is not slow, is what `make test-fast` runs.
"""

from __future__ import annotations

import sys
from typing import Any

import pytest

NEEDS = ("spark", "process", "postgres", "browser", "slow")

_running: list[pytest.Item] = []


def pytest_configure(config: pytest.Config) -> None:
    sys.addaudithook(_refuse_processes)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker("spark")


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
