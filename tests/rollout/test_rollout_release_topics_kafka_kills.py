"""A process that is killed while topics of a release are made or removed on a real broker: who goes
on ends with those of the release, each record once, or with none."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutline.rollout import release_topics
from cutline.topics.catalog import topic_catalog
from cutline.topics.names import EventTopics
from support.literal_topics import AGGREGATE, KEYS, LiteralWorkspace, with_literal_topics
from support.published import new_name
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, killed_at
from support.rollout_kills import acting, outcome
from support.servers.kafka import KafkaBroker, Record

pytestmark = [pytest.mark.kafka, pytest.mark.process, pytest.mark.slow]


@pytest.fixture
def broker(kafka_broker: KafkaBroker, monkeypatch: pytest.MonkeyPatch) -> KafkaBroker:
    """The broker, to which releases send the literal records of their runs."""

    def send(workspace: LiteralWorkspace, _: object, event_topics: EventTopics) -> dict[str, int]:
        names = [event_topics.history(AGGREGATE), event_topics.state(AGGREGATE)]
        for name in names:
            kafka_broker.create_topic(name, 2)
            run = workspace.run_id.encode()
            kafka_broker.produce(name, [Record(key.encode(), run) for key in KEYS])
        return dict.fromkeys(names, len(KEYS))

    with_literal_topics(monkeypatch)
    monkeypatch.setattr(release_topics, "publish_release", send)
    monkeypatch.setattr(release_topics, "topics_of", lambda *_: None)
    # What the run itself published is not looked at here.
    monkeypatch.setattr("cutline.rollout.guards.is_published", lambda *_: (True, "literal"))
    return kafka_broker


def opened(folder: Path, broker: KafkaBroker) -> RolledOutSlice:
    """A slice that was opened, with topics that no slice before had."""
    topics = {
        "kind": "kafka",
        "prefix": new_name("retail"),
        "partitions": 2,
        "kafka": {"bootstrap": broker.bootstrap},
    }
    slice_ = RolledOutSlice(folder, topics=topics, release_topics=True)
    slice_.do("open")
    broker.create_topic(other_topic(slice_))
    return slice_


def other_topic(slice_: RolledOutSlice) -> str:
    """A topic of a release of another region."""
    prefix = slice_.project.file.topics.prefix
    return f"{prefix}.release.{CONTEXT}.1.us-east.{AGGREGATE}.state"


def check_topics(slice_: RolledOutSlice, broker: KafkaBroker, staged: str | None) -> None:
    """The topics of its releases are those of a run that is staged, or none."""
    prefix = slice_.project.file.topics.prefix
    catalog = topic_catalog(slice_.project)
    standing = [t for t in catalog.topics() if t.startswith(f"{prefix}.")]
    names = [
        f"{prefix}.release.{CONTEXT}.1.{REGION}.{AGGREGATE}.{x}" for x in ("state", "synthetic")
    ]
    assert standing == sorted([other_topic(slice_), *(names if staged else ())])
    if staged is None:
        return
    for name in names:
        records = sorted((m.key(), m.value()) for m in broker.read(name))
        assert records == [(key.encode(), staged.encode()) for key in KEYS]
    [release] = slice_.control.releases(CONTEXT, REGION)
    assert release.positions == catalog.ends(names)


@pytest.mark.parametrize("move", ["stage", "cancel"])
def test_a_kill_before_any_change_is_gone_on_from(
    tmp_path: Path, broker: KafkaBroker, move: str
) -> None:
    arguments = ["run-1"] if move == "stage" else []
    staged = "run-1" if move == "stage" else None
    outcomes = []
    for at in range(1, 10):
        slice_ = opened(tmp_path / str(at), broker)
        if move == "cancel":
            slice_.do("stage", "run-1")
        if not killed_at(acting(slice_, move, arguments), slice_.work(), at, before=True):
            # This one was not killed: the others ended as it did.
            assert outcomes == [outcome(slice_)] * (at - 1)
            check_topics(slice_, broker, staged)
            break
        if slice_.standing.plan is not None:
            slice_.resume()
        elif at == 1:
            slice_.do(move, *arguments)
        check_topics(slice_, broker, staged)
        outcomes.append(outcome(slice_))
    assert len(outcomes) >= 3
