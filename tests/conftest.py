"""One lazy Spark session a run; slow proofs only when asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytest_plugins = ["support.postgres", "support.control", "support.browser"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run long proofs and soaks")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--slow"):
        # Files with long proofs first: short ones fill what is left of the workers' time.
        long = {item.path for item in items if "slow" in item.keywords}
        items.sort(key=lambda item: item.path not in long)
        return
    skip = pytest.mark.skip(reason="a long proof: run with --slow")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """The run's one session: two shuffle partitions, no UI, UTC, ANSI."""
    from cutline.project.spark import SparkSection
    from cutline.spark.session import session

    made = session(
        SparkSection(
            master="local[2]",
            memory="1g",
            shuffle_partitions=2,
            quick_start=True,
            # With the code that is generated in production; whole runs of samples do without.
            conf={
                "spark.sql.codegen.wholeStage": "true",
                "spark.sql.codegen.factoryMode": "FALLBACK",
            },
        )
    )
    yield made
    made.stop()
