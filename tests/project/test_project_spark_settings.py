"""Spark settings on which results depend are refused in cutline.yaml, before any work."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutline import Project
from cutline.errors import EXIT_USAGE, ConfigurationError
from cutline.project import load
from cutline.project.spark_settings import REQUIRED
from support.sample_project import document, write
from support.spark_settings import REFUSED_SETTINGS


def test_every_setting_that_a_session_must_have_is_refused_by_key(tmp_path: Path) -> None:
    assert set(REFUSED_SETTINGS) == set(REQUIRED)
    folder = write(
        tmp_path, {**document(), "spark": {"conf": {**REFUSED_SETTINGS, "spark.ui.port": "1"}}}
    )
    with pytest.raises(ConfigurationError) as refused:
        load(folder)
    assert refused.value.exit_code == EXIT_USAGE
    assert refused.value.what.splitlines() == [
        f"cutline.yaml: spark.conf.{key}: is {value}, and must be {REQUIRED[key][0]}: "
        "results depend on it."
        for key, value in REFUSED_SETTINGS.items()
    ]
    assert refused.value.next_step == f"Leave it out of {folder / 'cutline.yaml'}, or set it so."


@pytest.mark.parametrize(("key", "values"), REQUIRED.items())
def test_the_values_that_it_may_have_are_taken(
    tmp_path: Path, key: str, values: tuple[str, ...]
) -> None:
    for value in (*values, values[0].swapcase()):
        write(tmp_path, {**document(), "spark": {"conf": {key: value}}})
        assert load(tmp_path).file.spark.conf == {key: value}


def test_a_setting_of_a_region_is_named_there_in_a_check_too(tmp_path: Path) -> None:
    content = document()
    conf = {"spark.sql.ansi.enabled": "false"}
    content["regions"]["eu-west"] = {"override": {"spark": {"conf": conf}}}
    project = Project.open(write(tmp_path, content))
    line = (
        "cutline.yaml: regions.eu-west.override.spark.conf.spark.sql.ansi.enabled: is false, and "
        "must be true: results depend on it."
    )
    with pytest.raises(ConfigurationError, match="ansi"):
        project.run("fulfilment", region="eu-west")
    assert line in project.check().problems


def test_a_check_and_a_run_refuse_it_before_any_work(tmp_path: Path) -> None:
    conf = {"spark.sql.ansi.enabled": "false"}
    project = Project.open(write(tmp_path, {**document(), "spark": {"conf": conf}}))
    for act in (project.check, project.status, lambda: project.profile("erp.orders")):
        with pytest.raises(ConfigurationError, match=r"spark\.conf\.spark\.sql\.ansi\.enabled"):
            act()
    assert [path.name for path in tmp_path.iterdir()] == ["cutline.yaml"]
