"""The Python API shows secrets of cutline.yaml as the file writes them, as the command line does."""

from __future__ import annotations

import inspect
import json
import traceback
from pathlib import Path
from typing import Any

import pytest

from cutline import Project, api
from cutline.api.check.report import CheckLog
from cutline.errors import ConfigurationError, CutlineError, RunFailed
from cutline.run.outcome import RunOutcome
from cutline.run.progress import Note
from cutline.secrets import keep_secret
from support.sample_project import document, write

PASSWORD, TOKEN = "correct-horse", "battery-staple"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("DB_PASSWORD", PASSWORD)
    monkeypatch.setenv("DB_TOKEN", TOKEN)
    content: dict[str, Any] = document()
    content["sources"]["erp"]["path"] = "s3a://lake/erp.db?token=${DB_TOKEN}"
    content["sources"]["warehouse"]["path"] = "extract/${DB_PASSWORD}/warehouse"
    return Project.open(write(tmp_path, content))


def assert_masked(*texts: str) -> None:
    for text in texts:
        assert PASSWORD not in text
        assert TOKEN not in text


@pytest.mark.parametrize(
    ("table", "written"), [("warehouse.releases", "${DB_PASSWORD}"), ("erp.orders", "${DB_TOKEN}")]
)
def test_an_error_shows_what_the_file_writes(project: Project, table: str, written: str) -> None:
    with pytest.raises(CutlineError) as raised:
        project.profile(table)
    error = raised.value
    assert written in str(error)
    assert_masked(str(error), repr(error), error.what, error.left_behind, error.next_step)


def test_each_part_of_an_error_is_masked() -> None:
    keep_secret(PASSWORD, "${PW}")
    error = RunFailed(f"1 {PASSWORD}", left_behind=f"2 {PASSWORD}", next_step=f"3 {PASSWORD}")
    assert (error.what, error.left_behind, error.next_step) == ("1 ${PW}", "2 ${PW}", "3 ${PW}")
    assert str(error) == "1 ${PW}\n2 ${PW}\n3 ${PW}"
    assert str(Note(f"reading {PASSWORD}")) == "reading ${PW}"


def test_a_report_of_a_check_is_masked() -> None:
    keep_secret(PASSWORD, "${PW}")
    log = CheckLog("cutline.yaml")
    for add in (log.add_good, log.add_problems, log.add_refused, log.add_unused):
        add(f"extract/{PASSWORD}: a sentence")
    report = log.report()
    assert report.good == report.problems == ("extract/${PW}: a sentence",)
    assert_masked(*report.refused, *report.unused, json.dumps(report.as_json()))


def test_a_loaded_project_has_the_values_and_shows_the_references(project: Project) -> None:
    loaded = project.load()
    sources = loaded.file.sources
    assert getattr(sources["warehouse"], "path") == f"extract/{PASSWORD}/warehouse"  # noqa: B009
    for shown in (loaded, loaded.file, sources["warehouse"], sources):
        assert_masked(repr(shown), str(shown))
    assert "extract/${DB_PASSWORD}/warehouse" in repr(loaded)
    assert "s3a://lake/erp.db?token=${DB_TOKEN}" in repr(sources["erp"])


def test_a_traceback_of_a_wrong_file_is_masked(project: Project) -> None:
    content: dict[str, Any] = document()
    content["sources"]["erp"]["path"] = {"nested": "${DB_PASSWORD}"}
    content["spark"] = {"memory": "${DB_PASSWORD}"}
    write(project.folder, content)
    with pytest.raises(ConfigurationError) as raised:
        project.load()
    assert_masked("".join(traceback.format_exception(raised.value)))


def test_the_document_of_every_result_is_masked() -> None:
    results = [member for name in api.__all__ if inspect.isclass(member := getattr(api, name))]
    with_documents = [cls for cls in (*results, RunOutcome) if hasattr(cls, "as_json")]
    assert len(with_documents) > 14
    for cls in with_documents:
        assert hasattr(cls.as_json, "__wrapped__"), cls.__name__
    keep_secret(PASSWORD, "${PW}")
    rows = api.ShownRows(("place",), ((f"/lake/{PASSWORD}",),))
    assert rows.as_json() == [{"place": "/lake/${PW}"}]
