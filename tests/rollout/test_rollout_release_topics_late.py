"""A process that lost its slice removes no topics: another one's release may have them by now."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import update

from cutline.control.lease import FREE
from cutline.control.models import SLICES
from cutline.errors import CutlineError
from cutline.project.topics import FileTopicsSection
from cutline.rollout.release_topics import drop_topics, publish_topics
from cutline.rollout.work import RolloutWork
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, without_spark


def publish(work: RolloutWork) -> None:
    record = work.control.run("run-1")
    assert record is not None
    publish_topics(work, record, 1)


def drop(work: RolloutWork) -> None:
    drop_topics(work, None)


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
