"""The way back of writes, as a rehearsal tries it: statements that work, and each way in which they
may not."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cutline.control import WAY_BACK_LEASES
from cutline.control.rollouts import RolloutChange
from cutline.errors import RunFailed
from cutline.rehearsal import denying, way_back
from cutline.rehearsal.way_back import remove_trial, try_way_back
from cutline.rollout.legacy import LegacyDatabase
from support.forked import forked
from support.rolled_out import CONTEXT, FEED, REGION, SQLITE, RolledOutSlice, without_spark

DENIAL = "context = :context AND region = :region AND epoch = :epoch"
NOW = "strftime('%Y-%m-%d %H:%M:%f', 'now')"
EXACT: dict[str, Any] = SQLITE | {
    "hold": "INSERT INTO cutline_denials VALUES (:context, :region, :epoch, "
    "strftime('%Y-%m-%d %H:%M:%f', 'now', :seconds || ' seconds')) "
    "ON CONFLICT DO UPDATE SET ends_at = excluded.ends_at WHERE ends_at IS NOT NULL",
    "freeze": f"UPDATE cutline_denials SET ends_at = NULL WHERE {DENIAL} AND ends_at > {NOW}",
    "denied": f"SELECT count(*) FROM cutline_denials WHERE {DENIAL} "
    f"AND (ends_at IS NULL OR ends_at > {NOW})",
}
"""The statements of the example by a clock of milliseconds, so that a second is a second."""
TRIAL = str(SQLITE["trial_region"])


@pytest.fixture
def briefly(monkeypatch: pytest.MonkeyPatch) -> None:
    """No longer than such a clock needs."""
    for name, value in {"HOLDS": (1, 4), "FROZEN_HOLDS": (1, 4)}.items():
        monkeypatch.setattr(denying, name, value)
    for name, seconds in {"ROUNDING": 0.1, "MARGIN": 0.1, "POLL_SECONDS": 0.05}.items():
        monkeypatch.setattr(denying, name, seconds)


def make(folder: Path, **changed: Any) -> RolledOutSlice:
    feed = FEED | {key[5:]: changed.pop(key) for key in list(changed) if key.startswith("feed_")}
    return RolledOutSlice(folder, legacy_writes=EXACT | changed, reverse_feed=feed)


def tried(slice_: RolledOutSlice) -> dict[str, Any]:
    figures = try_way_back(slice_.project, slice_.control, CONTEXT, REGION, lambda _: None)
    assert figures is not None
    return figures


def denials(slice_: RolledOutSlice) -> list[tuple[str, int, bool]]:
    """Region and epoch of what stands in the legacy, and whether it has no end."""
    query = "SELECT region, epoch, ends_at IS NULL FROM cutline_denials"
    with closing(sqlite3.connect(slice_.folder / "legacy.db")) as legacy:
        return [(region, epoch, bool(endless)) for region, epoch, endless in legacy.execute(query)]


def let_stand(slice_: RolledOutSlice, region: str, epoch: int) -> None:
    """A denial without an end stands in the legacy."""
    with closing(sqlite3.connect(slice_.folder / "legacy.db")) as legacy, legacy:
        row = (CONTEXT, region, epoch)
        legacy.execute("INSERT INTO cutline_denials VALUES (?, ?, ?, NULL)", row)


def test_the_statements_of_the_example_work_and_deny_no_order(tmp_path: Path) -> None:
    slice_ = RolledOutSlice(tmp_path)
    ended, refused, orders = threading.Event(), [], 0

    def order() -> None:
        nonlocal orders
        while not ended.wait(0.02):
            orders += 1
            if not slice_.legacy_takes_writes():
                refused.append(orders)

    customers = threading.Thread(target=order)
    customers.start()
    try:
        figures = tried(slice_)
    finally:
        ended.set()
        customers.join()
    assert figures["passed"], figures["says"]
    assert orders > 20
    assert refused == []
    assert denials(slice_) == []
    assert figures["trial_region"] == TRIAL
    assert figures["says"].startswith("writes were refused and taken again by the legacy in ")
    assert [step["key"].removeprefix("rollout.") for step in figures["steps"]] == [
        *("legacy_writes.release", "legacy_writes.hold", "legacy_writes.denied"),
        *("legacy_writes.open_transactions", "legacy_writes.clock", "legacy_writes.denied"),
        *("legacy_writes.freeze", "legacy_writes.freeze", "legacy_writes.denied"),
        *("legacy_writes.denied", "legacy_writes.release"),
        *("reverse_feed.ready", "reverse_feed.drained"),
    ]
    frozen = figures["steps"][9]
    assert frozen["shows"].startswith("frozen, a hold of ")
    assert 4 < frozen["seconds"] < figures["seconds"]


def test_nothing_is_tried_without_a_trial_region(tmp_path: Path) -> None:
    slice_ = make(tmp_path, trial_region=None, hold="nonsense")
    assert try_way_back(slice_.project, slice_.control, CONTEXT, REGION, lambda _: None) is None
    remove_trial(slice_.project, slice_.control, CONTEXT, REGION)


NO_END = (
    "INSERT INTO cutline_denials VALUES (:context, :region, :epoch, NULL) ON CONFLICT DO NOTHING"
)
IGNORED = "(context = :context OR :region = '') AND epoch = :epoch"


@pytest.mark.usefixtures("briefly")
@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"hold": NO_END}, "legacy_writes.hold was done for 1 s, and its denial stands behind"),
        (
            {"hold": "SELECT :region"},
            "denied says that the writes are not held, right after `hold`",
        ),
        ({"hold": "INSERT INTO nowhere VALUES (:region)"}, "hold failed: no such table: nowhere"),
        (
            {"hold": EXACT["hold"].removesuffix(" WHERE ends_at IS NOT NULL")},
            "freeze was done, and the denial ended with its hold, or with `hold` done again",
        ),
        ({"freeze": "SELECT :region"}, "frozen says that the denial ends by itself"),
        (
            {"freeze": f"UPDATE cutline_denials SET epoch = epoch WHERE {DENIAL}", "frozen": None},
            "freeze was done, and the denial ended with its hold",
        ),
        ({"freeze": "UPDATE nowhere SET region = :region"}, "freeze failed: no such table"),
        (
            {"freeze": f"UPDATE cutline_denials SET ends_at = NULL WHERE {DENIAL}"},
            "freeze denies writes again behind the end of a hold",
        ),
        ({"frozen": "SELECT 0 = length(:region)"}, "frozen says that the denial ends by itself"),
        ({"denied": "SELECT length(:region) = 0"}, "denied says that the writes are not held"),
        ({"denied": "SELECT region FROM nowhere WHERE region = :region"}, "denied failed: no such"),
        ({"denied": "SELECT :region, 1"}, "denied must give one row of one value"),
        ({"denied": f"{EXACT['denied']} AND :epok"}, "has a statement with :epok"),
        ({"open_transactions": "SELECT n FROM nowhere"}, "open_transactions failed: no such table"),
        ({"clock": "SELECT 'noon'"}, "clock must give a moment, and gave 'noon'"),
        ({"position": "SELECT n FROM nowhere"}, "position failed: no such table"),
        ({"position": "SELECT 7", "drained": "SELECT :posit"}, "has a statement with :posit"),
        ({"feed_ready": "SELECT 0"}, "rollout.reverse_feed.ready is not true"),
        ({"feed_ready": "SELECT running FROM nowhere"}, "rollout.reverse_feed.ready failed"),
        ({"feed_drained": "SELECT behind FROM nowhere"}, "rollout.reverse_feed.drained failed"),
    ],
)
def test_a_statement_that_does_not_work_is_named_and_nothing_stays_denied(
    tmp_path: Path, changed: dict[str, Any], says: str
) -> None:
    slice_ = make(tmp_path, **changed)
    figures = tried(slice_)
    assert not figures["passed"]
    assert says in figures["says"]
    assert figures["says"].startswith("cutline.yaml: rollout.")
    assert "No denial of it is left in the legacy." in figures["says"]
    assert denials(slice_) == []
    assert slice_.legacy_takes_writes()


@pytest.mark.usefixtures("briefly")
def test_a_release_that_releases_nothing_leaves_a_denial_of_which_it_says_so(
    tmp_path: Path,
) -> None:
    slice_ = make(tmp_path, release="UPDATE cutline_denials SET region = region WHERE :region = ''")
    figures = tried(slice_)
    assert "stands, right after `release` was done" in figures["says"]
    assert f"The denial of epoch 1 under region {TRIAL} may stand in the legacy" in figures["says"]
    assert "remove the denial by hand" in figures["says"]
    assert denials(slice_) == [(TRIAL, 1, True)]
    assert slice_.legacy_takes_writes()
    again = tried(slice_)
    assert "stands, right after `release` was done" in again["says"]
    assert again["steps"] == []


@pytest.mark.usefixtures("briefly")
def test_denied_that_is_always_true_is_refused_before_anything_is_held(tmp_path: Path) -> None:
    slice_ = make(tmp_path, denied="SELECT :region = :region")
    figures = tried(slice_)
    assert "it ignores `:epoch`, or is always true" in figures["says"]
    assert denials(slice_) == []


@pytest.mark.usefixtures("briefly")
@pytest.mark.parametrize("key", ["hold", "freeze", "release", "denied", "frozen"])
def test_a_statement_without_region_is_never_tried(
    tmp_path: Path, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoken_to(*_: object, **__: object) -> None:
        raise AssertionError("the legacy was spoken to")

    monkeypatch.setattr(LegacyDatabase, "_transaction", spoken_to)
    slice_ = make(
        tmp_path, **{key: [f"SELECT {n}" for n in (1, 2)] if key == "hold" else "SELECT 1"}
    )
    figures = tried(slice_)
    assert (
        f"the statements of rollout.legacy_writes ignore `:region`: {key} does not use it"
        in (figures["says"])
    )
    assert figures["steps"] == []


@pytest.mark.usefixtures("briefly")
def test_a_denial_of_another_context_must_stand_as_well(tmp_path: Path) -> None:
    slice_ = make(tmp_path, release=f"DELETE FROM cutline_denials WHERE {IGNORED} OR epoch = 7")
    with slice_.control.lease("billing", REGION) as lease:
        opened = slice_.control.open_rollout(0, RolloutChange("open", "opened", "ops"), lease)
        change = RolloutChange("switch writes", "done", "ops", values={"denial": 7})
        slice_.control.change_rollout(opened.version, change, lease)
    with closing(sqlite3.connect(slice_.folder / "legacy.db")) as legacy, legacy:
        legacy.execute("INSERT INTO cutline_denials VALUES ('billing', ?, 7, NULL)", [REGION])
    says = tried(slice_)["says"]
    assert f"removed the denial of epoch 7 of billing/{REGION} as well" in says


@pytest.mark.usefixtures("briefly")
def test_a_denied_that_ignores_epochs_is_named(tmp_path: Path) -> None:
    ignoring = "SELECT count(*) FROM cutline_denials WHERE region = :region AND :epoch > 0"
    slice_ = make(tmp_path, denied=ignoring)
    let_stand(slice_, REGION, 7)
    figures = tried(slice_)
    assert "it ignores `:epoch`" in figures["says"]
    assert figures["steps"] == []
    assert denials(slice_) == [(REGION, 7, True)]


RELEASE_ALL = "DELETE FROM cutline_denials"


@pytest.mark.usefixtures("briefly")
@pytest.mark.parametrize("release", [RELEASE_ALL, [RELEASE_ALL, EXACT["release"]]])
def test_a_release_of_all_regions_is_never_done(tmp_path: Path, release: Any) -> None:
    slice_ = make(tmp_path, release=release)
    let_stand(slice_, REGION, 7)
    says = f"ignore `:region`: release does not use it: {RELEASE_ALL}"
    assert says in tried(slice_)["says"]
    with pytest.raises(RunFailed, match=says):
        remove_trial(slice_.project, slice_.control, CONTEXT, REGION)
    assert denials(slice_) == [(REGION, 7, True)]


@pytest.mark.usefixtures("briefly")
def test_what_changes_no_row_needs_no_region(tmp_path: Path) -> None:
    slice_ = make(tmp_path, release=["PRAGMA busy_timeout = 5000", EXACT["release"]])
    figures = tried(slice_)
    assert figures["passed"], figures["says"]


@pytest.mark.usefixtures("briefly")
def test_statements_that_use_region_and_ignore_it_are_found_out_and_released_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(denying, "HOLDS", (60,))
    ignoring = {
        key: EXACT[key].replace(DENIAL, IGNORED)
        for key in ("freeze", "release", "denied", "frozen")
    }
    slice_ = make(tmp_path, **ignoring)
    began = time.monotonic()
    figures = tried(slice_)
    assert time.monotonic() - began < 30, "it does not wait for the end of the hold"
    assert "ignore `:region`: the slice itself was denied with the trial region" in figures["says"]
    assert denials(slice_) == []
    assert slice_.legacy_takes_writes()


@pytest.mark.usefixtures("briefly")
def test_a_denial_of_the_slice_that_is_released_with_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_spark(monkeypatch)
    slice_ = make(tmp_path, release="DELETE FROM cutline_denials WHERE :region <> ''")
    for command, arguments in (("open", []), ("stage", ["run-1"]), ("switch reads", [None])):
        slice_.do(command, *arguments)
    slice_.do("switch writes")
    figures = tried(slice_)
    assert f"release removed the denial of epoch 2 of {CONTEXT}/{REGION} as well" in figures["says"]
    assert "Put that denial back by hand" in figures["says"]


@pytest.mark.usefixtures("briefly")
def test_the_denial_of_a_slice_that_the_new_side_writes_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_spark(monkeypatch)
    slice_ = make(tmp_path)
    for command, arguments in (("open", []), ("stage", ["run-1"]), ("switch reads", [None])):
        slice_.do(command, *arguments)
    slice_.do("switch writes")
    assert tried(slice_)["passed"]
    assert denials(slice_) == [(REGION, 2, True)]


@pytest.mark.usefixtures("briefly")
def test_a_database_that_is_not_there_is_said(tmp_path: Path) -> None:
    for name, url, says in (
        ("a", "sqlite:///nowhere/legacy.db", "denied failed: unable to open database file"),
        ("b", "oracle+nothing://h/d", "rollout.legacy_writes.url cannot be used"),
    ):
        figures = tried(make(tmp_path / name, url=url))
        assert says in figures["says"]
        assert "No denial of it is left" in figures["says"]
        assert not figures["passed"]


@pytest.mark.usefixtures("briefly")
def test_a_database_that_is_gone_in_the_middle_leaves_what_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slice_ = make(tmp_path)

    def look_without_database(denial: denying.TriedDenial) -> None:
        (tmp_path / "legacy.db").rename(tmp_path / "gone.db")
        (tmp_path / "legacy.db").mkdir()
        look(denial)

    look = denying.TriedDenial._look_at_slice
    monkeypatch.setattr(denying.TriedDenial, "_look_at_slice", look_without_database)
    figures = tried(slice_)
    assert "denied failed: unable to open database file" in figures["says"]
    assert f"The denial of epoch 1 under region {TRIAL} may stand in the legacy" in figures["says"]


@pytest.mark.usefixtures("briefly")
def test_what_a_kill_leaves_is_removed_by_the_next_or_by_clean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(way_back, "PATIENCE_SECONDS", 5.0)
    slice_ = make(tmp_path)

    def slice_trial() -> None:
        tried(slice_)

    for again in (
        lambda: remove_trial(slice_.project, slice_.control, CONTEXT, REGION),
        lambda: tried(slice_)["passed"] or pytest.fail("it does not work again"),
    ):
        child = forked(slice_trial)
        while denials(slice_) != [(TRIAL, 1, True)]:
            time.sleep(0.02)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert denials(slice_) == [(TRIAL, 1, True)]
        assert slice_.legacy_takes_writes()
        again()
        assert denials(slice_) == []


@pytest.mark.usefixtures("briefly")
def test_whoever_stops_it_leaves_no_denial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slice_ = make(tmp_path)
    stopped = []

    def stop(seconds: float) -> None:
        stopped.append(denials(slice_))
        raise KeyboardInterrupt

    # Of this module alone: threads of other libraries sleep by the same function.
    slept = SimpleNamespace(sleep=stop, monotonic=time.monotonic)
    monkeypatch.setattr(denying, "time", slept)
    with pytest.raises(KeyboardInterrupt):
        tried(slice_)
    assert stopped == [[(TRIAL, 1, False)]]
    assert denials(slice_) == []


@pytest.mark.usefixtures("briefly")
def test_two_rehearsals_do_not_release_the_denial_of_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(way_back, "PATIENCE_SECONDS", 0.0)
    slice_ = make(tmp_path)
    let_stand(slice_, TRIAL, 1)
    with slice_.control.lease(WAY_BACK_LEASES, f"{CONTEXT}/{TRIAL}"):
        figures = tried(slice_)
    assert "is being worked on by another call" in figures["says"]
    assert denials(slice_) == [(TRIAL, 1, True)]
    assert not any(status.context == WAY_BACK_LEASES for status in slice_.control.slices())


@pytest.mark.usefixtures("briefly")
@pytest.mark.parametrize(("late", "lengths"), [("hold", [1, 4, 1, 4, 1]), ("freeze", [1, 1, 4, 1])])
def test_a_legacy_that_answers_late_is_held_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: str, lengths: list[int]
) -> None:
    slice_ = make(tmp_path)
    tell = LegacyDatabase.tell
    hold_seconds: list[int] = []

    def slow(self: LegacyDatabase, name: str, *arguments: Any, **named: Any) -> Any:
        if name == late == "freeze":
            time.sleep(1.2)
        done = tell(self, name, *arguments, **named)
        if name == "hold":
            hold_seconds.append(named["seconds"])
        if name == late == "hold":
            time.sleep(1.2)
        return done

    monkeypatch.setattr(LegacyDatabase, "tell", slow)
    figures = tried(slice_)
    assert figures["passed"], figures["says"]
    assert hold_seconds == lengths
