"""`cutline coverage` and `cutline check --strict`: what the rules make of what is really there."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from cutline import plugins
from cutline.context import Context, Outcome
from cutline.plugins import Plugins
from cutline.translator import (
    Occurrence,
    Translation,
    Translator,
    ambiguous,
    fact,
    ignore,
    reject,
    todo,
    understood,
)
from support.command_line import parser
from support.policy_letters import DOCUMENT, POLICIES, Bound, Policy
from support.sample_project import write


def translation(
    letter: str = "B", number: str = "1.0.0", policies: Context = POLICIES
) -> Translation:
    class Policies(Translator):
        """Policies."""

        context, aggregate, version = policies, "policy", number
        source, subject = Policy, "no"

        @ignore("test-policy")
        def test_policy(self, row):
            return row.status == "T"

        @reject("burnt")
        def burnt(self, row):
            return row.status == "X"

        @ambiguous("either")
        def either(self, row):
            return row.status == "E"

        @todo("status-Z")
        def status_z(self, row):
            """Nobody has said yet what Z means."""
            return row.status == "Z"

        @understood("draft")
        def draft(self, row):
            return row.status == "A"

        @fact(Bound)
        def bound(self, row):
            return Occurrence(row.status == letter, {"no": row.no}, time_basis="commit")

    return Translation("adm", number, policies, (Policies,))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark) -> Path:
    """A project with one table of policies, and the translation installed."""
    folder = write(tmp_path, DOCUMENT)
    (folder / "extract").mkdir()
    rows = ["P1,A", "P2,B", "P3,B", "P4,T", "P5,X", "P6,E", "P7,Z", "P8,Q", "P9,"]
    (folder / "extract" / "policies.csv").write_text("no,status\n" + "\n".join(rows) + "\n")
    monkeypatch.setattr(plugins, "contexts", lambda: Plugins({"policies": POLICIES}))
    install(monkeypatch, translation())
    return folder


def install(monkeypatch: pytest.MonkeyPatch, offered: Translation) -> None:
    monkeypatch.setattr(plugins, "translations", lambda: Plugins({"adm-1": offered}))


def call(capfd: pytest.CaptureFixture[str], *words: object) -> tuple[int, dict, str]:
    with pytest.raises(SystemExit) as end:
        parser()([str(word) for word in words])
    out, err = capfd.readouterr()
    return end.value.code, json.loads(out) if out else {}, err


def test_every_value_is_shown_with_what_is_made_of_it(project, capfd) -> None:
    code, coverage, _ = call(
        capfd, "coverage", "policies", "--region", "all", "--project", project, "--json"
    )
    assert code == 1
    assert coverage["unmapped"] == 3
    assert [
        (v["value"], v["means"], v["rule"], v["rows"], v["examples"]) for v in coverage["values"]
    ] == [
        (None, "unmapped", "unmapped:status", 1, ['["P9"]']),
        ("Q", "unmapped", "unmapped:status", 1, ['["P8"]']),
        ("Z", "unmapped", "unmapped:status-Z", 1, ['["P7"]']),
        ("E", "ambiguous", "either", 1, ['["P6"]']),
        ("X", "quarantined", "burnt", 1, ['["P5"]']),
        ("T", "ignored", "test-policy", 1, ['["P4"]']),
        ("A", "understood", "draft", 1, ['["P1"]']),
        ("B", "translated", "bound", 2, ['["P2"]', '["P3"]']),
    ]
    # It was a look: no run, no control database, no tables are left.
    assert not (project / "control.db").exists()
    assert [p for p in (project / "lake").rglob("*") if p.is_file()] == []


def test_strictness_refuses_unmapped_values(project, capfd) -> None:
    code, report, _ = call(capfd, "check", "--project", project, "--json")
    assert (code, report["problems"]) == (0, [])
    code, report, _ = call(capfd, "check", "--strict", "--project", project, "--json")
    assert (code, report["problems"], report["ok"]) == (1, [], False)
    assert report["refused"] == [
        'policies all: adm.policies.status is null in 1 rows, such as ["P9"]: unmapped:status',
        "policies all: adm.policies.status is 'Q' in 1 rows, such as [\"P8\"]: unmapped:status",
        "policies all: adm.policies.status is 'Z' in 1 rows, such as [\"P7\"]: unmapped:status-Z",
    ]


def test_strictness_asks_the_sql_of_outcomes_and_waivers(project, capfd, monkeypatch) -> None:
    words = ("check", "--strict", "--project", project, "--json")
    understood_sql = "policies all: the SQL of its outcomes and waivers is understood"
    assert understood_sql in call(capfd, *words)[1]["good"]
    decide = "SELECT subject, statuz AS value FROM state_policy"
    misspelt = Outcome("bound", "Which are bound?", decide, aggregate="policy")
    context = replace(POLICIES, outcomes=(misspelt,))
    monkeypatch.setattr(plugins, "contexts", lambda: Plugins({"policies": context}))
    install(monkeypatch, translation(policies=context))
    code, report, _ = call(capfd, *words)
    assert (code, understood_sql in report["good"]) == (2, False)
    [problem] = report["problems"]
    assert problem.startswith("outcome bound: its `decide` is not understood: [UNRESOLVED_COLUMN")
    code, _, err = call(capfd, "run", "policies", "--region", "all", "--project", project)
    assert (code, problem in err, "left behind: Nothing was started." in err) == (2, True, True)
    assert [p for p in (project / "lake").rglob("*") if p.is_file()] == []


def test_another_meaning_under_the_same_version_stops_a_run_before_it_begins(
    project, capfd, monkeypatch
) -> None:
    words = ("run", "policies", "--region", "all", "--project", project, "--json")
    only = ("--stage", "extract")
    code, _, _ = call(capfd, *words, *only)
    assert code == 0
    before = sorted((project / "lake" / "policies" / "all").iterdir())
    install(monkeypatch, translation("C"))
    # Another input, so that it is another run.
    (project / "extract" / "policies.csv").write_text("no,status\nP1,B\n")
    code, _, err = call(capfd, *words)
    assert code == 2
    assert "translator policies 1.0.0 means something else than it did in run policies-all-" in err
    assert "Raise its `version`" in err
    assert sorted((project / "lake" / "policies" / "all").iterdir()) == before
    install(monkeypatch, translation("C", "1.1.0"))
    code, _, _ = call(capfd, *words, *only)
    assert code == 0
    install(monkeypatch, translation("B", "1.0.0"))
    code, _, err = call(capfd, *words)
    assert code == 2
    assert "versions do not go backwards" in err


def test_a_complete_run_is_held_against_its_meaning_too(project, capfd, monkeypatch) -> None:
    words = ("run", "policies", "--region", "all", "--project", project, "--json")
    assert call(capfd, *words, "--stage", "extract")[0] == 0
    with closing(sqlite3.connect(project / "control.db")) as database:
        database.execute("UPDATE cutline_runs SET status = 'complete', decision = 'go'")
        database.commit()
    assert call(capfd, *words)[0] == 0
    install(monkeypatch, translation("C"))
    code, _, err = call(capfd, *words)
    assert code == 2
    assert "translator policies 1.0.0 means something else" in err


def test_a_rule_that_is_not_deterministic_stops_a_run_before_it_begins(
    project, capfd, monkeypatch
) -> None:
    from pyspark.sql import functions as F

    class Policies(Translator):
        context, aggregate, version = POLICIES, "policy", "1.0.0"
        source, subject = Policy, "no"

        @reject("unlucky")
        def unlucky(self, row):
            return F.rand() < 0.5

    install(monkeypatch, Translation("adm", "1.0.0", POLICIES, (Policies,)))
    code, _, err = call(capfd, "run", "policies", "--region", "all", "--project", project)
    assert code == 2
    assert "translator Policies, reject unlucky, when uses rand" in err
    assert not (project / "lake").exists()
    code, report, _ = call(capfd, "check", "--strict", "--project", project, "--json")
    assert code == 2
    assert ["reject unlucky" in problem for problem in report["problems"]] == [True]
