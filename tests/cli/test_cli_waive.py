"""`cutline waive`: a draft of a waiver for a cluster, which nobody can use before it is filled in."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyspark.sql import SparkSession

from cutline import plugins
from cutline.api.waivers import WaiverDraft, append_entry, append_waiver, quoted
from cutline.context import Context
from cutline.errors import ConfigurationError
from cutline.lake.lake import Lake, run_folder
from cutline.plugins import Plugins
from cutline.project import LoadedProject, load
from cutline.project.yaml_text import parsed_yaml, read_yaml
from cutline.tables.clusters import CLUSTERS
from support.command_line import parser
from support.recorded import recorded
from support.sample_project import document, write

RUN = "fulfilment-eu-west-0123"
CLUSTER = {
    "cluster": "c0ffee01",
    "by_count": 1,
    "level": "state",
    "name": "reservable_inventory",
    "kind": "different",
    "column": "reserved",
    "pattern": "0 → 12",
    "count": 92,
    "subjects": 92,
    "money": Decimal("1306.5"),
    "matched": 1241,
    "sentence": "98 % of the 92 breaks are bundles\n\x1b[31mred",
}


class Contracts:
    """As much of a translation as masking asks for."""

    context = Context("fulfilment", "", ())
    translators = ()

    def contracts(self) -> tuple[type[Any], ...]:
        return ()


@pytest.fixture(scope="module")
def project(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> LoadedProject:
    loaded = load(write(tmp_path_factory.mktemp("waive"), document()))
    lake = Lake(run_folder(loaded.lake, "fulfilment", "eu-west", RUN))
    rows = [CLUSTER, CLUSTER | {"cluster": "12e4567", "count": 3, "money": None}]
    values = [tuple(row.get(name) for name in CLUSTERS.names) for row in rows]
    lake.write(spark.createDataFrame(values, CLUSTERS.ddl), CLUSTERS)
    recorded(loaded, RUN, {"reconcile": ["clusters"]}, running="report")
    return loaded


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "translations", lambda: Plugins({"t": Contracts()}))


def waive(
    capfd: pytest.CaptureFixture[str], project: LoadedProject, *args: str
) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        parser()(["waive", *args, "--region", "eu-west", "--project", str(project.folder)])
    return int(end.value.code or 0), *capfd.readouterr()


def test_a_draft_has_the_caps_that_were_found_and_must_be_filled_in(
    project: LoadedProject, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = waive(capfd, project, "c0ffee01")
    assert code == 0
    assert not (project.folder / "waivers.yaml").exists()
    assert out.splitlines()[0].startswith(f"# Run {RUN}: 98 % of the 92 breaks are bundles")
    assert "\x1b" not in out
    [entry] = yaml.safe_load(out)
    left = {key: entry.pop(key) for key in ("reason", "owner", "ticket", "expires")}
    assert all(text.startswith("TODO: ") for text in left.values())
    assert entry == {
        "name": "cluster-c0ffee01",
        "context": "fulfilment",
        "region": "eu-west",
        "match": {"level": "state", "cluster": "c0ffee01"},
        "max_breaks": 92,
        "max_money": "1306.5",
    }
    code, out, _ = waive(capfd, project, "12e4567", "--run", RUN, "--context", "fulfilment")
    assert yaml.safe_load(out)[0]["max_money"] == "0"


def test_appended_drafts_stop_runs_until_they_are_filled_in(
    project: LoadedProject, capfd: pytest.CaptureFixture[str]
) -> None:
    path = project.folder / "waivers.yaml"
    try:
        assert waive(capfd, project, "c0ffee01", "--append")[0] == 0
        with pytest.raises(ConfigurationError) as error:
            _ = load(project.folder).waivers
        messages = error.value.what.splitlines()
        assert messages == [
            f"waivers.yaml: waivers.0 (cluster-c0ffee01).{key}: must be filled in, not {text!r}."
            for key, text in yaml.safe_load(path.read_text())["waivers"][0].items()
            if str(text).startswith("TODO")
        ]
        assert len(messages) == 4
        text = path.read_text()
        assert waive(capfd, project, "12e4567", "--append")[0] == 0
        assert path.read_text().startswith(text)
        code, _, err = waive(capfd, project, "12e4567", "--append")
        assert code == 2
        assert "has a waiver 'cluster-12e4567' already" in err
        lines = path.read_text().splitlines()
        mended = [
            f"{line.split(':')[0]}: {'2026-12-31' if 'expires' in line else 'told'}"
            if "TODO" in line
            else line
            for line in lines
        ]
        path.write_text("\n".join(mended))
        waivers = load(project.folder).waivers
        assert [w.name for w in waivers] == ["cluster-c0ffee01", "cluster-12e4567"]
        assert waivers[0].max_money == Decimal("1306.5")
        assert waivers[1].match.cluster == "12e4567"
    finally:
        path.unlink(missing_ok=True)


@pytest.mark.parametrize(
    ("cluster", "message"),
    [
        ("c0ffe01", "has no cluster 'c0ffe01'. Did you mean 'c0ffee01'?"),
        ("' or true --", "Its largest are: c0ffee01, 12e4567."),
    ],
)
def test_a_cluster_that_is_not_there_is_exit_2(
    project: LoadedProject, capfd: pytest.CaptureFixture[str], cluster: str, message: str
) -> None:
    code, out, err = waive(capfd, project, cluster)
    assert (code, out) == (2, "")
    assert message in err


ENTRY = WaiverDraft("new", "# Why\n- name: new\n  match:\n    cluster: c\n")


@pytest.mark.parametrize(
    "text",
    [
        "version: 1\nwaivers:\n- name: a\n  match: {column: x}",
        "version: 1\nwaivers:\n  # one\n  - name: a\n",
        "version: 1\nwaivers:\n    - name: a  # why\n",
        "version: 1\nwaivers:\n",
        "version: 1\r\nwaivers:\r\n- name: a",
        "\ufeffversion: 1  \nwaivers:\n- name:   a \n\n# the office's\n",
        "---\nversion: 1\n? waivers\n: - {name: a,match: { column: x}}\n",
        'version: 1\nwaivers:\n- name: "\\u00e9 one\n    and more"\n  ticket: ~\n  at: 010\n',
    ],
)
def test_what_is_there_stays_as_it_is(tmp_path: Path, text: str) -> None:
    (tmp_path / "waivers.yaml").write_bytes(text.encode())
    path = append_waiver(tmp_path, ENTRY)
    assert path.read_bytes().startswith(text.encode())
    added = path.read_bytes().decode().removeprefix(text)
    assert added.count("\n") == added.count("\r\n" if "\r\n" in text else "\n")
    old: list[Any] = yaml.safe_load(text)["waivers"] or []
    assert yaml.safe_load(path.read_text())["waivers"] == [*old, *yaml.safe_load(ENTRY.text)]


@pytest.mark.parametrize(
    "text",
    [
        "version: 1\nwaivers: []\n",
        "version: 1\nwaivers: [{name: a}]\n",
        "version: 1\nwaivers: 5\n",
        "version: 1\nwaivers: true\n",
        "version: 1\nwaivers: {name: a}\n",
        "version: 1\nwaivers: text\n",
    ],
)
def test_what_cannot_be_appended_to_is_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "waivers.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match="Nothing was changed"):
        append_waiver(tmp_path, ENTRY)
    assert path.read_text() == text
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_no_text_of_utf_8_is_named_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "waivers.yaml"
    path.write_bytes(b"version: 1\nwaivers:\n- name: \xe4\n")
    with pytest.raises(ConfigurationError, match="is not UTF-8 text"):
        append_waiver(tmp_path, ENTRY)
    assert path.read_bytes().endswith(b"\xe4\n")


@pytest.mark.parametrize(
    "value", ["=", "2026-02-31", "2026-01-01T25:00:00Z", "0o9", "99:99", "on", "~", "1e3", "0012"]
)
def test_values_are_read_as_runs_read_them(tmp_path: Path, value: str) -> None:
    path = tmp_path / "waivers.yaml"
    path.write_text(f"version: 1\nwaivers:\n- name: a\n  match: {{legacy: {value}}}\n")
    old = read_yaml(path)["waivers"]
    append_waiver(tmp_path, ENTRY)
    assert read_yaml(path)["waivers"] == [*old, *parsed_yaml(ENTRY.text)]


@pytest.mark.parametrize(
    "text",
    [
        *("on", "~", "1e3", "0012", "=", "a/b", 'O\'Neil "q"', "a\\b", "# no: comment", ""),
        *("two\nlines", "two\nlines \U0001f600", "\x7f\x85\u2028\u200b\U000e0001"),
    ],
)
def test_a_quoted_text_is_that_text(text: str) -> None:
    line = quoted(text)
    assert line.isprintable()
    assert parsed_yaml(line) == yaml.safe_load(line) == text


DISCARDED = "- name: gone\n  exceptions: [x]\n"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("waivers:\n- name: a\nversion: 1", "waivers"),
        ("version: 1\nwaivers:\n- name: a\ndiscarded:\n- name: b\n", "waivers"),
        ("version: 1\nwaivers:\n- name: a\n", "discarded"),
        ("version: 1\ndiscarded:\n  - name: b\nwaivers:\n- name: a\n", "discarded"),
        ("version: 1\ndiscarded:\n", "discarded"),
    ],
)
def test_an_entry_goes_to_the_end_of_its_own_list(tmp_path: Path, text: str, part: str) -> None:
    (tmp_path / "waivers.yaml").write_text(text)
    path = append_entry(tmp_path, part, "gone", DISCARDED)
    old = yaml.safe_load(text)
    entries = [*(old.get(part) or []), {"name": "gone", "exceptions": ["x"]}]
    assert yaml.safe_load(path.read_text()) == {**old, part: entries}


def test_an_entry_of_either_list_has_a_name_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "waivers.yaml").write_text("version: 1\nwaivers:\n- name: gone\n")
    with pytest.raises(ConfigurationError, match="has a waiver 'gone' already"):
        append_entry(tmp_path, "discarded", "gone", DISCARDED)
