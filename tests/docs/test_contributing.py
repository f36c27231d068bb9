"""CONTRIBUTING.md names files and targets that exist; the changelog has the version; CI is .ci/run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from packaging.version import Version

from cutline.version import __version__
from support.paths import ROOT

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
CHANGELOG = ROOT / "changelog"
RELEASES = sorted(CHANGELOG.glob("[0-9]*.md"), key=lambda file: Version(file.stem))
GROUPS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def code(text: str) -> set[str]:
    return set(re.findall(r"`([^`\n]+)`", text))


@pytest.mark.process
def test_every_path_that_it_names_exists() -> None:
    paths = {span.split()[-1] for span in code(PAGE) if "/" in span and not set("<>*{") & set(span)}
    written = {path for path in paths if not path.startswith(".venv/") or "tests/" in path}
    assert len(written) > 20
    assert {path for path in written if not (ROOT / path).exists()} == set()


def test_every_target_of_make_that_it_names_exists() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {span.removeprefix("make ") for span in code(PAGE) if span.startswith("make ")}
    assert named >= {"setup-dev", "test", "lint"}
    assert named <= targets


def test_the_hosted_workflow_calls_the_same_script_and_nothing_else() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    (job,) = workflow["jobs"].values()
    assert [step["run"] for step in job["steps"] if "run" in step] == ["bash .ci/run"]


def test_the_version_has_its_page_in_the_changelog_and_no_later_one_has() -> None:
    assert RELEASES[-1].stem == __version__
    listed = re.findall(
        r"\]\(([^)]+\.md)\)", (CHANGELOG / "README.md").read_text().split("Each")[0]
    )
    assert listed == ["next.md", *(file.name for file in reversed(RELEASES))]


@pytest.mark.parametrize("page", [*RELEASES, CHANGELOG / "next.md"], ids=lambda file: file.stem)
def test_each_line_of_the_changelog_is_in_a_group(page: Path) -> None:
    title, *lines = page.read_text(encoding="utf-8").splitlines()
    name = "Unreleased" if page.stem == "next" else rf"{re.escape(page.stem)} - \d{{4}}-\d\d-\d\d"
    assert re.fullmatch(f"# {name}", title)
    headings = [line.removeprefix("## ") for line in lines if line.startswith("#")]
    assert set(headings) <= GROUPS
    assert len(headings) == len(set(headings))
    written = [line for line in lines if line]
    assert not written or written[0].startswith("## ")
    assert all(line.startswith(("## ", "- ")) for line in written)
