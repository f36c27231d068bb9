"""A standalone cluster: a master and two workers that have nothing of Cutline installed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import OffsetSpec
from pyspark.sql import SparkSession

from cutline.topics.kafka.admin import APPENDED
from support.clustered import (
    QUICK,
    SHOP_PLUGIN,
    SHOP_PYPROJECT,
    demo_for_cluster,
    document_of,
    shop_for_cluster,
)
from support.clustered_publishing import FEW, MANY, PARTITIONS, numbers
from support.installed import install
from support.logged import install_plugin
from support.paths import ROOT
from support.published import new_name
from support.servers.kafka import KafkaBroker
from support.servers.postgres import PostgresServer
from support.servers.process import NotReady, wait_for
from support.spark_cluster import HOSTS, SparkCluster, bare_python, spark_cluster
from support.whole_runs import run_here

pytestmark = [pytest.mark.process, pytest.mark.postgres, pytest.mark.slow]

STARTING = (
    "from cutline.project.spark import SparkSection\n"
    "from cutline.errors import ConfigurationError\n"
    "from cutline.spark.session import running_session, session\n"
    "import sys\n"
    "conf = dict(pair.split('=') for pair in sys.argv[2:])\n"
    "try:\n"
    "    session(SparkSection(master=sys.argv[1], conf=conf))\n"
    "except ConfigurationError as error:\n"
    "    print(error.what, error.next_step, sep='\\n')\n"
    "print(running_session())\n"
)

LOSING = """
import os, signal, sys
from pyspark.sql import Observation, functions as F
from cutline.project.spark import SparkSection
from cutline.spark.session import session
spark = session(SparkSection(master=sys.argv[1], shuffle_partitions=2))
def lose_once(folder):
    mark = f"{folder}/lost"
    def lose(partition):
        if partition == 0 and not os.path.exists(mark):
            open(mark, "w").close()
            with open(f"/proc/{os.getppid()}/stat") as stat:
                os.kill(int(stat.read().split()[3]), signal.SIGKILL)
        return partition
    counted = Observation()
    rows = spark.range(0, 1000, 1, 4).observe(counted, F.count("*").alias("rows")).repartition(2)
    rows = rows.select("id", F.udf(lose, "int", useArrow=False)(F.spark_partition_id()).alias("p"))
    rows.write.parquet(f"{folder}/rows")
    return counted.get["rows"], spark.read.parquet(f"{folder}/rows").count(), os.path.exists(mark)
for adaptive in ("true", "false"):
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    os.mkdir(f"{sys.argv[2]}/{adaptive}")
    print(adaptive, *lose_once(f"{sys.argv[2]}/{adaptive}"))
"""
"""Rows counted before an exchange; after it an executor ends, with what it had ready for others."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkCluster]:
    with spark_cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture
def control(postgres_server: PostgresServer, postgres_url: str) -> str:
    """The control database's URL, as cutline.yaml may have it."""
    return postgres_url.replace(postgres_server.password, "${PASSWORD}")


def environment(
    cluster: SparkCluster, server: PostgresServer, *places: Path, **more: str
) -> dict[str, str]:
    """Of a process that has the control database's password, and what is installed in the places."""
    path = os.pathsep.join(map(str, (ROOT / "tests", *places)))
    return cluster.env(PASSWORD=server.password, PYTHONPATH=path, **more)


@pytest.fixture(scope="module")
def shop(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, dict[str, str]]]:
    """Where the shop's plugin is installed, and by stage the digest of its run on one machine."""
    folder = tmp_path_factory.mktemp("shop")
    with pytest.MonkeyPatch.context() as patch:
        install_plugin(patch, folder, "clustered_shop", SHOP_PYPROJECT, SHOP_PLUGIN)
        run = run_here(shop_for_cluster(folder / "here"), "shop", "all").as_json()
        assert run["decision"] == "go"
        yield folder / "site", {stage["name"]: stage["digest"] for stage in run["stages"]}


def start_session(cluster: SparkCluster, *conf: str, **env: str) -> list[str]:
    """What a process tells of its session on the cluster: the refusal, and what is left of it."""
    done = subprocess.run(
        [sys.executable, "-c", STARTING, cluster.url, *conf],
        capture_output=True,
        text=True,
        timeout=300,
        env={**cluster.env(), **env},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.soak
def test_workers_killed_at_work_change_nothing(
    cluster: SparkCluster,
    postgres_server: PostgresServer,
    control: str,
    shop: tuple[Path, dict[str, str]],
    tmp_path: Path,
) -> None:
    """With speculation: an executor ends while rows are translated, a worker while they are
    compared; and every stage has the digest that it has on one machine.

    No job brings many rows to the driver: one that brought 8 MB would fail.
    """
    conf = {"spark.speculation": "true", "spark.speculation.multiplier": "1.1"}
    conf["spark.driver.maxResultSize"] = "8m"
    site, digests = shop
    project = shop_for_cluster(tmp_path / "shop", control, **conf)
    run = subprocess.Popen(
        [sys.executable, "-m", "cutline", "run", "shop", "--region", "all", "--json",
         "--project", str(project), "--master", cluster.url],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(cluster, postgres_server, site),
    )  # fmt: skip
    kills = {
        "translate: started": lambda: os.kill(cluster.executors()[0], signal.SIGKILL),
        "reconcile: started": lambda: cluster.kill_worker(HOSTS[1]),
    }
    lines, killed = [], []
    assert run.stderr is not None
    for line in run.stderr:
        lines.append(line)
        if kill := kills.get(line.strip()):
            # In the middle of the stage, not before its first task.
            timer = threading.Timer(1.0, lambda kill=kill: killed.append(kill()))
            timer.start()
    assert run.stdout is not None
    output = run.stdout.read()
    assert run.wait(60) == 0, "".join(lines)
    assert len(killed) == 2
    cluster.start_worker(HOSTS[1])
    document = json.loads(output)
    assert {stage["name"]: stage["digest"] for stage in document["stages"]} == digests
    assert document["decision"] == "go"


@pytest.mark.soak
def test_what_is_published_by_copies_and_killed_executors_is_there_once(
    cluster: SparkCluster, kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    """With speculation a copy of the last task takes the partition from the first, and then both
    executors end in the middle of a transaction."""
    prefix = new_name("cluster")
    topic = f"{prefix}.shop.order.synthetic"
    kafka_broker.create_topic(topic, PARTITIONS, APPENDED)
    publishing = subprocess.Popen(
        [sys.executable, "-m", "support.clustered_publishing", cluster.url, kafka_broker.bootstrap,
         prefix, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=cluster.env(PYTHONPATH=str(ROOT / "tests")),
    )  # fmt: skip
    admin, place = kafka_broker.admin(), TopicPartition(topic, 1)

    def is_half_sent() -> None:
        end = admin.list_offsets({place: OffsetSpec.latest()})[place].result(30).offset
        if end < MANY / 2 and publishing.poll() is None:
            raise NotReady(f"{end} records are there")

    wait_for(is_half_sent, 200)
    for executor in cluster.executors():
        os.kill(executor, signal.SIGKILL)
    output, errors = publishing.communicate(timeout=300)
    assert publishing.returncode == 0, errors[-4_000:]
    assert output.splitlines() == [str({topic: FEW + MANY}), "True"]
    committed: dict[int, list[int]] = {number: [] for number in range(PARTITIONS)}
    for message in kafka_broker.read(topic):
        number = message.partition()
        assert number is not None
        committed[number].append(int(json.loads(message.value() or b"-1")))
    assert committed == {partition: list(every) for partition, every in numbers().items()}
    progress = [
        json.loads(message.value() or b"{}")
        for message in kafka_broker.read(f"{prefix}.shop.progress")
        if (message.key() or b"").endswith(b",1]")
    ]
    # Claimed by one attempt, half sent by others that were killed, and ended by the last. Whether a
    # copy came to commit as well is a matter of time.
    assert len({record["attempt"] for record in progress}) >= 3
    assert max(record["done"] for record in progress) == MANY


@pytest.mark.soak
def test_what_is_local_is_refused_in_a_session_from_outside(
    cluster: SparkCluster, postgres_server: PostgresServer, control: str, tmp_path: Path
) -> None:
    """What is local is refused before any work, with the way out; plugins are sent to its workers."""
    project = demo_for_cluster(tmp_path / "demo", control)
    document = document_of(project)
    sources, topics = document["sources"], document["topics"]
    # The working folder of each process: another one for each worker.
    elsewhere = "/proc/self/cwd"
    (project / "finance").mkdir()
    extract = project / "extract" / "finance" / "stock_ledger.parquet"
    (project / "finance" / extract.name).write_bytes(extract.read_bytes())
    finance = {**sources["finance"], "path": f"{elsewhere}/finance"}
    install_plugins(tmp_path)
    attempts: list[dict[str, Any]] = [
        {"sections": {"control": "sqlite:///control.db"}},
        {"sections": {"control": control, "lake": f"{elsewhere}/lake"}},
        {"sections": {"lake": "lake", "topics": {**topics, "path": f"{elsewhere}/topics"}}},
        {"sections": {"topics": topics, "sources": {**sources, "finance": finance}}},
        {"plugin": "acme_native.rules"},
        {"plugin": "acme_paper.rules"},
        {"plugin": "cutline_translators.retail.v1"},
    ]
    done = subprocess.run(
        [sys.executable, "-m", "support.cluster_session", cluster.url, ".", json.dumps(attempts)],
        capture_output=True,
        text=True,
        cwd=project,
        env=environment(cluster, postgres_server)
        | {"PYTHONPATH": f"{ROOT / 'tests'}:{tmp_path / 'site'}"},
    )
    assert done.returncode == 0, done.stderr
    *refused, of_ours = json.loads(done.stdout.splitlines()[-1])
    expected = [
        ("control: the SQLite file", "postgresql://"),
        ("lake: /proc/self/cwd/lake is not one folder", "--master 'local[*]'"),
        ("topics.path: /proc/self/cwd/topics is not one folder", "all of them mount"),
        ("sources.finance.tables.stock_ledger.path: the workers of", "all of them mount"),
        ("cannot import plugin acme_native.rules: it cannot be sent", "Install it"),
        ("cannot import plugin acme_paper.rules: NotADirectoryError", "importlib.resources"),
    ]
    for (reason, left_behind, next_step), (begins, way_out) in zip(refused, expected, strict=True):
        assert begins in reason
        assert left_behind == "Nothing was started."
        assert way_out in next_step
    assert "fast.so is no Python, but machine code" in refused[-2][0]
    assert of_ours == "sent"
    assert [path.name for path in (project / "lake").glob("_*")] == []


def install_plugins(folder: Path) -> None:
    """Two plugins, installed for the driver: with machine code, and with a text beside it."""
    rules = {
        "acme_native": ("ACME = 1\n", "fast.so", b"\x7fELF"),
        "acme_paper": (
            "from pathlib import Path\nACME = Path(__file__).with_name('rules.txt').read_text()\n",
            *("rules.txt", b"ACME"),
        ),
    }
    for name, (code, beside, content) in rules.items():
        package = folder / name / "src" / name
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        (package / "rules.py").write_text(code)
        (package / beside).write_bytes(content)
        (folder / name / "pyproject.toml").write_text(
            f'[project]\nname = "{name}"\nversion = "1"\n'
            f'[project.entry-points."cutline.contexts"]\n{name} = "{name}.rules:ACME"\n'
        )
        install(folder / name, folder / "site")


@pytest.mark.soak
def test_rows_that_are_read_again_are_counted_once(cluster: SparkCluster, tmp_path: Path) -> None:
    """Books are balanced with such counts, with and without adaptive execution."""
    done = subprocess.run(
        [sys.executable, "-c", LOSING, cluster.url, tmp_path],
        capture_output=True,
        text=True,
        timeout=300,
        env=cluster.env(),
    )
    assert done.stdout == "true 1000 1000 True\nfalse 1000 1000 True\n", done.stderr


def test_workers_that_lack_a_dependency(cluster: SparkCluster, tmp_path: Path) -> None:
    """The module is named, and the session that cannot work is not kept."""
    python = bare_python(tmp_path, without="pydantic")
    reason, next_step, session = start_session(cluster, PYSPARK_PYTHON=str(python))
    assert (
        "cannot import cutline.context: ModuleNotFoundError: No module named 'pydantic'" in reason
    )
    assert "install Cutline's dependencies" in next_step
    assert session == "None"


@pytest.mark.soak
def test_a_cluster_without_a_worker_that_is_large_enough(cluster: SparkCluster) -> None:
    reason, next_step, session = start_session(
        cluster,
        "spark.executor.memory=8g",
        "spark.scheduler.maxRegisteredResourcesWaitingTime=5s",
    )
    assert "no worker of" in reason
    assert "took the work within 5 s" in reason
    assert "spark.executor.memory asks for (8g)" in next_step
    assert session == "None"


def test_spark_submit_of_the_example(
    cluster: SparkCluster,
    postgres_server: PostgresServer,
    control: str,
    shop: tuple[Path, dict[str, str]],
    tmp_path: Path,
) -> None:
    """As docs/cluster.md has it: the session is spark-submit's."""
    import pyspark

    site, digests = shop
    project = shop_for_cluster(tmp_path / "shop", control)
    done = subprocess.run(
        [
            Path(pyspark.__file__).parent / "bin" / "spark-submit",
            *("--master", cluster.url),
            *(part for key, value in QUICK.items() for part in ("--conf", f"{key}={value}")),
            ROOT / "examples" / "cluster" / "run_slice.py",
            *(str(project), "shop", "all", "--stage", "extract"),
        ],
        capture_output=True,
        text=True,
        env=environment(cluster, postgres_server, site, PYSPARK_DRIVER_PYTHON=sys.executable),
    )
    assert done.returncode == 0, done.stderr
    # spark-submit puts what the script writes to both streams into one.
    document = json.loads(done.stdout.splitlines()[-1])
    assert {stage["name"]: stage["digest"] for stage in document["stages"]} == {
        "extract": digests["extract"]
    }
