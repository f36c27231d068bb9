"""docs/deciding-what-a-status-means.md speaks of constructs that exist, and links lead somewhere."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import cutline.context
import cutline.translator
from support.paths import DOCS, ROOT

PAGE = DOCS / "deciding-what-a-status-means.md"
WRITTEN = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "changelog").glob("*.md")),
    *sorted(DOCS.rglob("*.md")),
]

EXPORTED = {
    name: getattr(package, name)
    for package in (cutline.translator, cutline.context)
    for name in package.__all__
}


def spans(text: str) -> str:
    """What stands between backticks."""
    return "\n".join(re.findall(r"`([^`\n]+)`", text))


def parameters() -> set[str]:
    callables = [value for value in EXPORTED.values() if callable(value)]
    return {name for value in callables for name in inspect.signature(value).parameters}


def unknown(text: str) -> set[str]:
    """Decorators, calls and parameters in a page's code that the language does not have."""
    code = spans(text)
    # What a `def` names is the author's.
    called = set(re.findall(r"(?<!def )(?<![\w.])@?(\w+)\(", code)) | set(
        re.findall(r"@(\w+)", code)
    )
    # `==` compares; `name=` gives.
    keywords = set(re.findall(r"(?<![\w.])(\w+)=(?!=)", code))
    return (called - set(EXPORTED)) | (keywords - parameters())


def test_every_construct_that_the_page_names_exists() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert len(re.findall(r"^\| .* \| .*`", text, re.MULTILINE)) >= 25
    assert unknown(text) - {"isNull"} == set()


def test_every_command_that_a_page_names_exists() -> None:
    from cutline.cli.app import COMMANDS

    groups = {"backfill", "exceptions", "lineage", "new", "reconsume", "repair", "rollout"} | {
        "snapshot"
    }
    commands = {command.__name__.replace("_", "-") for command in COMMANDS} | groups
    named = {
        (page.name, command)
        for page in WRITTEN
        for command in re.findall(
            r"`(?:\.venv/bin/)?cutline (\w[\w-]*)", page.read_text(encoding="utf-8")
        )
    }
    assert {command for _, command in named} >= {"profile", "coverage", "check"}
    assert {one for one in named if one[1] not in commands} == set()


def test_a_construct_that_does_not_exist_is_found() -> None:
    assert unknown("`@facts(Event)` `fact(Event, transeint=True)` `row.x == 1`") == {
        "facts",
        "transeint",
    }


@pytest.mark.parametrize("page", WRITTEN, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_to_what_is_there(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
    local = [t for t in targets if "://" not in t]
    assert [t for t in local if not (page.parent / t).exists()] == []
