"""Rows of the control database that somebody edited, or half restored: each command that reads one
names it and ends, and slices whose rows are whole are not concerned."""

from __future__ import annotations

import dataclasses
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyspark.sql import SparkSession

from cutline import Project
from cutline.control import DamagedRow
from cutline.control.plan import STEP_NAMES
from cutline.errors import CutlineError
from cutline.project import LoadedProject
from cutline.rollout import RolloutWork, ignore_rollout_events, overlap, perform, plans
from cutline.rollout.guards import no_declared_overlap
from cutline.rollout.steps import STEPS
from cutline.run.moved import refuse_moved, refuse_moved_subjects
from support.command_line import CommandLine
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, without_spark
from support.subject_lake import SubjectLake

ELSEWHERE = "us-east"
SLICE = f"{CONTEXT} --region {REGION}"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two slices that are rolled out: of the first `mirror` is under way, the second is idle."""
    folder = tmp_path_factory.mktemp("whole") / "project"
    with pytest.MonkeyPatch.context() as patch:
        without_spark(patch)
        slice_ = RolledOutSlice(folder)
        content = yaml.safe_load((folder / "cutline.yaml").read_text("utf-8"))
        content["regions"][ELSEWHERE] = {}
        (folder / "cutline.yaml").write_text(yaml.safe_dump(content), "utf-8")
        slice_ = RolledOutSlice(folder)
        slice_.run("east-1", region=ELSEWHERE)
        for command, arguments in (("open", []), ("stage", ["east-1"]), ("mirror", [10])):
            elsewhere(slice_, command, *arguments)
        slice_.do("open")
        slice_.do("stage", "run-1")
        slice_.do("switch reads", 20)
        patch.setitem(STEPS, "set-reads", dataclasses.replace(STEPS["set-reads"], perform=failing))
        with pytest.raises(CutlineError):
            slice_.do("switch reads", 30)
        slice_.run("run-2")
        with slice_.control.lease(CONTEXT, REGION) as lease:
            slice_.control.take_snapshot("march", "run-1", "ops", "", lease)
    write(folder, INSERTED)
    return folder


def failing(*_: object) -> None:
    raise RuntimeError("it fails")


def elsewhere(slice_: RolledOutSlice, command: str, *arguments: Any) -> None:
    """Plans and performs a command of the other slice."""

    def work() -> Any:
        rollout = slice_.control.rollout(CONTEXT, ELSEWHERE)
        return dataclasses.replace(slice_.work(), region=ELSEWHERE, rollout=rollout)

    plan = getattr(plans, f"plan_{command.replace(' ', '_')}")(work(), *arguments)
    perform(work(), plan, "ops", None, ignore_rollout_events)


OF_SLICE = f"context = '{CONTEXT}' AND region = '{REGION}'"
INSERTED = f"""
INSERT INTO cutline_evidence
    (context, region, number, kind, command, run_id, translators, made_by, begun_at, finished_at,
     outcome, figures, removed_at)
VALUES ('{CONTEXT}', '{REGION}', 1, 'rehearsal', 'cutline rehearse', 'run-1', '{{}}', 'ops',
     '2026-11-01 00:00:00.000000', '2026-11-01 00:00:00.000000', 'failed', '{{}}',
     '2026-11-01 00:00:00.000000');
INSERT INTO cutline_triage (context, region, number, rule, owner, made_by, at)
VALUES ('{CONTEXT}', '{REGION}', 1, 'late', 'desk', 'ops', '2026-11-01 00:00:00.000000');
INSERT INTO cutline_trends VALUES ('run-2', 'state', NULL, 1, 0, 0, 0, 0, 0, 0);
INSERT INTO cutline_publications
    (run_id, topic, "partition", begun_at, begins, standing, differing, withdrawn)
VALUES ('run-1', 'retail.fulfilment.order', 0, '2026-11-01 00:00:00.000000', 0, 0, 0, 0);
INSERT INTO cutline_backfills
    (number, origin, document, status, asked_at, attempts, failures)
VALUES (1, 'call', '{{}}', 'queued', '2026-11-01 00:00:00.000000', 0, 0);
"""


def write(folder: Path, statements: str) -> None:
    """Changes the control database as somebody would who knows better than it."""
    with closing(sqlite3.connect(folder / "control.db")) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.executescript(statements)


def dump(folder: Path) -> list[str]:
    """All rows but those of leases."""
    with closing(sqlite3.connect(folder / "control.db")) as connection:
        return [line for line in connection.iterdump() if '"cutline_slices"' not in line]


@dataclasses.dataclass(frozen=True)
class Damage:
    """What a column of a table was changed to, as SQL has it, and how its row and value are told."""

    table: str
    column: str
    value: str
    says: str
    where: str = OF_SLICE
    key: str = f"context {CONTEXT!r}, region {REGION!r}"

    def __str__(self) -> str:
        return f"{self.table}.{self.column}={self.value[:24]}"

    def apply(self, folder: Path) -> None:
        write(folder, f"UPDATE {self.table} SET {self.column} = {self.value} WHERE {self.where};")


def plan_with(path: str, value: str) -> str:
    return f"json_set(plan, '{path}', json('{value}'))"


ROLLOUTS = [
    ("reads", "'newest'", "'newest'"),
    ("writes", "'nobody'", "'nobody'"),
    ("percent", "'many'", "'many'"),
    ("percent", "2000", "2000"),
    ("epoch", "'one'", "'one'"),
    ("version", "X'00'", "b'\\x00'"),
    ("staged", "77", "77"),
    ("release", "77", "77"),
    ("release", "'first'", "'first'"),
    ("previous", "77", "77"),
    ("expanded", "1.5", "1.5"),
    ("denial", "'x'", "'x'"),
    ("ending", "'gone'", "'gone'"),
    ("changed_at", "'yesterday'", "'yesterday'"),
    ("opened_at", "5", "5"),
    ("step", "NULL", "null"),
    ("step", "'jump'", "'jump'"),
    ("plan", "NULL", "null"),
    ("plan", "'{\"plan\": '", "no JSON"),
    ("plan", "'[]'", "[]"),
    ("plan", "'{}'", "plan"),
    ("plan", plan_with("$.plan.command", '"jump"'), "plan.command"),
    ("plan", plan_with("$.plan.steps", "[]"), "steps"),
    ("plan", plan_with("$.plan.arguments", "{}"), "arguments"),
    ("plan", plan_with("$.evidence", "7"), "evidence"),
]
RELEASES = [
    ("positions", "'?'", "no JSON"),
    ("positions", '\'{"t": {"0": "end"}}\'', "end"),
    ("read_model", "'[1]'", "[1]"),
    ("timeline_digest", "X'ff'", "b'\\xff'"),
    ("run_id", "NULL", "null"),
    ("staged_at", "'noon'", "'noon'"),
]
LEDGER = [
    ("event", "'lost'", "'lost'"),
    ("evidence", "'{'", "no JSON"),
    ("evidence", "'[]'", "[]"),
    ("writes", "'nobody'", "'nobody'"),
    ("epoch", "'x'", "'x'"),
    ("changed_at", "'x'", "'x'"),
]
RUNS = [
    ("status", "'lost'", "'lost'"),
    ("decision", "'maybe'", "'maybe'"),
    ("created_at", "'x'", "'x'"),
    ("inputs", "'{'", "no JSON"),
    ("inputs", "'[]'", "[]"),
]
STAGES = [
    ("status", "'lost'", "'lost'"),
    ("result", "'{'", "no JSON"),
    ("result", "'{}'", "facts"),
    ("seconds", "'x'", "'x'"),
    ("started_at", "'x'", "'x'"),
]
EVIDENCE = [
    ("outcome", "'good'", "'good'"),
    ("translators", "'[]'", "[]"),
    ("figures", "'7'", "7"),
    ("begun_at", "'x'", "'x'"),
]

OF_ROW = {
    "cutline_releases": (f"{OF_SLICE} AND release = 1", ", release 1"),
    "cutline_rollout_ledger": (f"{OF_SLICE} AND version = 2", ", version 2"),
    "cutline_evidence": (OF_SLICE, ", number 1"),
    "cutline_triage": (OF_SLICE, ", number 1"),
    "cutline_snapshots": (OF_SLICE, ", name 'march'"),
}


def of(table: str, column: str, value: str, says: str) -> Damage:
    damage = Damage(table, column, value, says)
    where, more = OF_ROW.get(table, (OF_SLICE, ""))
    return dataclasses.replace(damage, where=where, key=damage.key + more)


DAMAGES = [
    *(of("cutline_rollouts", *damage) for damage in ROLLOUTS),
    *(of("cutline_releases", *damage) for damage in RELEASES),
    *(of("cutline_rollout_ledger", *damage) for damage in LEDGER),
    *(of("cutline_evidence", *damage) for damage in EVIDENCE),
    of("cutline_triage", "at", "'x'", "'x'"),
    of("cutline_triage", "rule", "NULL", "null"),
    of("cutline_snapshots", "taken_at", "'x'", "'x'"),
    *(Damage("cutline_runs", *damage, "run_id = 'run-2'", "run_id 'run-2'") for damage in RUNS),
    *(
        Damage(
            *("cutline_stages", *damage),
            "run_id = 'run-2' AND name = 'project'",
            "run_id 'run-2', name 'project'",
        )
        for damage in STAGES
    ),
    Damage(
        *("cutline_trends", "open", "'x'", "'x'"),
        *("run_id = 'run-2'", "run_id 'run-2', level 'state'"),
    ),
    Damage(
        *("cutline_publications", "begins", "'x'", "'x'"),
        *("run_id = 'run-1'", "run_id 'run-1', topic 'retail.fulfilment.order', partition 0"),
    ),
    Damage("cutline_slices", "epoch", "'x'", "'x'"),
    Damage("cutline_slices", "authority", "'x'", "'x'"),
]

COMMANDS = {
    "cutline_rollouts": (
        f"rollout show {SLICE}",
        f"rollout open {SLICE}",
        f"rollout stage {SLICE} run-2",
        f"rollout mirror {SLICE} 10",
        f"rollout switch reads {SLICE}",
        f"rollout switch writes {SLICE}",
        f"rollout reverse reads {SLICE}",
        f"rollout reverse writes {SLICE}",
        f"rollout expand {SLICE}",
        f"rollout resume {SLICE}",
        f"rollout resume {SLICE} --dry-run",
        f"rollout cancel {SLICE}",
        f"rollout complete {SLICE}",
        f"rollout feed {SLICE}",
    ),
    "cutline_releases": (
        f"rollout show {SLICE}",
        f"rollout ledger {SLICE} --json",
        f"rollout stage {SLICE} run-2",
        f"readiness {SLICE}",
    ),
    "cutline_rollout_ledger": (
        f"rollout show {SLICE}",
        f"rollout ledger {SLICE}",
        f"rollout decisions {SLICE}",
        f"rollout settle {SLICE} o-1 --why fine",
        f"readiness {SLICE}",
    ),
    "cutline_runs": (
        f"rollout show {SLICE}",
        f"runs {SLICE}",
        "show run-2 breaks",
        "clean --keep 1",
        "metrics",
        f"readiness {SLICE}",
    ),
    "cutline_stages": (f"rollout show {SLICE}", f"runs {SLICE}", "show run-2 breaks", "metrics"),
    "cutline_evidence": (f"rollout show {SLICE}", f"readiness {SLICE}"),
    "cutline_triage": (f"exceptions list {SLICE}",),
    "cutline_snapshots": (f"snapshot list {SLICE}", "clean --keep 1"),
    "cutline_trends": (f"rollout show {SLICE}", "metrics"),
    "cutline_publications": (f"publications {SLICE}", "metrics"),
    "cutline_slices": ("status", "clean --keep 1"),
}
FIRST = {damage.table: damage for damage in reversed(DAMAGES)}
CASES = [
    (line, damage)
    for damage in DAMAGES
    for line in COMMANDS[damage.table][: None if FIRST[damage.table] == damage else 1]
]
"""Every damage with one command that reads the row, and one damage of each table with all."""


@pytest.fixture
def project(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    without_spark(monkeypatch)
    return shutil.copytree(whole, tmp_path / "project")


@pytest.mark.parametrize(("line", "damage"), CASES, ids=[f"{d}-{c}" for c, d in CASES])
def test_who_reads_a_damaged_row_names_it(
    project: Path, command_line: CommandLine, line: str, damage: Damage
) -> None:
    damage.apply(project)
    before = dump(project)
    ended = command_line(*line.split(), "--project", project)
    stderr = " ".join(ended.stderr.split())
    assert "did not expect" not in stderr
    assert not (project / ".cutline").exists()
    assert ended.returncode == 2
    row = (
        f"{project / 'control.db'}: table {damage.table}, row {damage.key}: column {damage.column}"
    )
    assert row in stderr
    assert damage.says in stderr
    assert "next: Restore" in stderr
    assert dump(project) == before


def show(command_line: CommandLine, project: Path) -> tuple[int, str, str]:
    shown = command_line("rollout", "show", "--project", project)
    return shown.returncode, shown.stdout, " ".join(shown.stderr.split())


def test_the_board_shows_the_others_and_names_the_damaged_one(
    project: Path, command_line: CommandLine
) -> None:
    of("cutline_rollouts", "reads", "'newest'", "").apply(project)
    code, out, err = show(command_line, project)
    lines = {tuple(line.split()[:2]): line.split()[2:] for line in out.splitlines()}
    assert code == 2
    assert lines[CONTEXT, REGION] == ["damaged", "unknown", "unknown"]
    assert lines[CONTEXT, ELSEWHERE][:4] == ["open", "mirror", "10", "%"]
    assert "table cutline_rollouts, row context 'fulfilment', region 'eu-west': column reads" in err
    assert f"rollout switch reads {CONTEXT} --region {ELSEWHERE}" in out
    assert f"--region {REGION}" not in out
    damaged, healthy = Project(project).rollouts()
    assert (damaged.stands, damaged.writes, damaged.epoch) == ("damaged", "unknown", None)
    assert damaged.as_json()["damage"] == str(damaged.damage).splitlines()[0]
    assert (healthy.damage, healthy.as_json()["damage"]) == (None, None)


def test_a_board_without_damage_ends_well(project: Path, command_line: CommandLine) -> None:
    code, out, err = show(command_line, project)
    assert (code, err) == (0, "")
    assert "damaged" not in out


def test_a_damaged_slice_that_is_declared_no_more_is_shown(
    project: Path, command_line: CommandLine
) -> None:
    content = yaml.safe_load((project / "cutline.yaml").read_text("utf-8"))
    del content["regions"][REGION]
    (project / "cutline.yaml").write_text(yaml.safe_dump(content), "utf-8")
    of("cutline_rollouts", "ending", "'gone'", "").apply(project)
    code, out, err = show(command_line, project)
    assert code == 2
    assert "column ending holds 'gone'" in err
    assert f"{CONTEXT}/{REGION} is not in cutline.yaml any more" in out


def test_a_snapshot_that_cannot_be_read_can_be_dropped(
    project: Path, command_line: CommandLine
) -> None:
    of("cutline_snapshots", "taken_at", "'x'", "").apply(project)
    listed = command_line("snapshot", "list", *SLICE.split(), "--project", project)
    says = " ".join(listed.stderr.split())
    command = f"snapshot drop {CONTEXT} march --region {REGION}"
    assert f"Or remove it: cutline {command}" in says
    assert command_line(*command.split(), "--project", project).returncode == 0
    assert command_line("snapshot", "list", *SLICE.split(), "--project", project).returncode == 0


def test_numbers_are_those_of_the_other_slices(project: Path, command_line: CommandLine) -> None:
    of("cutline_rollouts", "reads", "'newest'", "").apply(project)
    shown = command_line("metrics", "--project", project)
    assert shown.returncode == 2
    assert "column reads holds 'newest'" in shown.stderr
    assert f'slice="{ELSEWHERE}"' in shown.stdout
    assert f'slice="{REGION}"' not in shown.stdout
    file = project / "numbers.prom"
    assert command_line("metrics", "--out", file, "--project", project).returncode == 2
    assert f'slice="{ELSEWHERE}"' in file.read_text("utf-8")


HEALTHY = [
    f"rollout show {CONTEXT} --region {ELSEWHERE}",
    f"rollout switch reads {CONTEXT} --region {ELSEWHERE} 50",
    f"rollout mirror {CONTEXT} --region {ELSEWHERE} 20",
    f"rollout cancel {CONTEXT} --region {ELSEWHERE}",
    f"rollout ledger {CONTEXT} --region {ELSEWHERE} --json",
    f"runs {CONTEXT} --region {ELSEWHERE}",
    f"publications {CONTEXT} --region {ELSEWHERE}",
    f"readiness {CONTEXT} --region {ELSEWHERE}",
    f"clean --keep 1 --region {ELSEWHERE}",
    f"snapshot list {CONTEXT} --region {ELSEWHERE}",
]
ONE_OF_EACH = [
    next(d for d in reversed(DAMAGES) if d.table == table)
    for table in COMMANDS
    if table != "cutline_slices"
]


@pytest.mark.parametrize("line", HEALTHY)
def test_commands_of_a_slice_whose_rows_are_whole_end_as_ever(
    project: Path, command_line: CommandLine, line: str
) -> None:
    whole = command_line(*line.split(), "--project", shutil.copytree(project, f"{project}-whole"))
    for damage in ONE_OF_EACH:
        damage.apply(project)
    ended = command_line(*line.split(), "--project", project)
    assert (ended.returncode, ended.stderr) == (whole.returncode, whole.stderr)
    assert "damaged" not in ended.stdout


def test_a_run_asks_for_the_rollouts_that_could_have_its_rows_alone(project: Path) -> None:
    slice_ = RolledOutSlice(project)
    of("cutline_rollouts", "writes", "'nobody'", "").apply(project)
    refuse_moved(slice_.control, slice_.project, CONTEXT, ELSEWHERE)
    with pytest.raises(DamagedRow, match="column writes holds 'nobody'"):
        refuse_moved(slice_.control, slice_.project, CONTEXT, REGION)
    wide = declared_wide(slice_)
    with pytest.raises(DamagedRow, match="region 'eu-west': column writes holds 'nobody'"):
        refuse_moved(slice_.control, wide, CONTEXT, ELSEWHERE)


@pytest.mark.spark
def test_a_run_publishes_beside_a_damaged_slice_unless_a_release_of_it_has_its_subjects(
    project: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    slice_ = RolledOutSlice(project)
    context = slice_.work().translation.context
    of("cutline_rollouts", "writes", "'nobody'", "").apply(project)
    released = SubjectLake(["o-1", "o-2"])
    monkeypatch.setattr("cutline.run.overlap.session", lambda _: spark)
    monkeypatch.setattr("cutline.run.overlap.lake_of", lambda *_: released)
    place = (slice_.control, slice_.project, context, ELSEWHERE)
    refuse_moved_subjects(*place, SubjectLake(["o-3"]))
    with pytest.raises(DamagedRow, match="region 'eu-west': column writes holds 'nobody'"):
        refuse_moved_subjects(*place, SubjectLake(["o-2", "o-3"]))


def declared_wide(slice_: RolledOutSlice) -> LoadedProject:
    """The project in which the other region has the rows of all others."""
    regions = dict(slice_.project.file.regions)
    regions[ELSEWHERE] = regions[ELSEWHERE].model_copy(update={"everything": True})
    file = slice_.project.file.model_copy(update={"regions": regions})
    return dataclasses.replace(slice_.project, file=file)


def test_who_could_have_the_rows_of_a_damaged_slice_says_so(project: Path) -> None:
    slice_ = RolledOutSlice(project)
    of("cutline_rollouts", "writes", "'nobody'", "").apply(project)
    rollout = slice_.control.rollout(CONTEXT, ELSEWHERE)
    work = RolloutWork(
        project=slice_.project,
        control=slice_.control,
        context=CONTEXT,
        region=ELSEWHERE,
        carry_on=lambda say: pytest.fail("nothing is carried on"),
        say=lambda _: None,
        rollout=rollout,
    )
    assert no_declared_overlap(work).passed
    with pytest.raises(DamagedRow, match="column writes holds 'nobody'"):
        no_declared_overlap(dataclasses.replace(work, project=declared_wide(slice_)))
    record = slice_.control.run("east-1")
    assert record is not None
    # Whether it has subjects in common nobody knows who cannot tell what that slice released.
    with pytest.raises(DamagedRow, match="column writes holds 'nobody'"):
        overlap.overlaps(work, record)


def test_every_step_has_a_name_that_a_plan_may_have() -> None:
    assert set(STEP_NAMES) == set(STEPS)
