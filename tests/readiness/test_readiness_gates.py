"""The gates of a slice by what is declared and what was rehearsed."""

from __future__ import annotations

import dataclasses
import datetime as dt
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import SecretStr
from sqlalchemy import update

from cutline.control import DamagedRow
from cutline.control.models import EVIDENCE, RUNS
from cutline.project.readiness import GATES
from support.gates import (
    DECLARED,
    GOVERNANCE,
    HISTORY,
    STATES,
    VOLUME,
    colours,
    file_rehearsal,
    gates,
    measured,
)
from support.rolled_out import REGION, SQLITE, RolledOutSlice, without_spark


def make(folder: Path, readiness: dict[str, Any] | None = None) -> RolledOutSlice:
    slice_ = RolledOutSlice(folder, readiness=DECLARED if readiness is None else readiness)
    slice_.published = {HISTORY: 2_000_000, STATES: 1_000_000}
    slice_.run("run-2")
    return slice_


def change(slice_: RolledOutSlice, **sections: dict[str, Any]) -> None:
    """Lets `rollout` of cutline.yaml have other values in its sections."""
    file = slice_.project.file
    changed = {
        name: getattr(file.rollout, name).model_copy(update=values)
        for name, values in sections.items()
    }
    rollout = file.rollout.model_copy(update=changed)
    file = file.model_copy(update={"rollout": rollout})
    slice_.project = dataclasses.replace(slice_.project, file=file)


def age(slice_: RolledOutSlice, days: float) -> None:
    """Lets all evidence be so many days old."""
    with slice_.control.database.write() as connection:
        moment = slice_.control.database.now(connection) - dt.timedelta(days=days)
        connection.execute(update(EVIDENCE).values(finished_at=moment, begun_at=moment))


def test_what_is_designed_and_not_tested_is_yellow(tmp_path: Path) -> None:
    slice_ = make(tmp_path)
    assert colours(slice_) == dict.fromkeys(GATES, "yellow") | {"governance": "green"}
    storage = gates(slice_)["storage"]
    assert storage.evidence is None
    assert storage.next_command == f"cutline rehearse fulfilment --region {REGION} --run run-2"


def test_what_nobody_declared_is_red(tmp_path: Path) -> None:
    slice_ = make(tmp_path, {})
    file_rehearsal(slice_, measured())
    red = {name for name, colour in colours(slice_).items() if colour == "red"}
    assert red == {"storage", "cost", "governance"}
    assert "readiness.fulfilment.capacity" in gates(slice_)["storage"].says


def test_what_was_rehearsed_is_green_with_its_figures(tmp_path: Path) -> None:
    slice_ = make(tmp_path)
    file_rehearsal(slice_, measured())
    assert set(colours(slice_).values()) == {"green"}
    storage, cost = gates(slice_)["storage"], gates(slice_)["cost"]
    # 2,000,000 events of 1,000 bytes and 1,000,000 states of 500, twice.
    assert storage.says == "3,000,000 records need 5.000 GB in 2 copies, of 10 GB"
    # Sent 2.5 GB for 1 each, kept 5 GB for twelve months at 2 each.
    assert "come to 122.50 EUR" in cost.says
    assert storage.evidence is not None
    assert (storage.evidence.run_id, storage.evidence.made_by) == ("run-1", "ann")


@pytest.mark.parametrize(
    ("section", "gate", "says"),
    [
        ({"capacity": {"gigabytes": 2}}, "storage", "need 2.500 GB in 1 copies, of 2 GB"),
        ({"cost": {"currency": "EUR", "limit": 1, "hour": 1}}, "cost", "come to 1.67 EUR, of 1.00"),
    ],
)
def test_what_is_more_than_declared_is_red(
    tmp_path: Path, section: dict[str, Any], gate: str, says: str
) -> None:
    slice_ = make(tmp_path, DECLARED | section)
    file_rehearsal(slice_, measured())
    assert colours(slice_)[gate] == "red"
    assert says in gates(slice_)[gate].says


def test_a_failure_is_red_until_a_rehearsal_passes(tmp_path: Path) -> None:
    slice_ = make(tmp_path)
    failed = {"passed": False, "says": "the live group moved"}
    file_rehearsal(slice_, measured(offsets=failed), "failed")
    assert [n for n, c in colours(slice_).items() if c == "red"] == ["offsets"]
    assert "the live group moved" in gates(slice_)["offsets"].says
    age(slice_, 100)
    assert colours(slice_)["offsets"] == "red", "a failure does not expire"
    file_rehearsal(slice_, {"failure": "Kafka does not answer"}, "failed")
    red = [g for g in gates(slice_).values() if g.colour == "red"]
    assert len(red) == 6
    assert all("Kafka does not answer" in gate.says for gate in red)
    file_rehearsal(slice_, {}, "killed")
    assert colours(slice_)["offsets"] == "red", "what was killed proves nothing"
    file_rehearsal(slice_, measured())
    assert set(colours(slice_).values()) == {"green"}


def test_evidence_expires_by_the_days_of_its_gate(tmp_path: Path) -> None:
    slice_ = make(tmp_path, DECLARED | {"evidence_days": 10, "evidence_days_of": {"cost": 2}})
    file_rehearsal(slice_, measured())
    age(slice_, 5)
    assert [n for n, c in colours(slice_).items() if c == "yellow"] == ["cost"]
    assert "expired on" in gates(slice_)["cost"].says
    age(slice_, 11)
    assert set(colours(slice_).values()) == {"yellow", "green"}
    assert colours(slice_)["governance"] == "green"


def test_a_report_that_is_too_old_is_to_be_signed_by_nobody(tmp_path: Path) -> None:
    slice_ = make(tmp_path, DECLARED | {"evidence_days": 10})
    with slice_.control.database.write() as connection:
        moment = slice_.control.database.now(connection) - dt.timedelta(days=11)
        connection.execute(update(RUNS).values(finished_at=moment))
    governance = gates(slice_)["governance"]
    assert governance.colour == "yellow"
    assert "the report to be signed is more than 10 days old" in governance.says


def test_discarded_exceptions_that_have_expired_are_red(tmp_path: Path) -> None:
    slice_ = make(tmp_path)
    entry = {
        "name": "lost",
        "context": "fulfilment",
        "region": REGION,
        "exceptions": ["e-1"],
        "reason": "nobody knows them",
        "owner": "Ann",
        "ticket": "T-1",
        "expires": "2020-01-01",
    }
    (slice_.project.folder / "waivers.yaml").write_text(
        yaml.safe_dump({"version": 1, "waivers": [], "discarded": [entry]})
    )
    governance = gates(slice_)["governance"]
    assert governance.colour == "red"
    assert "lost (of Ann, 2020-01-01)" in governance.says


def test_a_group_that_no_rehearsal_watched_leaves_its_gates_yellow(tmp_path: Path) -> None:
    groups = [{"group": name, "topic": "orders"} for name in ("desk", "billing")]
    slice_ = make(tmp_path, DECLARED | {"live": groups})
    topics = {"kind": "kafka", "kafka": {"bootstrap": "localhost:9"}, "prefix": "retail"}
    file = slice_.project.file
    section = type(file).model_validate(
        file.model_dump(mode="json", by_alias=True, exclude={"topics", "control"})
        | {"topics": topics, "control": file.control.get_secret_value()}
    )
    slice_.project = dataclasses.replace(slice_.project, file=section)
    lag = {"passed": True, "says": "it holds", "worst_lag": {"desk@orders": 3}}
    file_rehearsal(slice_, measured(offsets=lag, observability=lag))
    for gate in ("offsets", "observability"):
        result = gates(slice_)[gate]
        assert result.colour == "yellow"
        assert "not watched by the rehearsal: billing on orders" in result.says
    both_watched = lag | {"worst_lag": {"desk@orders": 3, "billing@orders": 0}}
    file_rehearsal(slice_, measured(offsets=both_watched, observability=both_watched))
    assert {gates(slice_)[gate].colour for gate in ("offsets", "observability")} == {"green"}


def test_evidence_of_other_translators_is_expired(tmp_path: Path) -> None:
    slice_ = make(tmp_path)
    file_rehearsal(slice_, measured(), translators={"ErpOrders": "1.2"})
    compatibility = gates(slice_)["compatibility"]
    assert compatibility.colour == "yellow"
    assert "with version 1.2 of ErpOrders, and run run-2 has none" in compatibility.says


def test_evidence_of_another_run_ends_when_that_one_is_staged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_spark(monkeypatch)
    slice_ = RolledOutSlice(tmp_path, readiness=DECLARED)
    file_rehearsal(slice_, measured())
    slice_.do("open")
    slice_.do("stage", "run-1")
    assert colours(slice_)["rollback"] == "green"
    slice_.run("run-2")
    assert colours(slice_)["rollback"] == "green", "a newer run of the same translators is not it"
    slice_.do("stage", "run-2")
    assert "release 2, of run run-2, was staged since" in gates(slice_)["rollback"].says


def test_a_reversal_of_the_slice_itself_is_a_way_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_spark(monkeypatch)
    slice_ = RolledOutSlice(tmp_path, readiness=DECLARED)
    slice_.do("open")
    slice_.do("stage", "run-1")
    slice_.do("switch reads", 5)
    assert colours(slice_)["rollback"] == "yellow"
    slice_.do("reverse reads")
    rollback = gates(slice_)["rollback"]
    assert rollback.colour == "yellow", "the legacy was never asked"
    assert "reverse reads fulfilment" in rollback.says
    assert rollback.says.endswith("and the writes never went back")
    slice_.do("switch reads", None)
    slice_.do("switch writes")
    slice_.do("reverse writes")
    rollback = gates(slice_)["rollback"]
    reversed_ = f"cutline rollout reverse writes fulfilment --region {REGION} came to its end"
    assert (rollback.colour, rollback.says) == ("green", reversed_)
    project = slice_.project
    change(slice_, legacy_writes={"release": "DELETE FROM nowhere"})
    assert gates(slice_)["rollback"].colour == "yellow", "these statements never ran"
    slice_.project = project
    slice_.run("run-2")
    slice_.do("stage", "run-2")
    assert gates(slice_)["rollback"].colour == "yellow", "another release was never taken back"


@pytest.mark.parametrize("way_back", [{}, "yes", [1]])
def test_figures_of_a_way_back_that_cannot_be_read_are_named(tmp_path: Path, way_back: Any) -> None:
    slice_ = make(tmp_path)
    rollback = {"passed": True, "says": "it holds", "way_back": way_back}
    file_rehearsal(slice_, measured(rollback=rollback), way_back=False)
    with pytest.raises(DamagedRow, match="column figures"):
        gates(slice_)


def test_writes_that_went_back_show_more_than_a_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_spark(monkeypatch)
    slice_ = RolledOutSlice(tmp_path, readiness=DECLARED)
    for command, arguments in (("open", []), ("stage", ["run-1"]), ("switch reads", [None])):
        slice_.do(command, *arguments)
    slice_.do("switch writes")
    file_rehearsal(slice_, measured(), way_back=False)
    assert colours(slice_)["rollback"] == "yellow"
    slice_.do("reverse writes")
    assert colours(slice_)["rollback"] == "green"


def test_a_way_back_that_was_not_tried_is_designed_and_not_tested(tmp_path: Path) -> None:
    slice_ = make(tmp_path)
    file_rehearsal(slice_, measured(), way_back=False)
    rollback = gates(slice_)["rollback"]
    assert rollback.colour == "yellow"
    assert rollback.says == (
        "not tested: this rehearsal did not try rollout.legacy_writes.trial_region; then: it holds"
    )
    assert rollback.next_command == f"cutline rehearse fulfilment --region {REGION} --run run-2"
    assert [n for n, c in colours(slice_).items() if c == "yellow"] == ["rollback"]
    file_rehearsal(slice_, measured())
    assert colours(slice_)["rollback"] == "green"


@pytest.mark.parametrize("way_back", [False, True], ids=["never", "before the key was removed"])
def test_without_a_trial_region_the_statements_are_not_tested(
    tmp_path: Path, way_back: bool
) -> None:
    slice_ = RolledOutSlice(
        tmp_path, readiness=DECLARED, legacy_writes=SQLITE | {"trial_region": None}
    )
    file_rehearsal(slice_, measured(), way_back=way_back)
    rollback = gates(slice_)["rollback"]
    assert rollback.colour == "yellow"
    assert "cutline.yaml has no rollout.legacy_writes.trial_region" in rollback.says
    assert rollback.next_command == "edit cutline.yaml as docs/rollout.md shows"
    assert rollback.evidence is not None


def test_a_way_back_that_failed_is_red_with_or_without_the_key(tmp_path: Path) -> None:
    slice_ = make(tmp_path)
    says = "cutline.yaml: rollout.legacy_writes.freeze failed: no such table: denials"
    failed = {"passed": False, "says": says, "way_back": {"passed": False, "statements": "0"}}
    file_rehearsal(slice_, measured(rollback=failed), "failed")
    for trial_region in ("rehearsal", None):
        change(slice_, legacy_writes={"trial_region": trial_region})
        rollback = gates(slice_)["rollback"]
        assert rollback.colour == "red"
        assert says in rollback.says


@pytest.mark.parametrize(
    ("section", "values", "colour"),
    [
        ("legacy_writes", {"freeze": "SELECT :region"}, "yellow"),
        ("legacy_writes", {"trial_region": "another"}, "yellow"),
        ("legacy_writes", {"url": SecretStr("sqlite:///another.db")}, "yellow"),
        ("legacy_writes", {"position": "SELECT 1"}, "yellow"),
        ("reverse_feed", {"ready": "SELECT 1"}, "yellow"),
        ("reverse_feed", {"url": SecretStr("sqlite:///another.db")}, "yellow"),
        ("legacy_writes", {"seconds": 77}, "green"),
    ],
)
def test_statements_that_have_changed_are_not_those_that_were_tried(
    tmp_path: Path, section: str, values: dict[str, Any], colour: str
) -> None:
    slice_ = make(tmp_path)
    file_rehearsal(slice_, measured())
    assert colours(slice_)["rollback"] == "green"
    change(slice_, **{section: values})
    rollback = gates(slice_)["rollback"]
    assert rollback.colour == colour
    assert rollback.says.startswith("expired: ") == (colour == "yellow")


def test_a_new_password_changes_no_statement(tmp_path: Path) -> None:
    slice_ = make(tmp_path)
    for word in ("first", "second"):
        url = SecretStr(f"postgresql://cutline:{word}@legacy/shop?sslpassword={word}")
        change(slice_, legacy_writes={"url": url})
        if word == "first":
            file_rehearsal(slice_, measured())
        assert colours(slice_)["rollback"] == "green"


def test_a_red_gate_refuses_a_switch_and_no_mirror(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_spark(monkeypatch)
    slice_ = RolledOutSlice(tmp_path, readiness={"governance": GOVERNANCE})
    slice_.do("open")
    slice_.do("stage", "run-1")
    assert not slice_.plan("mirror", 100).refused
    for move in (("switch reads", 5), ("switch reads", None), ("switch writes",)):
        refused = {guard.name: guard for guard in slice_.plan(*move).refused}
        assert "readiness" in refused, move
        assert "cost: cutline.yaml does not say" in refused["readiness"].says
        assert (
            refused["readiness"].next_command == f"cutline readiness fulfilment --region {REGION}"
        )


def test_yellow_gates_and_no_section_refuse_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_spark(monkeypatch)
    for name, section in (("yellow", DECLARED), ("none", None)):
        slice_ = RolledOutSlice(tmp_path / name, readiness=section)
        slice_.do("open")
        slice_.do("stage", "run-1")
        guards = {guard.name: guard.says for guard in slice_.plan("switch reads", 5).guards}
        assert not slice_.plan("switch reads", 5).refused
        assert guards["readiness"].startswith("not asked") == (section is None)


def test_a_waiver_that_ran_out_is_red(tmp_path: Path) -> None:
    slice_ = make(tmp_path)
    (tmp_path / "waivers.yaml").write_text(
        "version: 1\nwaivers:\n- name: late\n  match: {kind: missing}\n  reason: known\n"
        "  owner: Ann\n  ticket: T-1\n  expires: 2026-01-31\n  max_breaks: 3\n"
    )
    governance = gates(slice_)["governance"]
    assert governance.colour == "red"
    assert "late (of Ann, 2026-01-31)" in governance.says


def test_the_volume_is_reckoned_by_what_was_rehearsed(tmp_path: Path) -> None:
    slice_ = make(tmp_path)
    only_events = VOLUME | {"states": 0, "state_bytes": 0}
    file_rehearsal(slice_, measured(storage=only_events))
    assert "need 6.000 GB" in gates(slice_)["storage"].says
