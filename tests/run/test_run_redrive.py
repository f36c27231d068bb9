"""From which run a re-drive goes on, and what is refused before anything is started."""

from __future__ import annotations

import dataclasses
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from cutline.control import Control, RunRecord
from cutline.errors import ConfigurationError, RunFailed
from cutline.project import LoadedProject
from cutline.results import EXTRACT, TRANSLATE, ExtractResult, TranslateResult
from cutline.run.naming import run_key
from cutline.run.redrive import (
    base_of_redrive,
    inputs_of_base,
    redrive_key,
    refuse_overtaken,
)
from cutline.sources import digest_sources
from cutline.stages.redrive import ExceptionSelection
from cutline.translator import Translation
from support.late_orders import SHOP, Orders
from support.recorded import T0
from support.shop_project import project_without_changes


class Later(Orders):
    """A later version."""

    version = "1.1.0"

    @classmethod
    def name(cls) -> str:
        """That of all versions."""
        return Orders.name()


class Next(Later):
    """One that means something else."""

    version = "2.0.0"


def translation(translator: type[Orders]) -> Translation:
    return Translation("late-orders", translator.version, SHOP, (translator,))


FIRST, LATER, NEXT = map(translation, (Orders, Later, Next))


@pytest.fixture
def project(tmp_path: Path) -> LoadedProject:
    return project_without_changes(tmp_path / "shop")


@pytest.fixture
def control(project: LoadedProject) -> Control:
    return Control.open(project.file.control, project.folder)


def record(
    project: LoadedProject,
    control: Control,
    made_by: Translation,
    *,
    redriven: bool = False,
    **inputs: Any,
) -> RunRecord:
    """A complete run of the inputs as they are now."""
    positions = digest_sources(project, made_by, "all")
    key = run_key(project, made_by, "all", positions)
    if inputs:
        number = len(control.runs("shop", "all"))
        run_id = f"{key.run_id}-{number}"
        key = dataclasses.replace(key, run_id=run_id, inputs=dict(key.inputs) | inputs)
    with control.lease("shop", "all") as lease:
        control.begin(key, T0, lease)
        for name, result in (
            (EXTRACT, ExtractResult(rows_in=0, rows_out=0)),
            (TRANSLATE, TranslateResult(rows_in=0, rows_out=0, redriven=redriven)),
        ):
            control.stage_started(key.run_id, name, lease)
            control.stage_done(key.run_id, name, result, "d" * 32, 1.0, lease)
        control.complete(key.run_id, lease)
    stored = control.run(key.run_id)
    assert stored is not None
    return stored


def test_the_newest_complete_run_of_another_version_is_gone_on_from(
    project: LoadedProject, control: Control
) -> None:
    first_run = record(project, control, FIRST)
    assert base_of_redrive(control, project, LATER, "all").run_id == first_run.run_id
    key = redrive_key(project, LATER, "all", first_run, ExceptionSelection(rules=("no-buyer",)))
    by_ids = redrive_key(project, LATER, "all", first_run, ExceptionSelection(ids=("a", "b")))
    assert len({first_run.run_id, key.run_id, by_ids.run_id}) == 3
    assert key.inputs["redrive"] == {"from": first_run.run_id, "rules": ["no-buyer"]}
    assert key.inputs["positions"] == first_run.inputs["positions"]


def test_another_major_is_gone_on_to_though_cutline_yaml_says_so(
    project: LoadedProject, control: Control
) -> None:
    first_run = record(project, control, FIRST)
    contexts = {
        "shop": project.file.contexts["shop"].model_copy(
            update={
                "translation": project.file.contexts["shop"].translation.model_copy(
                    update={"major": 2}
                )
            }
        )
    }
    changed = dataclasses.replace(
        project, file=project.file.model_copy(update={"contexts": contexts})
    )
    assert base_of_redrive(control, changed, NEXT, "all").run_id == first_run.run_id


def test_without_a_complete_run_there_is_nothing_to_redrive(
    project: LoadedProject, control: Control
) -> None:
    for database in (None, control):
        with pytest.raises(ConfigurationError, match="No run of shop all is complete"):
            base_of_redrive(database, project, LATER, "all")


def test_the_very_version_would_give_the_same_but_over_a_mixed_run(
    project: LoadedProject, control: Control
) -> None:
    record(project, control, LATER)
    with pytest.raises(ConfigurationError, match="its exceptions would come again"):
        base_of_redrive(control, project, LATER, "all")
    mixed = record(project, control, LATER, redriven=True, redrive={"from": "x"})
    assert base_of_redrive(control, project, LATER, "all").run_id == mixed.run_id


def test_a_lower_version_is_refused(project: LoadedProject, control: Control) -> None:
    record(project, control, NEXT, configuration=project.digest)
    with pytest.raises(ConfigurationError, match=r"has version 1\.1\.0, but run .* used 2\.0\.0"):
        base_of_redrive(control, project, LATER, "all")


@pytest.mark.parametrize(
    "inputs", [{"configuration": "other"}, {"cut": {"policy": "x"}}, {"cutline": "0"}]
)
def test_what_else_changed_is_refused(
    project: LoadedProject, control: Control, inputs: dict[str, Any]
) -> None:
    record(project, control, FIRST, **inputs)
    with pytest.raises(ConfigurationError, match="cannot be re-driven by themselves"):
        base_of_redrive(control, project, LATER, "all")
    allowed = {"waivers": [], "discarded": [], "questions": {}, "older_shapes": {"a": "b"}}
    first_run = record(project, control, FIRST, **allowed)
    assert base_of_redrive(control, project, LATER, "all").run_id == first_run.run_id


def test_truth_of_another_moment_is_refused_and_new_changes_are_not(
    project: LoadedProject, control: Control
) -> None:
    first_run = record(project, control, FIRST)
    # They are not even looked at: they may be gone.
    (project.folder / "changes.jsonl").unlink()
    with inputs_of_base(project, LATER, "all", first_run) as inputs:
        assert inputs.positions == first_run.inputs["positions"]
    with sqlite3.connect(project.folder / "now.db") as legacy:
        legacy.execute("INSERT INTO orders VALUES (99, 1)")
    with (
        pytest.raises(ConfigurationError, match=r"web\.truth: what the legacy says is of another"),
        inputs_of_base(project, LATER, "all", first_run),
    ):
        pass


def test_a_run_that_was_completed_meanwhile_is_not_passed_over(
    project: LoadedProject, control: Control
) -> None:
    first_run = record(project, control, FIRST)
    key = redrive_key(project, LATER, "all", first_run, ExceptionSelection())
    refuse_overtaken(control, key, first_run)
    record(project, control, FIRST, waivers=["other"])
    with pytest.raises(RunFailed, match="was completed while the re-drive over"):
        refuse_overtaken(control, key, first_run)
