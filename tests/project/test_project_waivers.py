"""waivers.yaml: what is written wrong is told by file, entry and key."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
import yaml

from cutline.errors import ConfigurationError
from cutline.project import load
from support.sample_project import document, write

GOOD: dict[str, Any] = {
    "name": "bundles",
    "context": "fulfilment",
    "match": {"level": "state", "column": "reserved"},
    "reason": "Bundles are counted twice; finance knows.",
    "owner": "Maria Okafor",
    "ticket": "FUL-12",
    "expires": "2026-12-31",
    "max_breaks": 4,
}


def project(folder: Path, *waivers: dict[str, Any], text: str | None = None) -> Path:
    project_folder = write(folder / "project", document())
    waivers_yaml = yaml.safe_dump({"version": 1, "waivers": list(waivers)})
    (project_folder / "waivers.yaml").write_text(text if text is not None else waivers_yaml)
    return project_folder


def test_what_is_written_is_read_in_order(tmp_path: Path) -> None:
    (folder) = project(tmp_path, GOOD, GOOD | {"name": "other", "region": "eu-west"})
    first, second = load(folder, "eu-west").waivers
    assert (first.name, first.expires, first.max_money) == ("bundles", dt.date(2026, 12, 31), 0)
    assert first.is_for("fulfilment", "anywhere")
    assert not first.is_for("other", "anywhere")
    assert second.is_for("fulfilment", "eu-west")
    assert not second.is_for("fulfilment", "eu-east")


def test_without_the_file_there_are_none(tmp_path: Path) -> None:
    assert load(write(tmp_path / "project", document())).waivers == ()


def test_an_empty_file_is_mended_as_one_of_waivers(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as refused:
        _ = load(project(tmp_path, text="")).waivers
    assert refused.value.next_step == "Write `version: 1` into waivers.yaml, or remove it."


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"match": {}}, "waivers.0 (bundles).match: matches every break: say which"),
        ({"match": {"level": "state"}}, "match: matches every break of level state"),
        ({"match": {"levl": "state"}}, "match.levl: unknown key. Did you mean 'level'?"),
        ({"match": {"level": "sate"}}, "match.level: must be 'record', 'state' or 'outcome'"),
        (
            {"match": {"column": "channel", "legacy": None}},
            "waivers.0 (bundles).match.legacy: holds nothing. Of breaks without one say "
            "`where: legacy IS NULL`",
        ),
        ({"match": {"column": "channel", "kind": None}}, "match.kind: holds nothing: give it"),
        ({"match": {"column": "channel", "subjects": None}}, "match.subjects: holds nothing"),
        ({"context": None}, "waivers.0 (bundles).context: holds nothing: give it a value"),
        ({"region": None}, "waivers.0 (bundles).region: holds nothing: give it a value"),
        ({"match": {"subjects": []}}, "match.subjects: must not be empty"),
        ({"match": {"subject_pattern": "**"}}, "subject_pattern: matches everything"),
        ({"reason": "TODO: why"}, "waivers.0 (bundles).reason: must be filled in"),
        ({"owner": "  "}, "owner: must be filled in"),
        ({"ticket": None}, "ticket: "),
        ({"expires": "TODO: until when"}, "expires: must be filled in"),
        ({"expires": 20261231}, "expires: must be a date, such as 2026-12-31"),
        ({"expires": "2026-02-30"}, "expires: "),
        ({"max_breaks": 0}, "max_breaks: "),
        ({"max_money": "nan"}, "max_money: "),
        ({"max_money": -1}, "max_money: "),
        ({"name": "Two words"}, "waivers.0 (Two words).name: must be lower-case"),
        ({"context": "fulfilmet"}, "'fulfilmet' is none of fulfilment. Did you mean 'fulfilment'?"),
        ({"region": "eu-wset"}, "(bundles).region: 'eu-wset' is none of "),
    ],
)
def test_what_is_wrong_is_told_by_file_entry_and_key(
    tmp_path: Path, wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigurationError) as error:
        _ = load(project(tmp_path, GOOD | wrong)).waivers
    assert error.value.what.startswith("waivers.yaml: waivers.0 (")
    assert message in error.value.what
    assert "cutline check" in error.value.next_step


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "waivers.yaml is empty"),
        ("version: 2\nwaivers: []", "waivers.yaml: version: must be 1"),
        ("version: 1\nwaivers: {}", "waivers.yaml: waivers: "),
        ("version: 1\nwaivers: [7]", "waivers.yaml: waivers.0: "),
        ("version: 1\nwaiver: []", "Did you mean 'waivers'?"),
        (yaml.safe_dump({"version": 1, "waivers": [GOOD, GOOD]}), "two are called 'bundles'"),
    ],
)
def test_a_file_that_is_no_list_of_waivers_is_told(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        _ = load(project(tmp_path, text=text)).waivers
    assert message in error.value.what
