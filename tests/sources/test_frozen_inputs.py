"""Inputs that move are frozen when a run starts, and an interrupted run keeps its own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from cutline.kafka.base_inputs import BaseInput, BaseInputs
from cutline.sources.frozen import (
    EarlierPositions,
    LiveInput,
    freeze_inputs,
    source_position,
)
from cutline.sources.frozen.snapshots import LiveSnapshot


class MovingTopic:
    """An input that stands one further each time it is looked at; `begin` is what retention left."""

    name = "erp.changes"

    def __init__(self) -> None:
        self.end, self.begin = 10, 0
        self.open: list[str] = []
        self.bases: list[BaseInput | None] = []

    @contextlib.contextmanager
    def freeze(self, base: BaseInput | None = None) -> Iterator[tuple[str, object]]:
        self.bases.append(base)
        self.end += 1
        with self._opened(f"topic:{self.end}") as position:
            yield position, position

    def resume(
        self, position: str, base: BaseInput | None = None
    ) -> contextlib.AbstractContextManager[object] | None:
        self.bases.append(base)
        return None if int(position.split(":")[1]) < self.begin else self._opened(position)

    @contextlib.contextmanager
    def _opened(self, position: str) -> Iterator[str]:
        self.open.append(position)
        yield position
        self.open.remove(position)


@pytest.fixture
def topic(monkeypatch: pytest.MonkeyPatch) -> MovingTopic:
    """The only live input, beside one file."""
    moving: LiveInput = MovingTopic()
    monkeypatch.setattr("cutline.sources.frozen.freeze.live_inputs", lambda *_: (moving,))
    monkeypatch.setattr("cutline.sources.frozen.freeze.read_inputs", lambda *_: {})
    monkeypatch.setattr("cutline.sources.frozen.freeze.digests_of", lambda _: {"erp": "sha256:1"})
    assert isinstance(moving, MovingTopic)
    return moving


def interrupted(
    positions: Mapping[str, str], *, is_run: bool = True, is_read: bool = False
) -> EarlierPositions:
    """A run that was named by these positions."""

    def is_named_by(others: Mapping[str, str]) -> bool:
        return is_run and others == positions

    return EarlierPositions(positions, is_named_by, lambda _: is_read)


def frozen(*earlier: EarlierPositions, base: BaseInputs | None = None) -> Any:
    """The inputs of a slice; the project is not looked at by what stands in for its readers."""
    nothing: Any = SimpleNamespace()
    return freeze_inputs(nothing, nothing, "eu-west", earlier, base)


AT_5 = {"erp": "sha256:1", "erp.changes": "topic:5"}


def test_a_new_run_reads_up_to_now(topic: MovingTopic) -> None:
    with frozen() as inputs:
        assert inputs.positions == {"erp": "sha256:1", "erp.changes": "topic:11"}
        assert inputs.handles == {"erp.changes": "topic:11"}
        assert topic.open == ["topic:11"]
    assert topic.open == []


def test_an_interrupted_run_goes_on_at_its_own_position(topic: MovingTopic) -> None:
    with frozen(interrupted(AT_5)) as inputs:
        assert inputs.positions == AT_5
        assert topic.open == ["topic:5"]
        inputs.close()
        assert topic.open == []


def test_nothing_is_opened_for_what_was_read(topic: MovingTopic) -> None:
    topic.begin = 9  # what retention removed was read before
    with frozen(interrupted(AT_5, is_read=True)) as inputs:
        assert (inputs.positions, inputs.handles) == (AT_5, {})
        assert topic.open == []


@pytest.mark.parametrize(
    "earlier",
    [
        interrupted(AT_5, is_run=False),
        interrupted(AT_5 | {"erp": "sha256:2"}),
        interrupted({"erp": "sha256:1"}),
    ],
    ids=["settings changed", "a file changed", "the topic is new"],
)
def test_a_run_of_other_inputs_does_not_go_on(
    topic: MovingTopic, earlier: EarlierPositions
) -> None:
    with frozen(earlier) as inputs:
        assert inputs.positions["erp.changes"] == "topic:11"


def test_a_run_whose_records_are_lost_does_not_go_on(topic: MovingTopic) -> None:
    topic.begin = 6
    with frozen(interrupted(AT_5)) as inputs:
        assert inputs.positions["erp.changes"] == "topic:11"
        assert topic.open == ["topic:11"]


def test_the_newest_run_that_can_goes_on(topic: MovingTopic) -> None:
    at_7 = AT_5 | {"erp.changes": "topic:7"}
    with frozen(interrupted(at_7, is_run=False), interrupted(AT_5)) as inputs:
        assert inputs.positions == AT_5


def test_an_input_knows_what_the_base_of_the_run_read(topic: MovingTopic) -> None:
    base = BaseInputs({"erp.changes": "topic:5", "crm.changes": "topic:1"}, {"erp.changes": "to 4"})
    with frozen(base=base), frozen(interrupted(AT_5), base=base):
        assert topic.bases == [BaseInput("topic:5", "to 4")] * 2
    with frozen(base=BaseInputs({}, {})):
        assert topic.bases[-1] is None


def test_the_snapshot_of_a_base_is_not_taken_again(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: Any = SimpleNamespace(position="postgresql:2", close=lambda: None)
    monkeypatch.setattr("cutline.sources.frozen.snapshots.open_database", lambda _: opened)
    base = BaseInput("postgresql:1")

    def snapshot_of(changes: object) -> LiveSnapshot:
        source: Any = SimpleNamespace(name="erp", section=SimpleNamespace(changes=changes))
        return LiveSnapshot(source)

    # Without changes nothing would say what came since.
    for snapshot in (snapshot_of(None), snapshot_of("topics")):
        with snapshot.freeze() as (position, handle):
            assert (position, handle) == ("postgresql:2", opened)
        assert snapshot.resume("postgresql:1") is None
    with snapshot_of(None).freeze(base) as (position, _):
        assert position == "postgresql:2"
    with snapshot_of("topics").freeze(base) as (position, handle):
        assert (position, handle) == ("postgresql:1", None)
    assert snapshot_of("topics").resume("postgresql:1", base) is not None
    assert snapshot_of("topics").resume("postgresql:0", base) is None


def test_a_source_is_named_by_all_of_its_positions() -> None:
    assert source_position({"erp": "a", "wms": "b"}, "erp") == "a"
    assert source_position({"erp": "a", "erp.changes": "b"}, "erp") == "a b"
    assert source_position({"erp.changes": "b"}, "erp") == "b"
