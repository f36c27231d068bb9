"""The kit's pytest plugin: `pytest_plugins = ["cutline.testing.plugin"]` in a conftest.

It gives the fixture `spark`, the run's one session, to tests that need it themselves.
Specifications work without it, and share that session.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from cutline.testing.session import run_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """The run's one session, started when it is first asked for; UTC, ANSI."""
    session = run_session()
    yield session
    session.stop()
