"""`cutline publications`: the ledger, and what is refused before anything is looked at."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cutline.control import Control, PublishedPartition
from cutline.project import LoadedProject, load
from support.command_line import CommandLine
from support.recorded import recorded
from support.sample_project import document, write

BEGUN = PublishedPartition("run-a", "retail.fulfilment.order.synthetic", 1, 4)
DONE = PublishedPartition(
    "run-a", "retail.fulfilment.order.synthetic", 0, 7, 21, 8, 19, 12, 4_096, "d" * 32, 3, 1, 2
)


@pytest.fixture
def project(tmp_path: Path) -> LoadedProject:
    return load(write(tmp_path, document()))


def publish(project: LoadedProject) -> None:
    recorded(project, "run-a", {"extract": [], "reconcile": ["breaks"]}, decision="go")
    control = Control.open(project.file.control, project.folder)
    with control.lease("fulfilment", "eu-west") as lease:
        control.remember_publications([BEGUN, DONE], lease)


def test_nothing_was_published_and_nothing_is_created(
    project: LoadedProject, command_line: CommandLine
) -> None:
    shown = command_line("publications", "--project", project.folder)
    assert (shown.returncode, shown.stdout) == (0, "Nothing was published to Kafka yet.\n")
    assert [p.name for p in project.folder.iterdir()] == ["cutline.yaml"]


def test_each_partition_with_what_was_read_back(
    project: LoadedProject, command_line: CommandLine
) -> None:
    publish(project)
    shown = command_line("publications", "fulfilment", "--project", project.folder)
    names, done, begun = (line.split() for line in shown.stdout.splitlines())
    row = dict(zip(names, done, strict=True))
    assert row.pop("read_back_at").endswith("Z")
    assert row == {
        "run_id": "run-a",
        "topic": "retail.fulfilment.order.synthetic",
        "partition": "0",
        "first_offset": "8",
        "last_offset": "19",
        "records": "12",
        "bytes": "4096",
        "standing": "3",
        "differing": "1",
        "withdrawn": "2",
        "digest": "d" * 32,
    }
    assert dict(zip(names, begun, strict=True))["read_back_at"] == "null"


def test_one_region_if_asked_for(project: LoadedProject, command_line: CommandLine) -> None:
    publish(project)
    for region, number in (("eu-west", 2), ("us-east", 0)):
        options = ("--region", region, "--project", project.folder, "--json")
        shown = command_line("publications", "fulfilment", *options)
        listed = json.loads(shown.stdout)
        assert [(p["context"], p["slice"]) for p in listed] == [("fulfilment", region)] * number


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("fulfilmnt",), "Did you mean 'fulfilment'?"),
        (("fulfilment", "--region", "eu-wst"), "Did you mean 'eu-west'?"),
        (("fulfilment", "--run", "run-a"), "--run is for --dry-run"),
        (("--dry-run", "--run", "run-a"), "topics.kind is files"),
    ],
)
def test_what_cannot_be_is_refused(
    project: LoadedProject, command_line: CommandLine, words: tuple[str, ...], says: str
) -> None:
    publish(project)
    shown = command_line("publications", *words, "--project", project.folder)
    assert shown.returncode == 2
    assert says in shown.stderr
