"""`Project.reports_index`: what becomes part of a site, and which folders are refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from cutline import Project
from cutline.control import Control, Meaning
from cutline.errors import ConfigurationError, RunFailed
from cutline.lake.unchanged import sha256
from cutline_reports import as_html
from support.sample_project import document, write
from support.sample_reports import GO_REPORT
from support.site_runs import STORY, project_with_runs, report_folder

NO_GO, FAILED, _, GO, _ = STORY


def place(site: Path, run_id: str, region: str = "eu-west") -> Path:
    return site / "fulfilment" / region / run_id / "report.html"


def test_every_report_is_copied_and_every_run_listed(tmp_path: Path) -> None:
    project = Project(project_with_runs(tmp_path / "p").folder)
    index = project.reports_index(tmp_path / "site")
    assert (index.slices, index.runs, index.reports) == (2, 5, 4)
    assert index.without_report == {FAILED.run_id: "the run made no report"}
    assert place(index.folder, GO.run_id).read_text("utf-8") == as_html(GO_REPORT)
    page = index.page.read_text("utf-8")
    for run in STORY:
        assert page.count(f"<code>{run.run_id}</code>") == 1
    assert "2 slices by the newest run: 1 GO, 1 NO-GO." in page
    assert index.as_json()["reports"] == 4


def test_a_project_that_was_never_run_has_a_site(tmp_path: Path) -> None:
    project = Project(write(tmp_path / "p", document()))
    index = project.reports_index(tmp_path / "site")
    assert (index.slices, index.runs, index.reports) == (2, 0, 0)
    assert "never run" in index.page.read_text("utf-8")
    assert [p.name for p in project.folder.iterdir()] == ["cutline.yaml"]


def test_a_context_that_is_declared_no_more_is_listed_without_a_runbook(tmp_path: Path) -> None:
    folder = project_with_runs(tmp_path / "p").folder
    changed = document()
    changed["contexts"]["marketplace"] = changed["contexts"].pop("fulfilment")
    write(folder, changed)
    index = Project(folder).reports_index(tmp_path / "site")
    assert (index.runs, index.reports) == (5, 4)
    page = index.page.read_text("utf-8")
    assert page.count("not in cutline.yaml any more") == 2
    assert "fulfilment/eu-west/runbook.html" not in page
    assert "marketplace/eu-west/runbook.html" in page


def test_a_report_of_the_site_outlives_the_one_in_the_lake(tmp_path: Path) -> None:
    loaded = project_with_runs(tmp_path / "p")
    project = Project(loaded.folder)
    project.reports_index(tmp_path / "site")
    (report_folder(loaded, GO) / "report.html").unlink()
    (report_folder(loaded, NO_GO) / "report.html").write_text("another")
    assert project.reports_index(tmp_path / "site").reports == 4
    elsewhere = project.reports_index(tmp_path / "elsewhere")
    assert elsewhere.without_report[GO.run_id] == "the report is no longer in the lake"
    assert elsewhere.without_report[NO_GO.run_id] == (
        "the report in the lake is not the one that the run wrote"
    )
    assert not place(tmp_path / "elsewhere", NO_GO.run_id).exists()


def test_a_page_that_was_changed_in_the_site_is_copied_again(tmp_path: Path) -> None:
    loaded = project_with_runs(tmp_path / "p")
    project = Project(loaded.folder)
    project.reports_index(tmp_path / "site")
    changed = place(tmp_path / "site", GO.run_id)
    changed.write_text("All is well.")
    project.reports_index(tmp_path / "site")
    assert sha256(changed.read_text("utf-8")) == sha256(as_html(GO_REPORT))
    changed.write_text("All is well.")
    (report_folder(loaded, GO) / "report.html").unlink()
    assert GO.run_id in project.reports_index(tmp_path / "site").without_report
    assert not changed.exists()


def test_a_page_that_cannot_be_removed_is_told_by_name(tmp_path: Path) -> None:
    loaded = project_with_runs(tmp_path / "p", (GO,))
    project = Project(loaded.folder)
    project.reports_index(tmp_path / "site")
    (report_folder(loaded, GO) / "report.html").unlink()
    page = place(tmp_path / "site", GO.run_id)
    page.unlink()
    page.mkdir()
    with pytest.raises(RunFailed, match="cannot be removed") as failed:
        project.reports_index(tmp_path / "site")
    assert str(page) in failed.value.what


def test_a_decided_run_has_a_sign_off_whose_digest_is_that_of_a_file(tmp_path: Path) -> None:
    loaded = project_with_runs(tmp_path / "p")
    control = Control.open(loaded.file.control, loaded.folder)
    control.remember_meaning("fulfilment", Meaning("erp-orders", "1.4.0", "f1n6e4", "", "r"))
    index = Project(loaded.folder).reports_index(tmp_path / "site")
    folder = place(index.folder, GO.run_id).parent
    text = (folder / "sign-off.json").read_text("utf-8")
    assert sha256(text) in (folder / "sign-off.html").read_text("utf-8")
    signed = json.loads(text)
    assert signed["report_sha256"] == sha256((folder / "report.html").read_text("utf-8"))
    assert signed["translators"][0]["meaning"] == "f1n6e4"
    page = index.page.read_text("utf-8")
    assert page.count("/sign-off.html") == 4
    assert f"{FAILED.run_id}/sign-off.html" not in page


@pytest.mark.parametrize("content", ["{}", None])
def test_without_a_report_that_it_can_read_there_is_no_sign_off(
    tmp_path: Path, content: str | None
) -> None:
    loaded = project_with_runs(tmp_path / "p", (GO,))
    project = Project(loaded.folder)
    site = project.reports_index(tmp_path / "site").folder
    report = report_folder(loaded, GO) / "report.json"
    report.unlink() if content is None else report.write_text(content)
    place(site, GO.run_id).with_name("report.json").unlink()
    assert project.reports_index(site).reports == 1
    assert sorted(p.name for p in place(site, GO.run_id).parent.iterdir()) == ["report.html"]
    assert "sign-off.html" not in (site / "index.html").read_text("utf-8")


def test_the_newest_runs_of_a_slice_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cutline.api.reports_index.entries.MOST_RUNS", 2)
    project = Project(project_with_runs(tmp_path / "p").folder)
    index = project.reports_index(tmp_path / "site")
    assert (index.runs, index.reports) == (3, 3)
    assert "fulfilment in eu-west has 2 older runs" in index.page.read_text("utf-8")


@pytest.mark.parametrize("marker", [None, "{", "[]", json.dumps({"kind": "photos"})])
def test_a_folder_with_something_else_is_refused_and_left_alone(
    tmp_path: Path, marker: str | None
) -> None:
    project = Project(write(tmp_path / "p", document()))
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter.txt").write_text("Dear Ada")
    if marker is not None:
        (tmp_path / "home" / "site.json").write_text(marker)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ConfigurationError, match="letter") as refused:
        project.reports_index(tmp_path / "home")
    assert refused.value.next_step == "Name a new or an empty folder."
    assert sorted(tmp_path.rglob("*")) == before


def test_a_place_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    project = Project(write(tmp_path / "p", document()))
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        project.reports_index(tmp_path / "file")


def test_a_page_that_cannot_be_written_is_told_by_name(tmp_path: Path) -> None:
    project = Project(project_with_runs(tmp_path / "p").folder)
    project.reports_index(tmp_path / "site")
    page = tmp_path / "site" / "index.html"
    page.unlink()
    page.mkdir()
    with pytest.raises(RunFailed, match="of the site of reports") as failed:
        project.reports_index(tmp_path / "site")
    assert str(page) in failed.value.what
    assert failed.value.left_behind
    assert list((tmp_path / "site").glob(".*")) == []


def test_secrets_of_an_error_are_in_no_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEGACY_PASSWORD", "s3cr3t-of-legacy")
    failed_runs = (replace(FAILED, error="cannot open s3cr3t-of-legacy"),)
    more = {"spark": {"conf": {"spark.hadoop.fs.s3a.secret.key": "${LEGACY_PASSWORD}"}}}
    project = Project(project_with_runs(tmp_path / "p", failed_runs, **more).folder)
    page = project.reports_index(tmp_path / "site").page.read_text("utf-8")
    assert "cannot open ${LEGACY_PASSWORD}" in page
    assert "s3cr3t" not in page
