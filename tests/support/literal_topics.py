"""Topics of releases without Spark: a literal run sends literal records to them, in files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cutline.consumer import FilesSource
from cutline.control import RunRecord
from cutline.project import LoadedProject
from cutline.rollout import release_topics
from cutline.topics.files import FileTopics
from cutline.topics.names import EventTopics
from cutline.topics.record import ControlRecord
from support.recorded import T0
from support.rolled_out import RolledOutSlice, with_literal_read_models

AGGREGATE = "customer_order"
KEYS = ("o1", "o2", "o3", "o4")


@dataclass(frozen=True)
class LiteralLake:
    """What the lake of a run has for whom it sends."""

    attempt: str = ""
    check_lease: Callable[[], None] = lambda: None


@dataclass(frozen=True)
class LiteralWorkspace:
    """What the workspace of a run has for whom it sends."""

    project: LoadedProject
    run_id: str
    lake: LiteralLake
    epoch: int = 0


def literal_workspace(project: LoadedProject, record: RunRecord) -> LiteralWorkspace:
    """The workspace of a literal run."""
    return LiteralWorkspace(project, record.run_id, LiteralLake())


def literal_records(run_id: str) -> list[ControlRecord]:
    """What a run sends to each topic of a release: a record for each key."""
    return [ControlRecord(k, "sent", k, T0, "urn:run", {"run": run_id, "key": k}) for k in KEYS]


def send_literally(
    workspace: LiteralWorkspace, topics: FileTopics, event_topics: EventTopics
) -> dict[str, int]:
    """Sends the records of a run to the history and the states of a release."""
    names = [event_topics.history(AGGREGATE), event_topics.state(AGGREGATE)]
    for name in names:
        topics.append_records(name, workspace.run_id, literal_records(workspace.run_id))
    return dict.fromkeys(names, len(KEYS))


def with_literal_topics(patch: Any) -> None:
    """Releases get literal topics of literal runs, whatever database has their read models."""
    with_literal_read_models(patch)
    patch.setattr(release_topics, "workspace_as_recorded", literal_workspace)
    patch.setattr(release_topics, "publish_release", send_literally)


def topic_files(slice_: RolledOutSlice) -> dict[str, bytes]:
    """Each file of each topic of the project, finished or not; a folder without one ends in /."""
    root = slice_.folder / "topics"
    entries = [e for e in root.rglob("*") if not e.relative_to(root).parts[0].startswith("_")]
    return {
        str(e.relative_to(root)) + "/" * e.is_dir(): b"" if e.is_dir() else e.read_bytes()
        for e in entries
    }


def check_topics(slice_: RolledOutSlice) -> set[int]:
    """The releases that have topics, which have the records of their runs, each once, and end where
    the release says."""
    root: Path = slice_.folder / "topics"
    source, numbers = FilesSource(root), set()
    work = slice_.work()
    for release in slice_.control.releases(work.context, work.region):
        standing = sorted(t for t in release.positions if (root / t).is_dir())
        if not standing:
            continue
        numbers.add(release.release)
        assert standing == sorted(release.positions), "some of its topics are gone"
        for topic, ends in release.positions.items():
            parts = {n: list(source.records(topic, n)) for n in source.partitions(topic)}
            sent = Counter(str(r.key, "utf-8") for part in parts.values() for r in part if r.key)
            assert sent == dict.fromkeys(KEYS, 1), topic
            runs = {dict(r.headers)["migrunid"] for part in parts.values() for r in part}
            assert runs == {release.run_id.encode()}, topic
            assert {str(n): len(part) for n, part in parts.items()} == dict(ends), topic
    return numbers
