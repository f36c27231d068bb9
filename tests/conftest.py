"""One lazy Spark session a run; slow proofs only when asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

AS_IN_PRODUCTION = {
    *("merge", "restore", "test_model_judge", "test_model_inexact", "test_model_window"),
    *(
        "test_engine_corners",
        "test_engine_plans",
        "test_change_places",
        "test_sources_inputs",
        "test_contract_differential",
    ),
}
"""The folders and files of tests for which Spark generates code: see `support.generated`."""

LONGEST = (
    "test_on_cluster",
    # Makes what others take a copy of, so that nobody waits for it.
    "test_demo_story",
    *("test_demo_on_servers", "test_rollout_on_servers", "test_triage_story", "test_redrive"),
    *("test_rehydrating", "test_rebuild_fed", "test_rollout_postgres_kills", "test_live_epochs"),
    *("test_kills", "test_model_mutants", "test_olist_example", "test_tutorial"),
    *("test_cut_under_load", "test_sakila_live", "test_sakila_example"),
    *("test_advance", "test_advance_on_topics", "test_change_topics", "test_kafka_kills"),
    *("test_scaffold_works", "test_model_judge", "test_insurance_run", "test_seeded_breaks"),
    *("test_late_parent", "test_cli_explain", "test_score_fines", "test_damage"),
    *("test_reconcile_set_aside", "test_reconcile_outcomes", "test_engine_in_commit"),
    *("test_run_on_kafka", "test_kafka_topics", "test_kafka_looked_up_behind"),
    *("test_class_sharing", "test_advance_publishes", "test_rebuilding", "test_handover_kafka"),
    *("test_api_on_the_demo", "test_backfill_serving"),
    *("test_excuses", "test_memory_runs", "test_fed_decisions", "test_reconcile_stage"),
)
"""The files that take longest, as they begin: short ones fill what is left of the workers' time."""

pytest_plugins = [
    "support.needs",
    "support.servers.fixtures",
    "support.sakila",
    "support.control",
    "support.read_models",
    "support.browser",
    "support.command_line",
]


# A machine that is busy is no fault of what is tested.
settings.register_profile("cutline", deadline=None)
settings.load_profile("cutline")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run long proofs")
    parser.addoption("--soak", action="store_true", help="also run what only `make soak` runs")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    begin = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: begin.get(item.path.stem, len(begin)))
    if not config.getoption("--soak"):
        # Left out and not skipped: the machine lacks nothing, and others prove the same smaller.
        soaks = [item for item in items if "soak" in item.keywords]
        config.hook.pytest_deselected(items=soaks)
        items[:] = [item for item in items if "soak" not in item.keywords]
    if config.getoption("--slow"):
        return
    skip = pytest.mark.skip(reason="a long proof: run with --slow")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """The worker's one session: two shuffle partitions, no UI, UTC, ANSI."""
    from cutline.project.spark import SparkSection
    from cutline.spark.session import session
    from support.shared_jvm.workers import are_several, session_of_all_workers

    memory = "5g" if are_several() else "2g"
    section = SparkSection(master="local[2]", memory=memory, shuffle_partitions=2, quick_start=True)
    if are_several():
        of_the_run = tmp_path_factory.getbasetemp().parent
        yield session_of_all_workers(lambda: session(section), of_the_run)
    else:
        spark_session = session(section)
        yield spark_session
        spark_session.stop()


@pytest.fixture(autouse=True)
def _no_secret_of_another_test() -> Iterator[None]:
    from cutline.secrets import forget_secrets

    yield
    forget_secrets()


@pytest.fixture(scope="module", autouse=True)
def _code_as_in_production(request: pytest.FixtureRequest) -> Iterator[None]:
    """Where many rows are judged, and where rules are compiled, Spark generates its code."""
    from support.generated import generated

    chosen = bool({request.path.parent.name, request.path.stem} & AS_IN_PRODUCTION)
    if chosen and any(
        item.path == request.path and item.get_closest_marker("spark")
        for item in request.session.items
    ):
        with generated(request.getfixturevalue("spark")):
            yield
    else:
        yield


@pytest.fixture(autouse=True)
def _jobs_are_those_of_the_worker(request: pytest.FixtureRequest) -> None:
    """A call of Spark that a signal broke off, in whichever test, costs a thread its group of jobs:
    without it a test that cancels its jobs cancels none, and they take the cores from all workers."""
    if request.node.get_closest_marker("spark") is None:
        return
    from support.shared_jvm import keep_to_its_own_jobs
    from support.shared_jvm.workers import are_several

    if are_several():
        keep_to_its_own_jobs(request.getfixturevalue("spark").sparkContext)


@pytest.fixture(autouse=True)
def _steps_keep_their_frames(request: pytest.FixtureRequest) -> Iterator[None]:
    """Where Spark runs, the engine's steps take and return the frames that they declare."""
    if request.node.get_closest_marker("spark") is None:
        yield
        return
    from support.frames import steps_checked

    with steps_checked():
        yield
