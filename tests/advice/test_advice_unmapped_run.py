"""A run in which values have no meaning: the share is that of `cutline coverage`, and goes away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cutline
from cutline import plugins
from cutline.plugins import Plugins
from cutline.translator import (
    Occurrence,
    Translation,
    Translator,
    fact,
    reject,
)
from support.policy_letters import DOCUMENT, POLICIES, Bound, Policy
from support.sample_project import write


class Policies(Translator):
    """Policies."""

    context, aggregate, version = POLICIES, "policy", "1.0.0"
    source, subject = Policy, "no"

    @reject("burnt")
    def burnt(self, row: Any) -> Any:
        return row.status == "X"

    @fact(Bound)
    def bound(self, row: Any) -> Any:
        return Occurrence(row.status == "B", {"no": row.no}, time_basis="commit")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> cutline.Project:
    folder = write(tmp_path, DOCUMENT)
    (folder / "extract").mkdir()
    translation = Translation("adm", "1.0.0", POLICIES, (Policies,))
    monkeypatch.setattr(plugins, "contexts", lambda: Plugins({"policies": POLICIES}))
    monkeypatch.setattr(plugins, "translations", lambda: Plugins({"adm-1": translation}))
    return cutline.Project.open(folder)


def run(project: cutline.Project, *statuses: str) -> None:
    rows = "".join(f"P{number},{status}\n" for number, status in enumerate(statuses))
    (project.folder / "extract" / "policies.csv").write_text(f"no,status\n{rows}")
    project.run("policies", region="all")


def advice(project: cutline.Project) -> tuple[cutline.Advice, list[str]]:
    recommendation = project.advise(
        "policies", region="all", needs=["facts"], horizon="all", archive=False
    )
    [of_events] = [s for s in recommendation.strategies if s.strategy == "synthetic-events"]
    return recommendation, [reason.says for reason in of_events.reasons]


def meaning(recommendation: cutline.Advice) -> str | None:
    return next(figure.says for figure in recommendation.looked_at if figure.name == "meaning")


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_the_share_is_that_of_the_coverage(project: cutline.Project) -> None:
    run(project, *"BBBBBBQ", "X", "", "B")
    coverage = project.coverage("policies", region="all")
    assert coverage.unmapped == 2
    recommendation, reasons = advice(project)
    assert meaning(recommendation) == (
        "of 10 rows 7 were translated, 2 have no meaning, 3 are put aside for a person, these "
        "among them"
    )
    assert (recommendation.recommended, recommendation.confidence) == (None, "medium")
    assert [
        r for r in reasons if r.startswith("no rule says what 20 % of the rows mean")
    ] == reasons

    run(project, *"B" * 19, "Q")
    recommendation, reasons = advice(project)
    assert recommendation.recommended == "synthetic-events"
    warnings = " ".join(reasons)
    assert "no rule says what 5 % of the rows mean" in warnings
    assert "no GO" in warnings, "nobody compared anything"
    assert "consumers act on what they read, as is declared of Bound" in warnings
    assert "100 % of the events do not know when they happened" in warnings

    run(project, *"B" * 20)
    recommendation, reasons = advice(project)
    assert "no rule says" not in " ".join(reasons)
    sequence = project.advise("policies", region="all", needs=["sequence"], horizon="all")
    assert sequence.recommended is None, "rows tell no order at all"
