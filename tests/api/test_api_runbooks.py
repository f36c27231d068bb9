"""The runbook of each slice in a site of reports: order, people, gates, and commands that work."""

from __future__ import annotations

import html
import re
from pathlib import Path

from cutline import Project
from support.gates import DECLARED
from support.rolled_out import FEED, SQLITE
from support.sample_project import document, write
from support.site_runs import STORY, project_with_runs
from support.typed_commands import check_typed

GO = STORY[3]
DECLARATIONS = {
    "readiness": {"fulfilment": DECLARED},
    "rollout": {"legacy_writes": SQLITE, "reverse_feed": FEED},
}


def runbook(site: Path, region: str = "eu-west") -> str:
    return (site / "fulfilment" / region / "runbook.html").read_text("utf-8")


def headed(page: str) -> list[str]:
    """The commands that are its headings."""
    return [html.unescape(text) for text in re.findall(r"<h3><code>(.*?)</code>", page)]


def test_it_says_what_is_done_in_which_order_by_whom_and_how_it_goes_back(tmp_path: Path) -> None:
    project = Project(project_with_runs(tmp_path / "p", **DECLARATIONS).folder)
    index = project.reports_index(tmp_path / "site")
    page = runbook(index.folder)
    words = [command.removeprefix("cutline ") for command in headed(page)]
    place = "fulfilment --region eu-west"
    assert words == [
        f"rehearse {place} --run {GO.run_id}",
        f"rollout open {place}",
        f"rollout stage {place} {GO.run_id}",
        f"rollout mirror {place} 100",
        f"rollout switch reads {place} 5",
        f"rollout switch reads {place}",
        f"rollout switch writes {place}",
        f"rollout decisions {place}",
        f"rollout complete {place}",
        f"rollout resume {place}",
        f"rollout cancel {place}",
        f"rollout reverse reads {place}",
        f"rollout reverse writes {place}",
    ]
    assert "Ann, with Bea agreeing" in page
    assert f"cutline rollout reverse writes {place}</dd>" in page
    assert f"at most {SQLITE['seconds']} seconds" in page
    trial = f"It tries the statements that hold the legacy, under region {SQLITE['trial_region']}"
    assert trial in page
    assert page.count("can be done now") == 1
    assert page.index("can be done now") < page.index("rollout stage")
    # By the plans themselves: both ways of the writes, and what ends a rollout.
    assert page.count("Point of no return") == 4
    assert "not tested: " in page
    assert 'href="fulfilment/eu-west/runbook.html"' in index.page.read_text("utf-8")


def test_a_project_with_a_read_model_is_fed_and_may_change_columns(tmp_path: Path) -> None:
    read_model = {"url": "sqlite:///r.db", "readers": ["billing", "search"]}
    content = document() | {
        "rollout": {"read_model": read_model, "release_topics": True},
    }
    content["contexts"]["fulfilment"]["live"] = {"aggregates": ["customer_order"]}
    page = runbook(Project(write(tmp_path / "p", content)).reports_index(tmp_path / "s").folder)
    place = "fulfilment --region eu-west"
    words = [command.removeprefix("cutline rollout ") for command in headed(page)]
    assert words[words.index(f"stage {place} RUN") + 1 :][:6] == [
        f"feed {place} --every 30s",
        f"expand {place}",
        f"migrate {place} billing",
        f"migrate {place} search",
        f"contract {place}",
        f"mirror {place} 100",
    ]
    assert f"cutline rollout aside {place}" in page
    assert "topics under the release&#39;s name" in page


def test_each_of_its_commands_can_be_typed(tmp_path: Path) -> None:
    rollout = DECLARATIONS["rollout"] | {"read_model": {"url": "sqlite:///r.db"}}
    folder = project_with_runs(tmp_path / "p", **DECLARATIONS | {"rollout": rollout}).folder
    project = Project(folder)
    page = runbook(project.reports_index(tmp_path / "site").folder)
    listed = {html.unescape(text) for text in re.findall(r"<code>(cutline [a-z].*?)</code>", page)}
    back = re.findall(r"<dd>(?:[a-z ;]*: )?(cutline .*?)(?:, before .*)?</dd>", page)
    commands = listed | {html.unescape(text) for text in back}
    assert len(commands) > len(set(headed(page)))
    for command in commands:
        check_typed(command)


def test_without_declarations_it_says_what_is_missing(tmp_path: Path) -> None:
    page = runbook(Project(write(tmp_path / "p", document())).reports_index(tmp_path / "s").folder)
    assert "cutline.yaml declares nobody" in page
    assert "declares no <code>readiness.fulfilment</code>" in page
    assert "cutline.yaml does not say how the legacy is held" in page
    assert "stage fulfilment --region eu-west RUN" in page
