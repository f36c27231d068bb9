"""Every guard of every command of a rollout, tried without what it asks for.

The table names who refuses, what it says and which command it gives. It must name each guard that a
plan looks at, and reach each place in the code where a guard is made that can refuse.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest
from sqlalchemy import text

from cutline.control import RunKey
from cutline.control.plan import Command
from cutline.errors import RunFailed
from cutline.project import load
from cutline.readmodels import ReadModel, ReadModelColumn, ReadModelVersion
from cutline.readmodels.access import Dependant
from cutline.readmodels.lines import line_of
from cutline.readmodels.states import States
from cutline.results import ProjectResult
from cutline.rollout import (
    Guard,
    PlanRefused,
    cancel,
    columns,
    guards,
    ignore_rollout_events,
    perform,
    performing,
    plans,
)
from cutline.rollout.decisions import SliceDecisions
from cutline.rollout.legacy import LegacyDatabase
from cutline.rollout.overlap import SubjectOverlap
from support.recorded import T0
from support.rolled_out import CONTEXT, REGION, SQLITE, RolledOutSlice, with_literal_read_models
from support.typed_commands import check_typed

MODULES = (guards, columns, plans, performing)
"""Where guards are made."""
PLACE = f"{CONTEXT} --region {REGION}"
READ_MODEL: dict[str, Any] = {"url": "sqlite:///readmodel.db", "readers": ["billing"]}
RUN_IT = f"cutline run {PLACE}"
MEND = "Mend it, or wait until the database answers."
EDIT = "edit cutline.yaml as docs/rollout.md shows"

Pair = tuple[str, str]
"""A command and a guard of its plan, by their names."""
Sites = set[tuple[str, int]]
"""Places in the code: a file's name and a line."""


def at_first(slice_: RolledOutSlice) -> None:
    """Nothing was done."""


def opened(slice_: RolledOutSlice) -> None:
    slice_.do("open")


def staged(slice_: RolledOutSlice) -> None:
    opened(slice_)
    slice_.do("stage", "run-1")


def canary(slice_: RolledOutSlice) -> None:
    staged(slice_)
    slice_.do("switch reads", 5)


def read_by_all(slice_: RolledOutSlice) -> None:
    staged(slice_)
    slice_.do("switch reads", None)


def written(slice_: RolledOutSlice) -> None:
    read_by_all(slice_)
    slice_.do("switch writes")


def completed(slice_: RolledOutSlice) -> None:
    written(slice_)
    slice_.do("complete")


def staged_narrow(slice_: RolledOutSlice) -> None:
    """Canary reads a release, and one without its column `total` is staged."""
    canary(slice_)
    slice_.run("narrow")
    slice_.do("stage", "narrow")


def expanded(slice_: RolledOutSlice) -> None:
    staged_narrow(slice_)
    slice_.do("expand")


def expanded_and_read(slice_: RolledOutSlice) -> None:
    expanded(slice_)
    slice_.do("switch reads", None)


def expanded_and_staged(slice_: RolledOutSlice) -> None:
    expanded(slice_)
    slice_.run("run-3")
    slice_.do("stage", "run-3")


def confirmed(slice_: RolledOutSlice) -> None:
    expanded(slice_)
    slice_.do("migrate", "billing")


def contracted(slice_: RolledOutSlice) -> None:
    confirmed(slice_)
    slice_.do("contract")


@dataclasses.dataclass(frozen=True)
class Trial:
    """A command, the guard that must refuse it, and why it must."""

    command: str
    guard: str
    stands: Callable[[RolledOutSlice], None]
    says: str
    gives: str | None
    arguments: tuple[Any, ...] = ()
    without: Callable[[RolledOutSlice, pytest.MonkeyPatch], None] = lambda *_: None
    """What is taken away from what stands."""

    def __str__(self) -> str:
        return f"{self.command}: {self.guard}: {self.says[:30]}"


def rollout(words: str) -> str:
    return f"cutline rollout {words} {PLACE}"


def no_go(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    slice_.run("run-9", decision="no-go")


def foreign_write(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    class Write:
        sentence = "row 'o1' was removed by no event"

    patch.setattr(ReadModel, "verify", lambda *_: [Write()])


def broken_model(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    def fail_to_verify(*_: object) -> None:
        raise RunFailed("its table is gone")

    patch.setattr(ReadModel, "verify", fail_to_verify)


def release_topics(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    """The release was recorded with a topic of its own, and there is none."""
    settings(release_topics=True)(slice_, patch)
    positions = json.dumps({f"retail.release.{CONTEXT}.1.{REGION}.customer_order.state": {"0": 7}})
    with slice_.control.database.write() as connection:
        connection.execute(text("UPDATE cutline_releases SET positions = :p"), {"p": positions})


def unreachable_topics(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    release_topics(slice_, patch)

    def away(*_: object) -> None:
        raise RunFailed("Kafka at broker:9092 does not answer")

    patch.setattr(guards, "changed_topics", away)


def not_fed(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    answer = (False, "release 1 is 3 records behind the live topics", rollout("feed"))
    patch.setattr(guards, "release_feed", lambda *_: answer)


def red(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    file = slice_.project.file
    sections = load_readiness(slice_)
    changed = file.model_copy(update={"readiness": sections})
    slice_.project = dataclasses.replace(slice_.project, file=changed)


def load_readiness(slice_: RolledOutSlice) -> Any:
    """Readiness as a file declares it that names no owner of anything."""
    elsewhere = RolledOutSlice(slice_.folder / "declared", readiness={})
    return elsewhere.project.file.readiness


def settings(**sections: Any) -> Callable[[RolledOutSlice, pytest.MonkeyPatch], None]:
    """What cutline.yaml says of the rollout, otherwise than it did when the slice came here."""

    def change(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
        again = RolledOutSlice(slice_.folder / "edited", **({"read_model": READ_MODEL} | sections))
        declared = again.project.file.rollout
        file = slice_.project.file.model_copy(update={"rollout": declared})
        slice_.project = dataclasses.replace(slice_.project, file=file)

    return change


def dependants(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    views = sorted(table.view for table in version_of(slice_).tables)
    reads = [Dependant("bills", view, ("total",)) for view in views[:1]]
    patch.setattr(ReadModel, "dependants", lambda *_: reads)


def version_of(slice_: RolledOutSlice) -> ReadModelVersion:
    work = slice_.work()
    version = work.read_model_version(work.release(work.standing.release))
    assert version is not None
    return version


def violated(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    record = slice_.control.run("run-1")
    assert record is not None
    project = record.result_of(ProjectResult)
    assert project is not None
    (row,) = project.certificate
    rows = (row.model_copy(update={"status": "violated"}),)
    patch.setattr(
        type(record),
        "result_of",
        lambda *_: project.model_copy(update={"certificate": rows}),
    )
    patch.setattr(guards, "is_published", lambda *_: (True, "read back"))


def unpublished(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(guards, "is_published", lambda *_: (False, "1 of 4 partitions is not read back"))


def torn_lake(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    def changed(*_: object) -> None:
        raise RunFailed("table timeline was changed", next_step="restore it")

    patch.setattr(guards, "refuse_changed", changed)


def common_subjects(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    common = SubjectOverlap("us-east", "run-7", "customer_order", 1, ("SO-1",))
    patch.setattr(guards, "overlaps", lambda *_: [common])


def older(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    slice_.do("cancel")
    slice_.do("open")
    slice_.run("run-2")
    slice_.do("stage", "run-2")


def stray(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    strays = SliceDecisions(CONTEXT, REGION, 1, 0, 1, 0, 1, 1, ())
    patch.setattr(guards, "reconcile_decisions", lambda *_: strays)


def unread(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    def fail_to_reconcile(*_: object) -> None:
        raise RunFailed("the log is gone")

    patch.setattr(guards, "reconcile_decisions", fail_to_reconcile)


def lifted(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    slice_.lift_denials()


def denied_by_hand(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    legacy = slice_.work().legacy
    legacy.tell(
        "hold",
        slice_.project.file.rollout.legacy_writes.hold,  # type: ignore[union-attr]
        epoch=slice_.standing.epoch + 1,
        seconds=60,
    )


def feed_stopped(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    slice_.feed(running=0)


def everything(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    """Another slice is rolled out, whose region has the rows of all."""
    slice_.project = load(slice_.folder, "us-east")
    assert slice_.project.file.regions["us-east"].everything
    us_east = dataclasses.replace(slice_.work(), region="us-east")
    perform(us_east, plans.plan_open(us_east), "ops", None, ignore_rollout_events)


def stuck(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    """A switch of the writes that was stopped behind its journal."""

    def no_topics(*_: object) -> None:
        raise ValueError("the topics do not answer")

    with patch.context() as once:
        once.setattr("cutline.rollout.steps.writes.live_ends", no_topics)
        with pytest.raises(RunFailed, match="the topics do not answer"):
            slice_.do("switch writes")


def begun(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    """A run that is not complete."""
    with slice_.control.lease(CONTEXT, REGION) as lease:
        slice_.control.begin(RunKey(CONTEXT, REGION, "run-8", {"run": "run-8"}), T0, lease)


def staged_before_a_model(slice_: RolledOutSlice) -> None:
    """It was staged before cutline.yaml declared a read model."""
    declared = slice_.project
    section = declared.file.rollout.model_copy(update={"read_model": None})
    file = declared.file.model_copy(update={"rollout": section})
    slice_.project = dataclasses.replace(declared, file=file)
    staged(slice_)
    slice_.project = declared


def elsewhere_held(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    """The legacy is a database of which nobody knows its transactions."""
    kind = property(lambda _: "oracle", lambda *_: None)
    patch.setattr(LegacyDatabase, "kind", kind, raising=False)


def by_hand(values: str) -> Callable[[RolledOutSlice, pytest.MonkeyPatch], None]:
    """Somebody changed the row, which no command leaves so."""

    def change(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
        with slice_.control.database.write() as connection:
            connection.execute(text(f"UPDATE cutline_rollouts SET {values}"))

    return change


def moved_later(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    """The control database is one of before a move of the read model."""
    patch.setattr(ReadModel, "newest_move", lambda _: 99)


NOT_OPEN = "the rollout of this slice was never opened"
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    **{"stage": ("run-1",), "mirror": (5,), "switch reads": (None,), "migrate": ("billing",)},
    **dict.fromkeys(
        ("reverse reads", "expand", "contract", "reverse contract", "switch writes"), ()
    ),
    **dict.fromkeys(("reverse writes", "complete", "cancel"), ()),
}
"""Of each command that moves an open rollout, what it may be given."""
FOLLOW_UPS = {"reverse reads": canary, "contract": expanded, "reverse contract": contracted}
READS = {"mirror": staged, "switch reads": staged, "expand": staged_narrow}
TRIALS = [
    *(Trial(c, "open", at_first, NOT_OPEN, rollout("open"), a) for c, a in ARGUMENTS.items()),
    Trial("stage", "open", completed, "was ended: complete", rollout("open"), ("run-1",)),
    *(
        Trial(
            *(c, "idle", read_by_all, "switch writes is under way, at step flip"),
            f"{rollout('resume')} (or: {rollout('cancel')})",
            *(a, stuck),
        )
        for c, a in ARGUMENTS.items()
    ),
    *(
        Trial(
            *(c, "newest row", read_by_all, "change 99 was at the read model"),
            "put back the newest backup of the control database (or: docs/rollout.md)",
            *(a, moved_later),
        )
        for c, a in ARGUMENTS.items()
    ),
    *(
        Trial(c, "writes", written, "writes are new", rollout("reverse writes"), ARGUMENTS[c])
        for c in (*READS, *FOLLOW_UPS, "stage", "switch writes", "cancel")
    ),
    *(
        Trial(c, "writes", read_by_all, "writes are legacy", rollout("switch writes"))
        for c in ("reverse writes", "complete")
    ),
    *(
        Trial(
            c, "release", opened, "no release was staged", f"{rollout('stage')} RUN", ARGUMENTS[c]
        )
        for c in READS
    ),
    *(
        Trial(c, "newest decision", s, "run run-9: no-go", f"{RUN_IT} --again", ARGUMENTS[c], no_go)
        for c, s in {**READS, "switch writes": read_by_all}.items()
    ),
    *(
        Trial(
            c,
            "read model",
            s,
            "row 'o1' was removed by no event",
            f"{rollout('stage')} {run}",
            ARGUMENTS[c],
            foreign_write,
        )
        for c, s, run in (
            *(("mirror", staged, "run-1"), ("switch reads", staged, "run-1")),
            *(("expand", staged_narrow, "narrow"), ("switch writes", read_by_all, "run-1")),
        )
    ),
    Trial(
        *("complete", "read model", written, "row 'o1' was removed by no event"),
        f"{rollout('reverse writes')} (or put the rows back by hand)",
        without=foreign_write,
    ),
    Trial(
        *("mirror", "read model", staged, "its table is gone", f"{rollout('stage')} run-1"),
        *((5,), broken_model),
    ),
    Trial(
        *("mirror", "read model", staged_before_a_model, "before cutline.yaml declared"),
        *(f"{rollout('stage')} run-1", (5,)),
    ),
    *(
        Trial("mirror", "release topics", staged, says, f"{rollout('stage')} run-1", (5,), without)
        for says, without in (
            ("before cutline.yaml asked for topics of its own", settings(release_topics=True)),
            ("customer_order.state is gone", release_topics),
            ("does not answer", unreachable_topics),
        )
    ),
    *(
        Trial(c, "release topics", s, "is gone", f"{rollout('stage')} run-1", a, release_topics)
        for c, s, a in (("switch reads", staged, (None,)), ("switch writes", read_by_all, ()))
    ),
    *(
        Trial(c, "feed", s, "3 records behind", rollout("feed"), ARGUMENTS[c], not_fed)
        for c, s in {**READS, "complete": written}.items()
    ),
    *(
        Trial(c, "one release", s, "show the columns of release 1 as well", rollout("contract"), a)
        for c, s, a in (
            *(
                ("mirror", expanded_and_staged, (5,)),
                ("switch reads", expanded_and_staged, (None,)),
            ),
            *(("expand", expanded_and_staged, ()), ("switch writes", expanded_and_read, ())),
        )
    ),
    *(
        Trial(c, "columns", staged_narrow, ".total", rollout("expand"), ARGUMENTS[c])
        for c in ("mirror", "switch reads")
    ),
    Trial("expand", "columns", staged, "there is nothing to do", rollout("switch reads")),
    Trial("reverse reads", "columns", contracted, ".total", rollout("reverse contract")),
    *(
        Trial(c, "direction", read_by_all, says, gives, a)
        for c, says, gives, a in (
            ("mirror", "reads are new, of release 1", rollout("reverse reads"), (5,)),
            ("switch reads", "nothing would change", None, (None,)),
        )
    ),
    Trial("reverse reads", "reads", staged, "reads are legacy", None),
    Trial("switch writes", "reads", canary, "reads are canary", rollout("switch reads")),
    *(
        Trial(c, "readiness", s, "red", f"cutline readiness {PLACE}", a, red)
        for c, s, a in (("switch reads", staged, (None,)), ("switch writes", read_by_all, ()))
    ),
    Trial("open", "not open", opened, "its rollout is open", f"cutline rollout show {CONTEXT}"),
    Trial(
        *("open", "declared overlap", at_first, "two would decide for one entity"),
        f"cutline rollout show {CONTEXT}",
        without=everything,
    ),
    Trial("stage", "run", opened, "is running", RUN_IT, ("run-8",), begun),
    Trial(
        *("stage", "decision", opened, "its decision is NO-GO", "cutline show run-9 breaks"),
        *(("run-9",), no_go),
    ),
    Trial(
        *("stage", "certificate", opened, "violated: O1", "cutline certify run-1"),
        *(("run-1",), violated),
    ),
    Trial("stage", "publication", opened, "is not read back", RUN_IT, ("run-1",), unpublished),
    Trial("stage", "lake", opened, "timeline was changed", "restore it", ("run-1",), torn_lake),
    Trial("stage", "age", staged, "is of run run-2", f"cutline runs {PLACE}", ("run-1",), older),
    Trial(
        *("stage", "overlap", opened, "1 of customer_order are in us-east too: SO-1"),
        "let the `region` predicates of cutline.yaml tell the slices apart",
        *(("run-1",), common_subjects),
    ),
    Trial(
        *("migrate", "expanded", canary, "columns of one release", rollout("expand")),
        ("billing",),
    ),
    Trial("contract", "expanded", canary, "columns of one release", rollout("expand")),
    Trial("migrate", "reader", expanded, "readers are: billing", None, ("desks",)),
    Trial(
        *("migrate", "dependants", expanded, "bills reads total"),
        "move them to other columns",
        *(("billing",), dependants),
    ),
    Trial(
        *("contract", "dependants", confirmed, "bills reads total"),
        "drop them, contract, and make them again: PostgreSQL keeps a view that is read",
        without=dependants,
    ),
    Trial(
        *("contract", "readers", expanded, "missing: billing"),
        f"cutline rollout migrate {CONTEXT} billing --region {REGION} --by NAME",
    ),
    Trial("reverse contract", "contracted", canary, "no columns of a release before", None),
    Trial(
        *("switch writes", "legacy", read_by_all, "how the legacy refuses writes", EDIT),
        without=settings(legacy_writes=None),
    ),
    Trial(
        *("switch writes", "legacy", read_by_all, "denied failed", MEND),
        without=settings(legacy_writes=SQLITE | {"denied": "SELECT nothing"}),
    ),
    Trial(
        *("switch writes", "legacy", read_by_all, "a denial of epoch 2 stands there"),
        "remove it from the legacy by hand",
        without=denied_by_hand,
    ),
    Trial(
        *("switch writes", "legacy", read_by_all, "legacy_writes.open_transactions", EDIT),
        without=elsewhere_held,
    ),
    *(
        Trial(c, "reverse feed", s, "what brings new writes back", EDIT, (), w)
        for c, s, w in (
            ("switch writes", read_by_all, settings(reverse_feed=None)),
            ("reverse writes", written, settings(reverse_feed=None)),
        )
    ),
    *(
        Trial(c, "reverse feed", s, "it does not run", "start the feed", (), feed_stopped)
        for c, s in (("switch writes", read_by_all), ("reverse writes", written))
    ),
    Trial(
        *("reverse writes", "reverse feed", written, "ready failed", MEND),
        without=settings(reverse_feed={"ready": "SELECT nothing", "drained": "SELECT 1"}),
    ),
    Trial(
        *("complete", "reads", written, "reads are canary", rollout("switch reads")),
        without=by_hand("reads = 'canary', percent = 5"),
    ),
    Trial(
        *("complete", "one release", written, "of release 1 as well", rollout("contract")),
        without=by_hand("expanded = 1"),
    ),
    Trial(
        *("complete", "decisions", written, "1 without authority", rollout("decisions")),
        without=stray,
    ),
    Trial(
        *("complete", "decisions", written, "the log is gone", rollout("decisions")),
        without=unread,
    ),
    Trial(
        *("complete", "denial", written, "is gone from the legacy"),
        f"{rollout('reverse writes')} (or put the denial back by hand)",
        without=lifted,
    ),
    Trial(
        *("complete", "denial", written, "nothing says how the legacy is asked for its denial"),
        f"{rollout('reverse writes')} (or put the denial back by hand)",
        without=settings(legacy_writes=None),
    ),
    Trial(
        *("complete", "denial", written, "denied failed", MEND),
        without=settings(legacy_writes=SQLITE | {"denied": "SELECT nothing"}),
    ),
]


PASSING = {
    **{"open": at_first, "stage": opened, "mirror": staged, "switch reads": staged},
    **{"reverse reads": canary, "expand": staged_narrow, "migrate": expanded},
    **{"contract": confirmed, "reverse contract": contracted, "switch writes": read_by_all},
    **{"reverse writes": written, "complete": written, "cancel": opened},
}
"""Where nothing is missing for a command."""


def narrowing_build(
    self: ReadModel, spark: object, lake: object, version: int, run_id: str, move: int | None = None
) -> ReadModelVersion:
    """One order; the run `narrow` does not know its total."""
    names = ["subject"] if run_id == "narrow" else ["subject", "total"]
    lines = [line_of([*(b"o1", b"10")[: len(names)], None, b"0"])]
    shape = tuple(ReadModelColumn(name=name, type="string") for name in names)
    states = {name: States(shape, 1, lines) for name in self.names.views}
    return self.build_states(states, version, run_id, move)


def standing(folder: Path, stands: Callable[[RolledOutSlice], None]) -> RolledOutSlice:
    """A slice that stands so; a copy of the first that was brought there beside `folder`."""
    first = folder.parent / stands.__name__
    if not first.exists():
        stands(RolledOutSlice(first, read_model=READ_MODEL))
    shutil.copytree(first, folder)
    return RolledOutSlice(folder)


def attempt(slice_: RolledOutSlice, patch: pytest.MonkeyPatch, trial: Trial) -> set[Pair]:
    """The guards that the plan looked at, with its command; the one that is tried has refused it,
    and nothing was changed."""
    trial.without(slice_, patch)
    before = slice_.control.rollout(CONTEXT, REGION)
    plan = slice_.plan(trial.command, *trial.arguments)
    (guard,) = [g for g in plan.guards if g.name == trial.guard]
    assert not guard.passed, trial
    assert trial.says in guard.says, (str(trial), guard.says)
    assert guard.next_command == trial.gives, str(trial)
    if trial.gives is not None and trial.gives.startswith("cutline "):
        check_typed(trial.gives.split(" (")[0])
    with pytest.raises(PlanRefused) as refused:
        perform(slice_.work(), plan, "ops", None, ignore_rollout_events)
    assert f"{guard.name}: {guard.says}" in str(refused.value), trial
    assert slice_.control.rollout(CONTEXT, REGION) == before, trial
    return {(trial.command, g.name) for g in plan.guards}


def behind_return(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    """The guard that is no plan's: what is under way is taken back."""
    stuck(slice_, patch)
    with pytest.raises(PlanRefused) as refused:
        cancel(slice_.work(), "ops", None, ignore_rollout_events)
    assert "point of no return: switch writes is behind it, at step flip" in str(refused.value)
    assert refused.value.next_step == rollout("resume")


def recorded(sites: Sites) -> Callable[..., Guard]:
    """Makes a guard; where it does not pass, keeps the place in the code that made it."""

    def make(**fields: Any) -> Guard:
        guard = Guard(**fields)
        if not guard.passed:
            frame = sys._getframe(1)
            sites.add((Path(frame.f_code.co_filename).name, frame.f_lineno))
        return guard

    return make


def places(module: ModuleType) -> Iterator[tuple[str, int]]:
    """Where a module makes guards that can refuse."""
    assert module.__file__ is not None
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "Guard"
        ):
            (passed,) = [k.value for k in node.keywords if k.arg == "passed"]
            if not (isinstance(passed, ast.Constant) and passed.value is True):
                yield Path(module.__file__).name, node.lineno


@pytest.mark.slow
def test_each_guard_refuses_without_what_it_asks_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sites: Sites = set()
    looked_at: set[Pair] = set()
    with_literal_read_models(monkeypatch)
    monkeypatch.setattr(ReadModel, "build", narrowing_build)
    for module in MODULES:
        monkeypatch.setattr(module, "Guard", recorded(sites))
    for command, stands in PASSING.items():
        plan = standing(tmp_path / command, stands).plan(command, *ARGUMENTS.get(command, ()))
        assert not plan.refused, command
        looked_at |= {(command, guard.name) for guard in plan.guards}
    sites.clear()
    for number, trial in enumerate(TRIALS):
        with monkeypatch.context() as patch:
            looked_at |= attempt(standing(tmp_path / str(number), trial.stands), patch, trial)
    behind_return(standing(tmp_path / "last", read_by_all), monkeypatch)
    tried = {(trial.command, trial.guard) for trial in TRIALS}
    # What was written since is told, and stops nobody who goes back.
    assert looked_at - tried == {
        ("reverse reads", "written since"),
        ("reverse writes", "read model"),
        ("reverse writes", "written since"),
    }
    assert {command for command, _ in tried} == set(PASSING) == set(get_args(Command))
    assert {place for module in MODULES for place in places(module)} == sites
