"""Masters: which are this machine alone, and one that is not there."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time

import pytest

from cutline.errors import ConfigurationError
from cutline.project.spark import SparkSection, is_local
from cutline.spark.cluster import prepare, settle
from cutline.spark.master import refuse_silent_master
from support.ports import free_port


@pytest.mark.parametrize("master", ["local", "local[*]", "local[4]", "local[2,3]"])
def test_threads_of_the_driver_are_local(master: str) -> None:
    assert is_local(master)


@pytest.mark.parametrize("master", ["local-cluster[2,1,1024]", "spark://local:7077", "yarn"])
def test_all_else_is_a_cluster(master: str) -> None:
    assert not is_local(master)


def test_a_master_that_is_not_there_is_refused_at_once() -> None:
    """Spark itself would go on trying for a minute."""
    began = time.monotonic()
    master = f"spark://127.0.0.1:{free_port()},127.0.0.1:{free_port()}"
    with pytest.raises(ConfigurationError, match="nobody answers at") as refused:
        refuse_silent_master(master)
    assert time.monotonic() - began < 20
    assert master in refused.value.what


@pytest.mark.process
def test_no_session_is_begun_for_a_master_that_is_not_there() -> None:
    code = (
        "import sys, time\n"
        "from cutline.errors import ConfigurationError\n"
        "from cutline.project.spark import SparkSection\n"
        "from cutline.spark.session import running_session, session\n"
        "began = time.monotonic()\n"
        "try:\n"
        "    session(SparkSection(master=sys.argv[1]))\n"
        "except ConfigurationError as error:\n"
        "    print(error.left_behind, running_session(), time.monotonic() - began < 20)\n"
    )
    master = f"spark://127.0.0.1:{free_port()}"
    done = subprocess.run([sys.executable, "-c", code, master], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("Nothing was started. None True\n", "")


def test_of_several_masters_one_is_enough() -> None:
    with socket.create_server(("127.0.0.1", 0)) as stands:
        port = stands.getsockname()[1]
        refuse_silent_master(f"spark://127.0.0.1:{free_port()},127.0.0.1:{port}")


def test_the_python_of_the_workers_may_stand_in_the_project(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Spark takes the setting from spark-submit only; what the environment has goes first."""
    monkeypatch.setattr(os, "environ", {})
    section = SparkSection(master="yarn", conf={"spark.pyspark.python": "/opt/python3"})
    prepare(section)
    assert os.environ == {"PYSPARK_PYTHON": "/opt/python3"}
    monkeypatch.setattr(os, "environ", {"PYSPARK_PYTHON": "python3.12"})
    prepare(section)
    assert os.environ == {"PYSPARK_PYTHON": "python3.12"}


class Far:
    """As much of a session, and of its context, as tells where its master and its driver are."""

    master = "spark://10.0.0.5:7077"

    def __init__(self, driver: str) -> None:
        self.conf = {"spark.driver.host": driver}
        self.sparkContext = self

    def getConf(self) -> dict[str, str]:  # noqa: N802
        return self.conf


@pytest.mark.parametrize("driver", ["127.0.0.1", "localhost", "::1", "[::1]"])
def test_workers_elsewhere_cannot_find_us_on_loopback(driver: str) -> None:
    with pytest.raises(ConfigurationError, match=r"told to find this process at") as refused:
        settle(Far(driver))  # type: ignore[arg-type]
    assert driver in refused.value.what
    assert "spark.driver.host" in refused.value.next_step
