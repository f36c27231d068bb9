"""A run that another of other inputs overtook stands for its slice again once it is made again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from cutline.control import Control, newest_complete
from cutline.project import LoadedProject, load
from cutline.run.again import overtaken_by
from cutline.run.inputs import frozen_run
from cutline.run.past import workspace_of
from cutline.translator import Translation
from support.late_orders import SHOP, Orders
from support.recorded import T0
from support.shop_project import project_without_changes


class Next(Orders):
    """What means something else."""

    version = "2.0.0"


FIRST, NEXT = (Translation("orders", o.version, SHOP, (o,)) for o in (Orders, Next))


@pytest.fixture
def project(tmp_path: Path) -> LoadedProject:
    return project_without_changes(tmp_path / "shop")


@pytest.fixture
def control(project: LoadedProject) -> Control:
    return Control.open(project.file.control, project.folder)


def run(
    project: LoadedProject,
    control: Control,
    translation: Translation,
    *,
    again: bool = False,
    complete: bool = True,
) -> str:
    """The id of the run that the command makes, after which it is complete."""
    with (
        frozen_run(project, translation, "all", again=again) as (key, _),
        control.lease("shop", "all") as lease,
    ):
        control.begin(key, T0, lease)
        if complete:
            control.complete(key.run_id, lease)
        return key.run_id


def newest(control: Control) -> str | None:
    record = newest_complete(control.runs("shop", "all"))
    return None if record is None else record.run_id


def overtaking(control: Control, run_id: str) -> str | None:
    record = control.run(run_id)
    assert record is not None
    return overtaken_by(control, record)


def test_a_run_of_settings_that_were_set_back_is_the_newest_once_it_is_made_again(
    project: LoadedProject, control: Control
) -> None:
    first = run(project, control, FIRST)
    second = run(project, control, NEXT)
    assert run(project, control, FIRST) == first
    assert (newest(control), overtaking(control, first)) == (second, second)
    third = run(project, control, FIRST, again=True)
    assert third not in (first, second)
    assert (newest(control), overtaking(control, third)) == (third, None)


def test_the_same_again_is_the_run_that_was_made_again(
    project: LoadedProject, control: Control
) -> None:
    run(project, control, FIRST)
    run(project, control, NEXT)
    third = run(project, control, FIRST, again=True)
    assert run(project, control, FIRST) == run(project, control, FIRST, again=True) == third
    back = run(project, control, NEXT, again=True)
    assert newest(control) == back
    assert run(project, control, FIRST, again=True) != third
    assert len(control.runs("shop", "all")) == 5


def test_nothing_is_made_again_that_no_run_overtook(
    project: LoadedProject, control: Control
) -> None:
    first = run(project, control, FIRST, again=True)
    assert run(project, control, FIRST, again=True) == first
    run(project, control, NEXT, complete=False)
    assert run(project, control, FIRST, again=True) == first


def test_what_was_killed_while_it_was_made_again_is_gone_on_with(
    project: LoadedProject, control: Control
) -> None:
    run(project, control, FIRST)
    run(project, control, NEXT)
    third = run(project, control, FIRST, again=True, complete=False)
    assert run(project, control, FIRST) == third
    assert newest(control) == third


def test_a_run_that_was_killed_before_another_overtook_it_is_made_again(
    project: LoadedProject, control: Control
) -> None:
    first = run(project, control, FIRST, complete=False)
    run(project, control, NEXT)
    assert run(project, control, FIRST) == first
    third = run(project, control, FIRST, again=True)
    assert third != first
    assert newest(control) == third


def test_in_another_folder_it_has_the_same_name(
    project: LoadedProject, control: Control, tmp_path: Path
) -> None:
    run(project, control, FIRST)
    run(project, control, NEXT)
    copy = load(shutil.copytree(project.folder, tmp_path / "copy"), "all")
    of_copy = Control.open(copy.file.control, copy.folder)
    expected = run(project, control, FIRST, again=True)
    assert run(copy, of_copy, FIRST, again=True) == expected


def test_what_it_was_made_of_is_known(
    project: LoadedProject, control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cutline.run.past.choose_translation", lambda *_: FIRST)
    run(project, control, FIRST)
    run(project, control, NEXT)
    record = control.run(run(project, control, FIRST, again=True))
    assert record is not None
    assert workspace_of(project, record).run_id == record.run_id
