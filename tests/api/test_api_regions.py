"""A value that stands only in the regions' overrides is no value that is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cutline import Project
from cutline.errors import ConfigurationError
from cutline.project import load_recorded, load_shared, slices
from support.sample_project import document, write


@pytest.fixture
def content() -> dict[str, Any]:
    """The sample project, in which only the regions say where history ends."""
    content = document()
    cut = content["contexts"]["fulfilment"].pop("cut")
    for name, section in content["regions"].items():
        later = {**cut, "at": f"2026-11-0{len(name) % 9}T06:00:00Z"}
        section["override"] = {"contexts": {"fulfilment": {"cut": later}}}
    return content


def test_what_is_asked_of_all_regions_needs_no_value_of_one(
    tmp_path: Path, content: dict[str, Any]
) -> None:
    project = Project.open(write(tmp_path, content))
    overviews = [(line.context, line.region, line.status) for line in project.status()]
    assert overviews == [
        ("fulfilment", "eu-west", "never run"),
        ("fulfilment", "us-east", "never run"),
    ]
    assert list(project.runs("fulfilment", region="eu-west")) == []
    for ask in (
        lambda: project.find_run(region="eu-west"),
        lambda: project.explain("1", region="eu-west"),
        lambda: project.explain_cluster("1", region="eu-west"),
        lambda: project.waive("1", region="eu-west"),
    ):
        with pytest.raises(ConfigurationError, match="There was no run of fulfilment eu-west yet"):
            ask()


def test_a_check_asks_each_region_for_the_whole(tmp_path: Path, content: dict[str, Any]) -> None:
    report = Project.open(write(tmp_path, content)).check()
    assert "cutline.yaml: its defaults" not in report.good
    assert not [line for line in report.problems if "contexts.fulfilment.cut" in line]
    content["regions"]["us-east"].pop("override")
    report = Project.open(write(tmp_path, content)).check()
    assert "cutline.yaml: contexts.fulfilment.cut: is missing." in str(report.problems)


def test_a_value_that_no_region_has_is_missing(tmp_path: Path, content: dict[str, Any]) -> None:
    content.pop("sources")
    with pytest.raises(ConfigurationError, match="sources: is missing"):
        load_shared(write(tmp_path, content))


def test_a_recorded_run_is_seen_as_by_its_region(tmp_path: Path, content: dict[str, Any]) -> None:
    write(tmp_path, content)
    assert load_recorded(tmp_path, "us-east").region == "us-east"
    assert load_recorded(tmp_path, "closed").region == "eu-west"
    assert load_shared(write(tmp_path, document())).region is None
    assert load_recorded(tmp_path, "closed").region is None


def test_a_context_of_one_region_is_a_slice_there(tmp_path: Path) -> None:
    content = document()
    context = content["contexts"]["fulfilment"]
    content["regions"]["us-east"]["override"] = {"contexts": {"returns": context}}
    expected = [("fulfilment", "eu-west"), ("fulfilment", "us-east"), ("returns", "us-east")]
    assert slices(write(tmp_path, content)) == expected
    with pytest.raises(ConfigurationError, match="There was no run of returns us-east yet"):
        Project.open(tmp_path).find_run(context="returns", region="us-east")
