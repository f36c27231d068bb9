"""A process that lost its slice removes no topics: another one's release may have them by now."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from cutline.control.lease import FREE
from cutline.control.models import SLICES
from cutline.errors import CutlineError, RunFailed
from cutline.project.topics import FileTopicsSection
from cutline.rollout import cancel, ignore_rollout_events, release_topics
from cutline.rollout.release_topics import drop_topics, publish_topics
from cutline.rollout.work import RolloutWork
from support.literal_topics import AGGREGATE, send_literally, topic_files, with_literal_topics
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, without_spark

KINDS = ("synthetic", "state")


def publish(work: RolloutWork) -> None:
    record = work.control.run("run-1")
    assert record is not None
    publish_topics(work, record, 1)


def drop(work: RolloutWork) -> None:
    drop_topics(work, None)


def test_what_a_stage_left_that_was_taken_back_goes_also_without_the_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_literal_topics(monkeypatch)
    topics = {"path": "topics", "prefix": "retail", "partitions": 2}
    slice_ = RolledOutSlice(tmp_path, topics=topics, release_topics=True)
    slice_.do("open")

    def sent_and_failed(*sent: Any) -> dict[str, int]:
        send_literally(*sent)
        raise RunFailed("the disk is full")

    monkeypatch.setattr(release_topics, "publish_release", sent_and_failed)
    with pytest.raises(RunFailed, match="the disk is full"):
        slice_.do("stage", "run-1")
    cancel(slice_.work(), "ops", None, ignore_rollout_events)
    left = {name.split("/")[0] for name in topic_files(slice_)}
    assert left == {f"retail.release.{CONTEXT}.1.{REGION}.{AGGREGATE}.{k}" for k in KINDS}
    rollout = slice_.project.file.rollout.model_copy(update={"release_topics": False})
    file = slice_.project.file.model_copy(update={"rollout": rollout})
    slice_.project = dataclasses.replace(slice_.project, file=file)
    slice_.do("cancel")
    assert topic_files(slice_) == {}


@pytest.mark.parametrize("act", [publish, drop])
def test_who_lost_the_slice_removes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: Callable[[RolloutWork], None]
) -> None:
    without_spark(monkeypatch)
    slice_ = RolledOutSlice(tmp_path)
    slice_.do("open")
    section = slice_.project.file.topics
    assert isinstance(section, FileTopicsSection)
    root = Path(slice_.project.path(section.path))
    name = f"{section.prefix}.release.{CONTEXT}.1.{REGION}.customer_order.synthetic"
    (root / name).mkdir(parents=True)
    (root / name / "00000.jsonl").write_text("", encoding="utf-8")
    lease = slice_.control.lease(CONTEXT, REGION).__enter__()
    work = dataclasses.replace(slice_.work(), lease=lease)
    # It sleeps, and its lease ends.
    with slice_.control.database.write() as connection:
        connection.execute(update(SLICES).values(**FREE))
    with pytest.raises(CutlineError):
        act(work)
    assert (root / name).is_dir()
