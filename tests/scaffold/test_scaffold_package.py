"""A package appears as a whole, and nothing that is there is ever overwritten."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from cutline.errors import ConfigurationError
from cutline.scaffold.context import context_in_repo, context_package, plan_context
from cutline.scaffold.package import Package
from support.paths import ROOT


def tree(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*") if p.is_file()}


def test_every_file_is_written_and_nothing_else_is_left(tmp_path: Path) -> None:
    written = Package(tmp_path / "new", {"a.txt": "A", "b/c.txt": "C"}).write()
    assert written == [tmp_path / "new" / "a.txt", tmp_path / "new" / "b" / "c.txt"]
    assert tree(tmp_path) == {"new/a.txt": "A", "new/b/c.txt": "C"}


@pytest.mark.parametrize("kind", ["file", "folder", "dead link"])
def test_nothing_is_written_where_one_file_is_there(tmp_path: Path, kind: str) -> None:
    existing_path = tmp_path / "b.txt"
    if kind == "file":
        existing_path.write_text("mine")
    elif kind == "folder":
        existing_path.mkdir()
    else:
        existing_path.symlink_to(tmp_path / "nowhere")
    with pytest.raises(ConfigurationError, match=r"has b\.txt already") as error:
        Package(tmp_path, {"a.txt": "A", "b.txt": "B"}).write()
    assert error.value.left_behind == "Nothing was written."
    assert [p.name for p in tmp_path.iterdir()] == ["b.txt"]
    assert kind != "file" or existing_path.read_text() == "mine"


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        Package(tmp_path / "file" / "new", {"a.txt": "A"}).write()


def test_a_context_of_its_own_names_its_entry_point(tmp_path: Path) -> None:
    plan = plan_context("policies", "policy", ["PolicyBound", "PolicyEnded", "PolicyBound"])
    context_package(plan, tmp_path).write()
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text())["project"]
    assert project["name"] == "policies-context"
    assert project["entry-points"] == {
        "cutline.contexts": {"policies": "policies_context:POLICIES"}
    }
    assert (
        "class PolicyEnded(Event):"
        in (tmp_path / "src" / "policies_context" / "policy.py").read_text()
    )


def test_an_aggregate_may_have_the_name_of_its_context_and_of_a_module() -> None:
    plan = plan_context("context", None, [])
    files = context_package(plan).files
    assert plan.events == ("ContextRecorded",)
    assert "src/context_context/context_2.py" in files
    assert "aggregates=(CONTEXT_AGGREGATE,)" in files["src/context_context/context.py"]


def test_in_a_checkout_it_goes_into_the_folders_that_are_there() -> None:
    plan = plan_context("policies", None, [])
    package = context_in_repo(plan, ROOT / "tests")
    assert package.folder == ROOT
    assert sorted(package.files) == [
        "domains/cutline_domains/policies/__init__.py",
        "domains/cutline_domains/policies/context.py",
        "domains/cutline_domains/policies/policies.py",
        "tests/policies/test_policies_context.py",
    ]
    assert '  policies = "cutline_domains.policies:POLICIES"' in package.next_steps


def test_in_a_checkout_a_name_is_taken_once() -> None:
    with pytest.raises(ConfigurationError, match="an entry point 'fulfilment'"):
        context_in_repo(plan_context("fulfilment", None, []), ROOT)


def test_elsewhere_there_is_no_checkout(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="in no checkout of Cutline"):
        context_in_repo(plan_context("policies", None, []), tmp_path)
