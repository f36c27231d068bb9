"""Each move of a slice: what it asks for, what it changes, and what it leaves alone."""

from __future__ import annotations

import dataclasses
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from cutline.control import PublishedPartition
from cutline.errors import ConfigurationError, RunFailed
from cutline.project import load
from cutline.results import ReportResult
from cutline.rollout import (
    PlanRefused,
    RolloutEvent,
    cancel,
    ignore_rollout_events,
    perform,
    plans,
    resume,
)
from cutline.rollout.legacy import LegacyDatabase
from cutline.rollout.steps import hold
from cutline.run.moved import refuse_moved
from cutline.run.overlap import SubjectOverlap
from support.recorded import T0
from support.rolled_out import CONTEXT, REGION, SQLITE, RolledOutSlice, without_spark


@pytest.fixture(autouse=True)
def literal_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    without_spark(monkeypatch)


@pytest.fixture
def slice_(tmp_path: Path) -> RolledOutSlice:
    return RolledOutSlice(tmp_path)


def read_by_all(slice_: RolledOutSlice) -> None:
    slice_.do("open")
    slice_.do("stage", "run-1")
    slice_.do("switch reads", None)


def refused(slice_: RolledOutSlice, command: str, *arguments: Any) -> list[str]:
    """The names of the guards that refuse; nothing was changed."""
    plan = slice_.plan(command, *arguments)
    before = slice_.control.rollout(CONTEXT, REGION)
    if plan.refused:
        with pytest.raises(PlanRefused):
            perform(slice_.work(), plan, "ops", None, ignore_rollout_events)
    assert slice_.control.rollout(CONTEXT, REGION) == before
    return [guard.name for guard in plan.refused]


def where(slice_: RolledOutSlice) -> tuple[Any, ...]:
    r = slice_.standing
    return r.reads, r.percent, r.writes, r.release, r.epoch, r.denial


def test_a_slice_goes_to_the_new_side_step_by_step(tmp_path: Path, control_url: SecretStr) -> None:
    slice_ = RolledOutSlice(tmp_path, control=control_url)
    slice_.do("open")
    assert where(slice_) == ("legacy", None, "legacy", None, 1, None)
    slice_.do("stage", "run-1")
    assert (slice_.standing.staged, slice_.standing.release) == (1, None)
    slice_.do("mirror", 20)
    assert where(slice_) == ("mirror", 20, "legacy", 1, 1, None)
    slice_.do("switch reads", 5)
    assert where(slice_) == ("canary", 5, "legacy", 1, 1, None)
    slice_.do("switch reads", None)
    assert where(slice_) == ("new", None, "legacy", 1, 1, None)
    slice_.carried_on = lambda: "run-2"
    slice_.do("switch writes")
    assert where(slice_) == ("new", None, "new", 2, 3, 2)
    assert slice_.denials() == [2]
    assert not slice_.legacy_takes_writes()
    assert slice_.legacy_takes_writes("us-east")
    slice_.do("reverse writes")
    assert where(slice_) == ("new", None, "legacy", 2, 5, None)
    slice_.do("switch writes")
    slice_.do("complete")
    assert (slice_.standing.ending, slice_.standing.release) == ("complete", 2)
    lines = slice_.control.rollout_ledger(CONTEXT, REGION)
    assert [line.version for line in lines] == list(range(len(lines), 0, -1))
    assert refused(slice_, "open") == ["not open"]


def test_a_rollout_whose_denial_somebody_removed_is_not_completed(slice_: RolledOutSlice) -> None:
    read_by_all(slice_)
    slice_.do("switch writes")
    slice_.lift_denials()
    assert refused(slice_, "complete") == ["denial"]
    [says] = [guard.says for guard in slice_.plan("complete").refused]
    assert "is gone from the legacy, which takes writes again" in says


def test_a_denial_that_goes_between_plan_and_step_is_noticed(slice_: RolledOutSlice) -> None:
    read_by_all(slice_)
    slice_.do("switch writes")
    plan = slice_.plan("complete")
    assert not plan.refused
    slice_.lift_denials()
    with pytest.raises(PlanRefused, match="denial of epoch 2 is gone"):
        perform(slice_.work(), plan, "ops", None, ignore_rollout_events)
    assert slice_.standing.ending is None


def test_the_authority_of_the_slice_is_changed_with_the_row(slice_: RolledOutSlice) -> None:
    def authority() -> str:
        return next(s.authority for s in slice_.control.slices() if s.region == REGION)

    assert authority() == "legacy"
    read_by_all(slice_)
    assert authority() == "shadow"
    slice_.do("switch writes")
    assert authority() == "new"
    slice_.do("reverse writes")
    assert authority() == "shadow"


def test_a_release_says_where_its_history_ends(slice_: RolledOutSlice) -> None:
    topic = slice_.folder / "topics" / "retail.fulfilment.customer_order.synthetic"
    topic.mkdir(parents=True)
    # Some were replaced by a later attempt of the run, so that offsets are left out.
    for number, offsets in enumerate(((0, 3), ())):
        headers = f'{{"ce_migregion":"{REGION}","migrunid":"run-1"}}'
        lines = (
            f'{{"partition":{number},"offset":{offset},"key":null,"headers":{headers}}}\n'
            for offset in offsets
        )
        (topic / f"{number:05d}.jsonl").write_text("".join(lines))
    slice_.do("open")
    slice_.do("stage", "run-1")
    (release,) = slice_.control.releases(CONTEXT, REGION)
    assert (release.run_id, release.timeline_digest) == ("run-1", "digest-of-run-1")
    assert release.positions[topic.name] == {"0": 4, "1": 0}
    assert release.read_model is None


def test_nothing_moves_before_the_rollout_is_opened(slice_: RolledOutSlice) -> None:
    for command, arguments in (
        ("stage", ["run-1"]),
        ("mirror", [5]),
        ("switch reads", [None]),
        ("switch writes", []),
        ("reverse reads", []),
        ("reverse writes", []),
        ("complete", []),
        ("cancel", []),
    ):
        assert refused(slice_, command, *arguments) == ["open"], command
    assert slice_.control.rollout(CONTEXT, REGION) is None


def test_reads_need_a_release_and_go_forward_only(slice_: RolledOutSlice) -> None:
    slice_.do("open")
    assert refused(slice_, "mirror", 5) == ["release"]
    slice_.do("stage", "run-1")
    slice_.do("switch reads", 5)
    assert refused(slice_, "switch reads", 5) == ["direction"]
    assert refused(slice_, "mirror", 5) == ["direction"]
    slice_.do("switch reads", 30)
    assert refused(slice_, "switch reads", 10) == ["direction"]
    slice_.run("run-2")
    slice_.do("stage", "run-2")
    slice_.do("switch reads", 10)


def test_a_no_go_stops_reads_and_releases(slice_: RolledOutSlice) -> None:
    slice_.do("open")
    slice_.run("run-2", decision="no-go")
    assert refused(slice_, "stage", "run-2") == ["decision"]
    slice_.do("stage", "run-1")
    assert refused(slice_, "switch reads", 5) == ["newest decision"]


def test_only_runs_of_the_slice_that_go_forward_are_staged(slice_: RolledOutSlice) -> None:
    slice_.do("open")
    slice_.run("run-east", region="us-east")
    slice_.run("run-2")
    assert refused(slice_, "stage", "run-east") == ["run"]
    with pytest.raises(ConfigurationError, match="There is no run 'run-9'"):
        slice_.plan("stage", "run-9")
    slice_.do("stage", "run-2")
    assert refused(slice_, "stage", "run-1") == ["age"]


def test_a_run_whose_publication_is_not_read_back_is_not_staged(tmp_path: Path) -> None:
    slice_ = RolledOutSlice(tmp_path)
    topics = {"kind": "kafka", "prefix": "retail", "kafka": {"bootstrap": "nowhere:9092"}}
    file = slice_.project.file.model_validate(
        slice_.project.file.model_dump(mode="python", by_alias=True) | {"topics": topics}
    )
    slice_.project = dataclasses.replace(slice_.project, file=file)
    slice_.do("open")
    assert refused(slice_, "stage", "run-1") == ["publication"]
    topic = "retail.fulfilment.customer_order.synthetic"
    with slice_.control.lease(CONTEXT, REGION) as lease:
        begun = [PublishedPartition("run-1", topic, number, begins=3) for number in (0, 1)]
        slice_.control.remember_publications(begun, lease)
        assert refused(slice_, "stage", "run-1") == ["publication"]
        ended = [dataclasses.replace(p, ends=9, records=4) for p in begun]
        slice_.control.remember_publications(ended, lease)
    slice_.do("stage", "run-1")
    (release,) = slice_.control.releases(CONTEXT, REGION)
    assert release.positions[topic] == {"0": 9, "1": 9}


def test_reads_are_reversed_to_what_was_before(slice_: RolledOutSlice) -> None:
    slice_.do("open")
    slice_.do("stage", "run-1")
    slice_.do("switch reads", 5)
    slice_.run("run-2")
    slice_.do("stage", "run-2")
    slice_.do("switch reads", 50)
    assert where(slice_)[:4] == ("canary", 50, "legacy", 2)
    slice_.do("reverse reads")
    assert where(slice_)[:4] == ("canary", 5, "legacy", 1)
    slice_.do("reverse reads")
    assert where(slice_)[:4] == ("legacy", None, "legacy", None)
    assert refused(slice_, "reverse reads") == ["reads"]


def test_writes_are_reversed_once_the_feed_has_brought_everything(
    slice_: RolledOutSlice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hold, "POLL_SECONDS", 0.01)
    read_by_all(slice_)
    slice_.do("switch writes")
    assert refused(slice_, "reverse reads") == ["writes"]
    assert refused(slice_, "cancel") == ["writes"]
    slice_.feed(running=0)
    assert refused(slice_, "reverse writes") == ["reverse feed"]
    slice_.feed(running=1)
    slice_.do("reverse writes")
    assert where(slice_) == ("new", None, "legacy", 1, 5, None)
    assert slice_.legacy_takes_writes()


def test_what_the_new_side_has_written_is_told_before_it_is_reversed(
    slice_: RolledOutSlice, monkeypatch: pytest.MonkeyPatch
) -> None:
    section = slice_.project.file.contexts[CONTEXT]
    live = section.live.model_copy(update={"aggregates": ("customer_order",)})
    contexts = {CONTEXT: section.model_copy(update={"live": live})}
    file = slice_.project.file.model_copy(update={"contexts": contexts})
    slice_.project = dataclasses.replace(slice_.project, file=file)
    topic = slice_.folder / "topics" / "retail.fulfilment.customer_order.live"
    topic.mkdir(parents=True)
    (topic / "00000.jsonl").write_text("{}\n" * 2)
    read_by_all(slice_)
    slice_.do("switch writes")
    (topic / "00000.jsonl").write_text("{}\n" * 7)
    guard = slice_.plan("reverse writes").guards[-1]
    assert guard.passed
    assert guard.says.startswith("the new side has written 5 live events since 20")
    assert guard.says.endswith(", with those of its other regions")

    def no_broker(*_: object) -> None:
        raise RunFailed("the broker does not answer")

    monkeypatch.setattr(plans, "live_ends", no_broker)
    guard = slice_.plan("reverse writes").guards[-1]
    assert guard.passed
    assert "it is not known what the new side has written" in guard.says


@pytest.mark.parametrize("missing", ["legacy_writes", "reverse_feed"])
def test_writes_are_not_switched_without_a_way_to_hold_and_to_go_back(
    tmp_path: Path, missing: str
) -> None:
    slice_ = RolledOutSlice(tmp_path, **{missing: None})
    read_by_all(slice_)
    names = refused(slice_, "switch writes")
    assert names == (["legacy", "reverse feed"] if missing == "legacy_writes" else ["reverse feed"])


def test_a_canary_is_not_enough_to_write(slice_: RolledOutSlice) -> None:
    slice_.do("open")
    slice_.do("stage", "run-1")
    slice_.do("switch reads", 50)
    assert refused(slice_, "switch writes") == ["reads"]
    slice_.do("switch reads", None)
    slice_.run("run-2")
    slice_.do("stage", "run-2")
    assert refused(slice_, "switch writes") == ["reads"]


def test_a_hold_that_fails_is_given_back_at_once(slice_: RolledOutSlice) -> None:
    read_by_all(slice_)
    runs = iter(["run-1", "run-2"])

    def carried_on() -> str:
        run_id = next(runs)
        if run_id == "run-2":
            assert not slice_.legacy_takes_writes()
            slice_.run(run_id, decision="no-go")
        return run_id

    slice_.carried_on = carried_on
    with pytest.raises(RunFailed, match="step drain-tail failed: Run run-2") as failed:
        slice_.do("switch writes")
    assert "was undone: writes are legacy again" in failed.value.left_behind
    assert where(slice_) == ("new", None, "legacy", 1, 3, None)
    assert slice_.denials() == []
    assert slice_.standing.plan is None
    line = slice_.control.rollout_ledger(CONTEXT, REGION)[0]
    assert (line.event, line.step) == ("undone", "drain-tail")
    assert line.why is not None
    assert "is NO-GO" in line.why


def test_a_hold_lasts_no_longer_than_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hold, "POLL_SECONDS", 0.05)
    section = SQLITE | {"seconds": 5, "open_transactions": "SELECT 1"}
    slice_ = RolledOutSlice(tmp_path, legacy_writes=section)
    read_by_all(slice_)
    with pytest.raises(RunFailed, match="was held for 5 s, and transactions that began before"):
        slice_.do("switch writes")
    assert where(slice_) == ("new", None, "legacy", 1, 3, None)
    assert slice_.legacy_takes_writes()


def test_a_legacy_that_cannot_be_given_back_is_said_and_given_back_later(
    slice_: RolledOutSlice, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_by_all(slice_)
    tell = LegacyDatabase.tell

    def out_of_order(self: LegacyDatabase, name: str, *arguments: Any, **named: Any) -> Any:
        if name in ("freeze", "release"):
            raise RunFailed(f"rollout.legacy_writes.{name} failed: no answer")
        return tell(self, name, *arguments, **named)

    monkeypatch.setattr(LegacyDatabase, "tell", out_of_order)
    with pytest.raises(RunFailed, match="And it could not be undone"):
        slice_.do("switch writes")
    assert where(slice_)[2:] == ("held", 1, 2, 2)
    assert slice_.standing.step == "freeze-legacy"
    monkeypatch.setattr(LegacyDatabase, "tell", tell)
    cancel(slice_.work(), "ops", None, ignore_rollout_events)
    assert where(slice_)[2:] == ("legacy", 1, 3, None)
    assert slice_.denials() == []


def test_statements_that_do_not_hold_are_found_out(tmp_path: Path) -> None:
    slice_ = RolledOutSlice(tmp_path, legacy_writes=SQLITE | {"hold": "SELECT 1"})
    read_by_all(slice_)
    with pytest.raises(RunFailed, match="denied says that the writes are not held") as failed:
        slice_.do("switch writes")
    assert failed.value.next_step == (
        "Mend the statements. Then: cutline rollout switch writes fulfilment --region eu-west"
    )
    assert where(slice_)[2] == "legacy"


BOUNDED = "UPDATE cutline_denials SET context = context WHERE context = :context"


@pytest.mark.parametrize(
    ("section", "says"),
    [
        ({"freeze": BOUNDED}, "frozen says that the denial ends by itself"),
        ({"freeze": BOUNDED + " AND 0", "frozen": None}, "freeze changed no row"),
    ],
)
def test_a_freeze_that_leaves_an_end_is_no_freeze(
    tmp_path: Path, section: dict[str, Any], says: str
) -> None:
    slice_ = RolledOutSlice(tmp_path, legacy_writes=SQLITE | section)
    read_by_all(slice_)
    with pytest.raises(RunFailed, match=says):
        slice_.do("switch writes")
    assert where(slice_) == ("new", None, "legacy", 1, 3, None)
    assert slice_.legacy_takes_writes()


def test_a_freeze_is_believed_where_it_changes_a_row(tmp_path: Path) -> None:
    slice_ = RolledOutSlice(tmp_path, legacy_writes=SQLITE | {"frozen": None})
    read_by_all(slice_)
    slice_.do("switch writes")
    assert where(slice_)[2] == "new"
    assert not slice_.legacy_takes_writes()


NOT_RELEASED = "UPDATE cutline_denials SET context = context"


def test_writes_are_not_back_before_the_legacy_takes_them(tmp_path: Path) -> None:
    slice_ = RolledOutSlice(tmp_path, legacy_writes=SQLITE | {"release": NOT_RELEASED})
    read_by_all(slice_)
    slice_.do("switch writes")
    with pytest.raises(
        RunFailed, match="denial of epoch 2 stands, right after `release`"
    ) as failed:
        slice_.do("reverse writes")
    assert "remove the denial by hand" in (failed.value.next_step or "")
    assert slice_.standing.step == "release-legacy"
    assert slice_.standing.denial == 2
    with closing(sqlite3.connect(tmp_path / "legacy.db")) as legacy, legacy:
        legacy.execute("DELETE FROM cutline_denials")
    resume(slice_.work(), "ops", None, ignore_rollout_events)
    assert where(slice_)[2:] == ("legacy", 1, 5, None)
    assert slice_.legacy_takes_writes()


def test_a_hold_is_not_undone_before_the_legacy_takes_writes(tmp_path: Path) -> None:
    section = SQLITE | {"release": NOT_RELEASED, "freeze": BOUNDED}
    slice_ = RolledOutSlice(tmp_path, legacy_writes=section)
    read_by_all(slice_)
    with pytest.raises(RunFailed, match="And it could not be undone"):
        slice_.do("switch writes")
    assert slice_.standing.denial == 2


@pytest.mark.parametrize(
    ("section", "says"),
    [
        ({"denied": "SELECT epoch FROM cutline_denial"}, "denied failed: no such table"),
        ({"denied": "SELECT 1 WHERE 0"}, "denied must give one row of one value, and gave no rows"),
        (
            {"denied": "SELECT :epok"},
            "has a statement with :epok, which is nothing that it is given",
        ),
        ({"url": "sqlite:///nowhere/legacy.db"}, "denied failed: unable to open database file"),
        ({"url": "oracle+nothing://h/d"}, "rollout.legacy_writes.url cannot be used"),
    ],
)
def test_what_is_wrong_with_the_legacy_is_a_guard_that_refuses(
    tmp_path: Path, section: dict[str, Any], says: str
) -> None:
    slice_ = RolledOutSlice(tmp_path, legacy_writes=SQLITE | section)
    read_by_all(slice_)
    plan = slice_.plan("switch writes")
    assert "legacy" in [guard.name for guard in plan.refused]
    assert says in next(g.says for g in plan.guards if g.name == "legacy")


def test_of_two_operators_at_once_one_is_refused(slice_: RolledOutSlice) -> None:
    slice_.do("open")
    slice_.do("stage", "run-1")
    work = slice_.work()
    plan = slice_.plan("mirror", 5)
    slice_.do("mirror", 10)
    with pytest.raises(RunFailed, match="was changed by somebody else"):
        perform(work, plan, "another", None, ignore_rollout_events)
    assert where(slice_)[:2] == ("mirror", 10)


def test_what_is_under_way_stops_every_other_command(slice_: RolledOutSlice) -> None:
    read_by_all(slice_)

    def look() -> str:
        for command, arguments in (("stage", ["run-1"]), ("reverse reads", []), ("cancel", [])):
            assert refused(slice_, command, *arguments) == ["idle"], command
        return "run-1"

    slice_.carried_on = look
    slice_.do("switch writes")


def test_behind_the_point_of_no_return_nothing_is_taken_back(
    slice_: RolledOutSlice, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_by_all(slice_)

    def no_topics(*_: object) -> None:
        raise ValueError("the topics do not answer")

    with monkeypatch.context() as patch:
        patch.setattr("cutline.rollout.steps.writes.live_ends", no_topics)
        with pytest.raises(RunFailed, match="the topics do not answer"):
            slice_.do("switch writes")
    assert slice_.standing.step == "flip"
    with pytest.raises(PlanRefused, match="is behind it, at step flip"):
        cancel(slice_.work(), "ops", None, ignore_rollout_events)
    assert not slice_.legacy_takes_writes()
    slice_.resume()
    assert where(slice_)[2] == "new"


def test_nothing_to_resume_and_nothing_to_cancel(slice_: RolledOutSlice) -> None:
    slice_.do("open")
    with pytest.raises(ConfigurationError, match="Nothing is under way"):
        slice_.resume()


def test_a_cancelled_rollout_is_opened_anew_and_counts_on(slice_: RolledOutSlice) -> None:
    read_by_all(slice_)
    slice_.do("cancel")
    assert where(slice_)[:4] == ("legacy", None, "legacy", None)
    slice_.do("open")
    assert where(slice_) == ("legacy", None, "legacy", None, 2, None)
    slice_.do("stage", "run-1")
    assert slice_.standing.staged == 2
    versions = [line.version for line in slice_.control.rollout_ledger(CONTEXT, REGION)]
    assert versions == list(range(len(versions), 0, -1))


def test_the_ledger_has_who_why_and_the_plan(slice_: RolledOutSlice) -> None:
    slice_.do("open")
    slice_.do("stage", "run-1")
    plan = slice_.plan("mirror", 5)
    perform(slice_.work(), plan, "kim", "the order desk agrees", ignore_rollout_events)
    done, begun, *_, opened = slice_.control.rollout_ledger(CONTEXT, REGION)
    assert opened.evidence == {
        "not open": "the slice was never rolled out",
        "declared overlap": "no other slice that is rolled out is declared to have its rows",
    }
    assert (begun.event, begun.changed_by, begun.why) == ("begun", "kim", "the order desk agrees")
    assert begun.plan is not None
    assert begun.plan["plan"] == plan.model_dump(mode="json")
    assert begun.evidence["newest decision"] == "run run-1: go"
    assert (done.event, done.step, done.reads) == ("done", "set-reads", "mirror")


def test_who_goes_on_or_takes_back_is_in_the_ledger(
    slice_: RolledOutSlice, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise RunFailed("the disk is full")

    slice_.do("open")
    with monkeypatch.context() as patch:
        patch.setattr("cutline.rollout.steps.release.history_positions", failing)
        with pytest.raises(RunFailed):
            slice_.do("stage", "run-1")
        cancel(slice_.work(), "kim", "on call", ignore_rollout_events)
        for line in slice_.control.rollout_ledger(CONTEXT, REGION)[:2]:
            assert (line.changed_by, line.why) == ("kim", "on call"), line.event
        with pytest.raises(RunFailed):
            slice_.do("stage", "run-1")
    resume(slice_.work(), "kim", "on call", ignore_rollout_events)
    done = slice_.control.rollout_ledger(CONTEXT, REGION)[0]
    assert (done.event, done.changed_by, done.why) == ("done", "kim", "on call")


def test_a_plan_to_open_that_slept_opens_nothing_that_was_moved_since(
    slice_: RolledOutSlice,
) -> None:
    """Not even once the rollout has ended: the legacy's denial stands."""
    slice_.do("open")
    slice_.do("cancel")
    plan = slice_.plan("open")
    read_by_all(slice_)
    slice_.do("switch writes")
    slice_.do("complete")
    with pytest.raises(RunFailed, match="was changed by somebody else"):
        perform(slice_.work(), plan, "sleeper", None, ignore_rollout_events)
    assert where(slice_)[2] == "new"


def test_reads_go_back_behind_writes_that_were_reversed(slice_: RolledOutSlice) -> None:
    """The release is the same as before the writes, so what came before it is put back."""
    slice_.do("open")
    slice_.do("stage", "run-1")
    slice_.do("switch reads", 5)
    slice_.do("switch reads", None)
    slice_.do("switch writes")
    slice_.do("reverse writes")
    slice_.do("reverse reads")
    assert where(slice_)[:4] == ("canary", 5, "legacy", 1)


def test_a_hold_that_may_be_over_is_not_frozen(
    slice_: RolledOutSlice, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_by_all(slice_)
    monkeypatch.setattr(hold, "seconds_left", lambda _: 1.5)
    with pytest.raises(RunFailed, match="ended before everything was ready") as failed:
        slice_.do("switch writes")
    assert failed.value.next_step == (
        "Let rollout.legacy_writes.seconds be more. Then: "
        "cutline rollout switch writes fulfilment --region eu-west"
    )
    assert slice_.denials() == []


def test_what_is_told_of_a_step_may_fail_without_a_hold_that_stays(
    slice_: RolledOutSlice,
) -> None:
    def broken_pipe(event: RolloutEvent) -> None:
        if event.step == "record-position":
            raise BrokenPipeError

    read_by_all(slice_)
    with pytest.raises(RunFailed, match="BrokenPipeError"):
        perform(slice_.work(), slice_.plan("switch writes"), "ops", None, broken_pipe)
    assert (slice_.standing.writes, slice_.standing.plan) == ("legacy", None)
    assert slice_.denials() == []


@pytest.mark.parametrize(
    ("query", "is_true"),
    [
        *(("SELECT 0.0", False), ("SELECT 0.5", True), ("SELECT -1", True), ("SELECT NULL", False)),
        *(("SELECT x'00'", False), ("SELECT x'01'", True), ("SELECT 'f'", False)),
    ],
)
def test_a_number_is_true_if_it_is_not_0(slice_: RolledOutSlice, query: str, is_true: bool) -> None:
    assert slice_.work().legacy.is_true("denied", query) is is_true


def test_a_drained_run_that_may_be_no_release_gives_the_hold_back(
    slice_: RolledOutSlice, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_by_all(slice_)
    unread = (False, "2 of 4 partitions are not read back")
    monkeypatch.setattr("cutline.rollout.guards.is_published", lambda *_: unread)
    with pytest.raises(RunFailed, match="may be no release: publication: 2 of 4 partitions"):
        slice_.do("switch writes")
    assert where(slice_)[2:] == ("legacy", 1, 3, None)


def test_no_run_is_made_of_a_slice_that_has_rows_of_one_that_moved(
    slice_: RolledOutSlice,
) -> None:
    wide = load(slice_.folder, "us-east")
    assert wide.file.regions["us-east"].everything
    read_by_all(slice_)
    refuse_moved(slice_.control, wide, CONTEXT, "us-east")
    slice_.do("switch writes")
    says = f"writes {CONTEXT}/{REGION}, or .* {CONTEXT}/us-east is declared to have the same rows"
    with pytest.raises(ConfigurationError, match=says) as refused:
        refuse_moved(slice_.control, wide, CONTEXT, "us-east")
    assert "leave those rows out" in (refused.value.next_step or "")
    refusals: list[str] = []

    def look(event: RolloutEvent) -> None:
        if (event.phase, event.step) == ("begun", "drain-reverse-feed"):
            with pytest.raises(ConfigurationError, match=says) as given_back:
                refuse_moved(slice_.control, wide, CONTEXT, "us-east")
            refusals.append(given_back.value.what)

    perform(slice_.work(), slice_.plan("reverse writes"), "ops", None, look)
    assert len(refusals) == 1
    refuse_moved(slice_.control, wide, CONTEXT, "us-east")


def test_no_run_is_made_while_writes_go_back_to_the_legacy(slice_: RolledOutSlice) -> None:
    read_by_all(slice_)
    slice_.do("switch writes")

    refusals = []

    def look(event: RolloutEvent) -> None:
        if (event.phase, event.step) == ("begun", "drain-reverse-feed"):
            with pytest.raises(ConfigurationError, match="on their way back to the legacy") as no:
                refuse_moved(slice_.control, slice_.project, CONTEXT, REGION)
            refusals.append(no.value)

    perform(slice_.work(), slice_.plan("reverse writes"), "ops", None, look)
    assert len(refusals) == 1
    refuse_moved(slice_.control, slice_.project, CONTEXT, REGION)


def test_a_run_whose_history_is_gone_from_its_files_is_not_staged(slice_: RolledOutSlice) -> None:
    topic = "retail.fulfilment.customer_order.synthetic"
    slice_.do("open")
    with slice_.control.lease(CONTEXT, REGION) as lease:
        result = ReportResult(rows_in=2, rows_out=2, published={topic: 2, "elsewhere": 9})
        slice_.control.stage_started("run-1", result.stage, lease)
        slice_.control.stage_done("run-1", result.stage, result, "d" * 32, 1.0, lease)
        slice_.control.complete("run-1", lease)
    plan = slice_.plan("stage", "run-1")
    assert [guard.says for guard in plan.refused] == [
        f"{topic} holds 0 records, of 2 that the run published"
    ]
    folder = slice_.folder / "topics" / topic
    folder.mkdir(parents=True)
    lines = (f'{{"headers":{{"ce_id":"{n}","ce_migregion":"{REGION}"}}}}\n' for n in range(2))
    (folder / "00000.jsonl").write_text("".join(lines))
    slice_.do("stage", "run-1")


def test_a_no_go_since_the_plan_was_made_refuses_it(slice_: RolledOutSlice) -> None:
    slice_.do("open")
    slice_.do("stage", "run-1")
    plan = slice_.plan("switch reads", 5)
    slice_.run("run-2", decision="no-go")
    with pytest.raises(PlanRefused, match="newest decision: run run-2: no-go"):
        perform(slice_.work(), plan, "ops", None, ignore_rollout_events)
    assert (slice_.standing.reads, slice_.standing.plan) == ("legacy", None)


def test_a_slice_that_was_staged_meanwhile_with_the_same_subjects_stops_the_writes(
    slice_: RolledOutSlice, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_by_all(slice_)
    common = SubjectOverlap("us-east", "run-east", "customer_order", 1, ("o-1",))
    monkeypatch.setattr("cutline.rollout.guards.overlaps", lambda *_: [common])
    with pytest.raises(RunFailed, match="1 of customer_order are in us-east too: o-1"):
        slice_.do("switch writes")
    assert where(slice_)[2:] == ("legacy", 1, 1, None)
    assert slice_.legacy_takes_writes()


def test_topics_that_do_not_answer_keep_no_flip_waiting(
    slice_: RolledOutSlice, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_by_all(slice_)

    def no_topics(*_: object) -> None:
        raise RunFailed("the topics do not answer")

    with monkeypatch.context() as patch:
        patch.setattr("cutline.rollout.steps.writes.live_ends", no_topics)
        slice_.do("switch writes")
    assert slice_.standing.writes == "new"
    assert "it is not known" in slice_.plan("reverse writes").guards[-1].says


@pytest.mark.parametrize(
    ("wide", "refused"), [([], False), (["us-east"], True), (["eu-west"], True)]
)
def test_a_slice_that_is_declared_to_have_another_ones_rows_is_not_opened(
    slice_: RolledOutSlice, wide: list[str], refused: bool
) -> None:
    slice_.do("open")
    regions = {
        name: region.model_copy(update={"everything": name in wide})
        for name, region in slice_.project.file.regions.items()
    }
    assert {"eu-west", "us-east"} <= set(regions)
    file = slice_.project.file.model_copy(update={"regions": regions})
    project = dataclasses.replace(slice_.project, file=file)
    neighbour = dataclasses.replace(slice_.work(), project=project, region="us-east", rollout=None)
    guard = {g.name: g for g in plans.plan_open(neighbour).guards}["declared overlap"]
    assert guard.passed is not refused
    if refused:
        assert f"eu-west of fulfilment is rolled out already, and region {wide[0]}" in guard.says
        slice_.do("cancel")
        assert all(g.passed for g in plans.plan_open(neighbour).guards)


def test_a_region_with_everything_of_its_own_sources_overlaps_nobody(
    slice_: RolledOutSlice,
) -> None:
    slice_.do("open")
    elsewhere = load(slice_.folder, "us-east")
    assert elsewhere.file.regions["us-east"].everything
    first, *_ = elsewhere.file.sources
    changed = {first: elsewhere.file.sources[first].model_copy(update={"extracted_at": T0})}
    file = elsewhere.file.model_copy(update={"sources": {**elsewhere.file.sources, **changed}})
    for project, passed in (
        (elsewhere, False),
        (dataclasses.replace(elsewhere, file=file), True),
    ):
        neighbour = dataclasses.replace(
            slice_.work(), project=project, region="us-east", rollout=None
        )
        guard = {g.name: g for g in plans.plan_open(neighbour).guards}["declared overlap"]
        assert guard.passed is passed
