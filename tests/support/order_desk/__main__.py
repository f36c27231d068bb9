"""`make rollout-demo-live`: the story on real servers, in a folder; both regions, one after the other."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.installed import install
from support.order_desk.accounts import faults
from support.order_desk.customers import Customers
from support.order_desk.desk import REGIONS, Desk
from support.order_desk.new_side import NewSide
from support.order_desk.plugin import write_plugin
from support.order_desk.story import acts
from support.servers.connect import start_connect
from support.servers.debezium import Debezium
from support.servers.kafka import start_kafka
from support.servers.postgres import start_postgres


def main(folder: Path) -> int:
    """0 where each order that was taken is there once, 1 where the story goes otherwise; 2 where
    something is missing here."""
    if folder.exists():
        print(f"{folder} is there already: remove it, or name another folder.", file=sys.stderr)
        return 2
    with contextlib.ExitStack() as stack:
        try:
            desk = stack.enter_context(_opened(folder))
        except pytest.skip.Exception as lacking:
            print(f"The servers cannot be started: {lacking}", file=sys.stderr)
            return 2
        new_side = stack.enter_context(NewSide(desk))
        # A region begins where the one before has ended well.
        for region in REGIONS:
            if code := _tell(desk, new_side, region, folder):
                return code
        return 0


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[Desk]:
    with contextlib.ExitStack() as stack:
        print("Starting PostgreSQL, Apache Kafka, and Connect with Debezium ...", flush=True)
        postgres = start_postgres()
        stack.callback(postgres.folder.close)
        kafka = start_kafka()
        stack.callback(kafka.folder.close)
        connect = start_connect(kafka)
        stack.callback(connect.folder.close)
        debezium = Debezium(connect, postgres, postgres.create_database())
        stack.callback(debezium.close)
        folder.mkdir(parents=True)
        install(write_plugin(folder / "plugin"), folder / "site")
        desk = Desk.open(folder / "desk", postgres, kafka, debezium, "desk", quick_start=True)
        yield desk
    shutil.rmtree(folder / "site")


def _tell(desk: Desk, new_side: NewSide, region: str, folder: Path) -> int:
    cutline = str(Path(sys.executable).with_name("cutline"))
    path = os.pathsep.join([str(folder / "site"), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONPATH": path}

    def printed(words: tuple[str, ...]) -> str:
        command = [cutline, *words, "--project", str(desk.folder)]
        done = subprocess.run(command, check=True, env=env, stdout=subprocess.PIPE, text=True)
        return done.stdout

    with Customers(desk, new_side, region) as customers:
        for act in acts(desk, customers, printed, region):
            print(f"\n# {act.says}\n$ cutline {shlex.join(act.words)}", flush=True)
            command = [cutline, *act.words, "--project", str(desk.folder)]
            code = subprocess.run(command, check=False, env=env).returncode
            if code != act.code:
                print(f"exit code {code} instead of {act.code}", file=sys.stderr)
                return 1
    answers = customers.answers
    new_side.wait_until_fed()
    print(printed(("rollout", "feed", "desk", "--region", region)))
    print(
        f"# {region}: {len(answers.legacy)} orders were taken by the legacy, {len(answers.new)} by "
        f"the new side, {len(answers.refused)} by nobody, who was told so."
    )
    wrong = faults(desk, answers, region)
    print("\n".join(wrong) or "Each that was taken is there once, and none that was refused.")
    return 1 if wrong else 0


if __name__ == "__main__":
    began = time.monotonic()
    code = main(Path(sys.argv[1] if len(sys.argv) > 1 else "rollout-demo-live"))
    print(f"{time.monotonic() - began:.0f} s")
    sys.exit(code)
