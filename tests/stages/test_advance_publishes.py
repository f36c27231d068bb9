"""What an advance sends of what moved leaves topics as comparing everything does."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from cutline.api.stages import ADVANCE_STAGES
from cutline.results import ReportResult, StageResult
from cutline.spark.no_rows import no_rows
from cutline.stage import Stage
from cutline.stages import publish as publish_stage
from cutline.stages.advance.moved import MovedSubjects, moved_subjects
from cutline.stages.publish import publish
from cutline.tables import BREAK_HISTORY, EXCEPTION_HISTORY, TIMELINE
from cutline.topics import files, partition_file
from cutline.topics.partition_file import sync_folder
from cutline.workspace import Workspace
from support import repairs
from support.advanced import GrowingSlice
from support.ended import Killed
from support.repairs import TRANSLATION, Drawn

pytestmark = pytest.mark.usefixtures("sorted_out")
STATES = "repairs.repairs.ticket.state"
SPLITS = int(os.environ.get("CUTLINE_SPLITS", "1"))
MOVED, EVERYTHING = "topics", "everything"
"""The folders of the topics of which what moved is sent, and of those that are always compared."""


class PublishedSlice(GrowingSlice):
    """A slice that is published to two folders of topics after each run."""

    def __init__(self, spark: SparkSession, folder: Path, chance: random.Random) -> None:
        super().__init__(spark, folder, TRANSLATION)
        self.chance = chance
        self.kill_at: int | None = None
        self.holds = True

    def context(self) -> dict[str, Any]:
        accepted = {"rule": "asked", "max_rate": 1, "reason": "Known.", "owner": "Ada"}
        return super().context() | {"gates": {"accept": [accepted | {"siblings": "held"}]}}

    def next_run(self) -> None:
        """Of what the files hold now."""
        self.run([*ADVANCE_STAGES[:4], Stage("report", self._publish)])

    def _publish(self, workspace: Workspace) -> StageResult:
        self._write_histories(workspace)
        base = workspace.base
        mark = None if base is None else Path(base.lake.path("published/mark.json"))
        if self.kill_at is not None:
            with killed_at(self.kill_at):
                publish(workspace, go=True)
        sent = publish(workspace, go=True)
        run_mark = Path(workspace.lake.path("published/mark.json"))
        text = run_mark.read_text()
        if mark is not None:
            mark.unlink()
        everything = publish(_with_topics(workspace, EVERYTHING), go=True)
        assert sent == everything
        run_mark.write_text(text)
        return ReportResult(rows_in=0, rows_out=sum(sent.values()), published=sent)

    def _write_histories(self, workspace: Workspace) -> None:
        """Some tickets are held: others in each run."""
        spark, lake = self.spark, workspace.lake
        rows = lake.read(spark, TIMELINE).select("subject").distinct().collect()
        tickets = sorted(row["subject"] for row in rows)
        subjects = self.chance.sample(tickets, len(tickets) // 4) if self.holds else []
        names = EXCEPTION_HISTORY.names
        values = {"rule": "asked", "state": "persisting"}
        # A record that nobody could read may name a subject, and no aggregate.
        exceptions = [(subject, "ticket") for subject in subjects] + [("unread", None)]
        rows = [
            tuple(
                (values | {"id": subject, "subject": subject, "aggregate": aggregate}).get(name)
                for name in names
            )
            for subject, aggregate in exceptions
        ]
        ddl = EXCEPTION_HISTORY.ddl.replace(" NOT NULL", "")
        lake.write(spark.createDataFrame(rows, ddl), EXCEPTION_HISTORY)
        lake.write(no_rows(spark, BREAK_HISTORY.ddl), BREAK_HISTORY)


def _with_topics(workspace: Workspace, path: str) -> Workspace:
    """The same, whose topics are in another folder."""
    project = workspace.project
    topics = project.file.topics.model_copy(update={"path": path})
    file = project.file.model_copy(update={"topics": topics})
    return dataclasses.replace(workspace, project=dataclasses.replace(project, file=file))


@contextlib.contextmanager
def killed_at(number: int) -> Iterator[None]:
    """Killed when one more than so many partitions were replaced, if so many are."""
    replaced = itertools.count(1)

    def sync_or_die(folder: Path) -> None:
        if next(replaced) > number:
            raise Killed
        sync_folder(folder)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partition_file, "sync_folder", sync_or_die)
        with contextlib.suppress(Killed):
            yield


def on_topics(folder: Path) -> Counter[str]:
    """What topics hold: of each line its topic, key, headers and value, but not of which run."""
    lines: Counter[str] = Counter()
    for path in folder.rglob("*.jsonl"):
        for line in map(json.loads, path.read_text().splitlines()):
            headers = {n: v for n, v in line["headers"].items() if not n.endswith("migrunid")}
            record = [path.parent.name, path.name, line["key"], headers, line["value"]]
            lines[json.dumps(record, sort_keys=True)] += 1
    return lines


def without_a_state(topics: Path, chance: random.Random) -> None:
    """Somebody takes a state away."""
    paths = [path for path in sorted(topics.glob(f"{STATES}/*.jsonl")) if path.stat().st_size]
    path = chance.choice(paths)
    lines = path.read_bytes().splitlines(keepends=True)
    lines.remove(chance.choice([line for line in lines if b'"value":null' not in line]))
    path.write_bytes(b"".join(lines))


@pytest.mark.parametrize("seed", range(SPLITS))
def test_what_moved_is_sent_as_comparing_everything_sends(
    seed: int, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Subjects are held and released, tickets end and come back under other numbers, the process is
    killed between two partitions, and lines are taken away."""
    # So many that few of them hang together.
    monkeypatch.setattr(repairs, "KEYS", 120)
    chance, lines = random.Random(seed), Drawn(seed, 250).lines
    offered: list[MovedSubjects | None] = []

    def noted(*arguments: Any) -> Any:
        offered.append(moved_subjects(*arguments))
        return offered[-1]

    monkeypatch.setattr(publish_stage, "moved_subjects", noted)
    slice = PublishedSlice(spark, tmp_path, chance)
    moved = []
    for number, place in enumerate((0.9, 0.94, 0.97, 0.97, 0.97)):
        slice.grow({name: log[: int(len(log) * place)] for name, log in lines.items()})
        slice.kill_at = chance.randrange(8) if number == 1 else None
        # In the last two nothing moves, and nobody is held any more.
        slice.holds = number < 3
        if number == 4:
            without_a_state(tmp_path / MOVED, chance)
        offered.clear()
        with monkeypatch.context() as patch:
            if number == 2:
                # Of so many that all that stands is looked at.
                patch.setattr(files, "FEW", -1)
            slice.next_run()
        assert on_topics(tmp_path / MOVED) == on_topics(tmp_path / EVERYTHING), number
        # The last time is that of the topics that are always compared.
        assert offered[-1] is None
        moved.append(offered[0])
    # What moved alone is offered where topics hold what the run before left.
    assert [number for number, those in enumerate(moved) if those is not None] == [1, 2, 3]
    assert moved[2] is not None
    assert 0 < moved[2].replaced.count() < len(on_topics(tmp_path / MOVED / STATES))
    assert moved[3] is not None
    assert moved[3].released is not None
    assert moved[3].replaced.count() == 0
