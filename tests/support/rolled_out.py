"""A slice that is rolled out without Spark: literal runs, a legacy of one SQLite file, and kills.

The legacy has `orders`, whose writes a denial refuses as docs/rollout.md shows; `feed` says how far
its feed is.
"""

from __future__ import annotations

import dataclasses
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from cutline.control import Control, Lease, RunKey, RunRecord
from cutline.control.rollouts import Rollout
from cutline.lake.written import TableWritten
from cutline.project import LoadedProject, load
from cutline.readmodels import ReadModel, ReadModelColumn, ReadModelVersion
from cutline.readmodels.lines import line_of
from cutline.readmodels.states import States
from cutline.results import MergeResult, ProjectResult, ReconcileResult, ReportResult
from cutline.results.project import CertificateRow
from cutline.rollout import Plan, RolloutWork, ignore_rollout_events, perform, plans, resume
from cutline.rollout import guards as rollout_guards
from cutline.rollout.decisions import SliceDecisions
from cutline.rollout.steps import release, writes
from support.forked import exit_code_of
from support.recorded import T0
from support.sample_project import document, write
from support.scripts import RETAILER

CONTEXT, REGION = "fulfilment", "eu-west"

SQLITE: dict[str, Any] = RETAILER.ROLLOUT["legacy_writes"] | {
    "url": "sqlite:///legacy.db",
    "seconds": 60,
}
"""The statements of the example on a database of its own."""

FEED = RETAILER.ROLLOUT["reverse_feed"]


class RolledOutSlice:
    """The slice, with a run that is GO, and one process's way to it.

    In a folder that is a copy of another one's it stands where that one stood; a `control` that is
    a text stands in cutline.yaml, and copies have it.
    """

    def __init__(
        self,
        folder: Path,
        *,
        control: SecretStr | str | None = None,
        topics: dict[str, Any] | None = None,
        readiness: dict[str, Any] | None = None,
        live: tuple[str, ...] = (),
        **rollout: Any,
    ) -> None:
        self.folder = folder
        self.carried_on: Callable[[], str] = lambda: "run-1"
        self.published: dict[str, int] = {}
        if (folder / "legacy.db").exists():
            self.project: LoadedProject = load(folder)
            self.control = Control.open(self.project.file.control, folder)
            return
        content = document()
        content["rollout"] = {"legacy_writes": SQLITE, "reverse_feed": FEED} | rollout
        if live:
            content["contexts"][CONTEXT]["live"] = {"aggregates": list(live)}
        if readiness is not None:
            content["readiness"] = {CONTEXT: readiness}
        if topics is not None:
            content["topics"] = topics
        if isinstance(control, str):
            content["control"] = control
        self.project = load(write(folder, content))
        if isinstance(control, SecretStr):
            file = self.project.file.model_copy(update={"control": control})
            self.project = dataclasses.replace(self.project, file=file)
        with closing(sqlite3.connect(folder / "legacy.db")) as legacy:
            legacy.executescript(RETAILER.OPERATIONS)
        self.control = Control.open(self.project.file.control, folder)
        self.run("run-1")

    def run(
        self,
        run_id: str,
        decision: Any = "go",
        region: str = REGION,
        settings: dict[str, Any] | None = None,
    ) -> None:
        """Records a complete run; one without settings is by none that could change."""
        with self.control.lease(CONTEXT, region) as lease:
            self._record(run_id, decision, region, settings or {}, lease)

    def settings(self) -> dict[str, Any]:
        """What the files give to the name of a run, as the slice's region sees them now."""
        project = load(self.folder, REGION)
        parts = {
            "cut": project.file.contexts[CONTEXT].cut,
            "waivers": project.waivers_of(CONTEXT, REGION),
            "discarded": project.discarded_of(CONTEXT, REGION),
        }
        settings = {
            name: [entry.model_dump(mode="json", exclude_none=True) for entry in part]
            if isinstance(part, tuple)
            else part.model_dump(mode="json", exclude_none=True)
            for name, part in parts.items()
            if part
        }
        return {"configuration": project.digest, **settings}

    def work(self) -> RolloutWork:
        """What a process has that looks at the slice now."""
        return RolloutWork(
            project=self.project,
            control=self.control,
            context=CONTEXT,
            region=REGION,
            carry_on=self._carry_on,
            say=lambda _: None,
            rollout=self.control.rollout(CONTEXT, REGION),
        )

    def plan(self, command: str, *arguments: Any) -> Plan:
        """The plan of a command, such as `switch reads`."""
        make: Callable[..., Plan] = getattr(plans, f"plan_{command.replace(' ', '_')}")
        return make(self.work(), *arguments)

    def do(self, command: str, *arguments: Any) -> Rollout:
        """Plans and performs a command."""
        plan = self.plan(command, *arguments)
        return perform(self.work(), plan, "ops", None, ignore_rollout_events)

    def resume(self) -> Rollout:
        """Goes on with what is under way."""
        return resume(self.work(), "ops", None, ignore_rollout_events)

    @property
    def standing(self) -> Rollout:
        """The row as it is now."""
        rollout = self.control.rollout(CONTEXT, REGION)
        assert rollout is not None
        return rollout

    def feed(self, **values: int) -> None:
        """What the feed to the legacy says of itself."""
        with closing(sqlite3.connect(self.folder / "legacy.db")) as legacy, legacy:
            for name, value in values.items():
                legacy.execute(f"UPDATE feed SET {name} = {value}")

    def legacy_takes_writes(self, region: str = REGION) -> bool:
        """Whether an order of the region can be written to the legacy now."""
        with closing(sqlite3.connect(self.folder / "legacy.db")) as legacy:
            try:
                legacy.execute("INSERT INTO orders VALUES ('o-1', ?, 'NEW')", [region])
            except sqlite3.IntegrityError:
                return False
            finally:
                legacy.rollback()
        return True

    def denials(self) -> list[int]:
        """The epochs of the denials that stand in the legacy, ended or not."""
        with closing(sqlite3.connect(self.folder / "legacy.db")) as legacy:
            return [epoch for (epoch,) in legacy.execute("SELECT epoch FROM cutline_denials")]

    def lift_denials(self) -> None:
        """Somebody removes them from the legacy by hand."""
        with closing(sqlite3.connect(self.folder / "legacy.db")) as legacy, legacy:
            legacy.execute("DELETE FROM cutline_denials")

    def _carry_on(self, say: Callable[[str], None]) -> RunRecord:
        run_id = self.carried_on()
        record = self.control.run(run_id)
        if record is None:
            self.run(run_id)
            record = self.control.run(run_id)
        assert record is not None
        say(f"carried on to {run_id}")
        return record

    def _record(
        self, run_id: str, decision: Any, region: str, settings: dict[str, Any], lease: Lease
    ) -> None:
        key = RunKey(CONTEXT, region, run_id, {"run": run_id, **settings})
        self.control.begin(key, T0, lease)
        proven = CertificateRow(obligation="O1", says="all rows", status="proven", by="counts")
        results = (
            MergeResult(
                rows_in=3,
                rows_out=3,
                tables=(TableWritten("timeline", 3, f"digest-of-{run_id}"),),
            ),
            ProjectResult(rows_in=3, rows_out=3, certificate=(proven,)),
            ReconcileResult(rows_in=3, rows_out=0),
            ReportResult(
                rows_in=3,
                rows_out=0,
                report="report.html",
                files={"report/report.json": "d" * 64},
                published=self.published,
            ),
        )
        for result in results:
            self.control.stage_started(run_id, result.stage, lease)
            self.control.stage_done(run_id, result.stage, result, "d" * 32, 1.0, lease)
        if decision:
            self.control.decide(run_id, decision, "a gate", lease)
        self.control.complete(run_id, lease)


def without_spark(patch: Any) -> None:
    """Guards that read the lake find nothing wrong: the runs are literal."""
    patch.setattr(rollout_guards, "refuse_changed", lambda *_: None)
    patch.setattr(rollout_guards, "overlaps", lambda *_: [])
    clean = SliceDecisions(CONTEXT, REGION, 0, 0, 0, 0, 0, 0, ())
    patch.setattr(rollout_guards, "reconcile_decisions", lambda *_: clean)
    # There are no services that must ask first.
    patch.setattr(writes, "SERVICE_SECONDS", 0.0)


COLUMNS = (ReadModelColumn(name="subject", type="string"),)


def literal_build(
    self: ReadModel, spark: object, lake: object, version: int, run_id: str, move: int | None = None
) -> ReadModelVersion:
    """One row for each aggregate, which has the run for its subject."""
    line = line_of([run_id.encode(), None, b"0"])
    states = {name: States(COLUMNS, 1, [line]) for name in self.names.views}
    return self.build_states(states, version, run_id, move)


def with_literal_read_models(patch: Any) -> None:
    """Read models are built from literal runs, which have no lake."""
    without_spark(patch)
    patch.setattr(ReadModel, "build", literal_build)
    for name in ("session", "lake_of"):
        patch.setattr(release, name, lambda *_: None)


class _Killed(Control):
    """A control database whose process ends before or after its change number `at`."""

    def __init__(self, control: Control, at: int, *, before: bool) -> None:
        super().__init__(control.database)
        self._at, self._before, self._changes = at, before, 0

    def change_rollout(self, *arguments: Any, **named: Any) -> Rollout:
        self._changes += 1
        if self._changes == self._at and self._before:
            os._exit(9)
        changed = super().change_rollout(*arguments, **named)
        if self._changes == self._at:
            os._exit(9)
        return changed


def killed_at(
    act: Callable[[RolloutWork], object], work: RolloutWork, at: int, *, before: bool
) -> bool:
    """Whether a process that acts was killed at its change number `at` of the rollout.

    Before the change, what the step did is done and not recorded; after it, it is recorded.
    """

    def run() -> None:
        act(dataclasses.replace(work, control=_Killed(work.control, at, before=before)))

    code = exit_code_of(run)
    assert code in (0, 9), f"the child failed: {code}"
    return code == 9
