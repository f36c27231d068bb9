"""The page of two runs: what it says, escaped, and where it leads."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from cutline_reports.site import comparison_page, comparison_sentence, runs_are_alike
from support.html_page import Page
from support.sample_runs_compared import BREAKS, COMPARED, EVENTS, HOSTILE, STATES, compared

ALIKE = replace(EVENTS, changed=0, removed=0, added=0, clusters=(), more_clusters=0)


def test_every_cluster_has_its_count_and_its_examples() -> None:
    page = Page(comparison_page(json.loads(json.dumps(COMPARED)), True, True))
    text = " ".join(page.all_text().split())
    assert "changed BundleReserved data.quantity, migconfidence 1,093" in text
    cells = "".join(text.split())
    assert "SO-1001migconfidenceexactinferreddata.quantity63SO-1002data.quantity4null" in cells
    assert "3 smaller clusters with 17 more are not shown." in text
    assert "Only the right run has reserved_at, which is not compared." in text
    assert "Only the right run has states of refund." in text
    assert "Their inputs differ in: translation, translators." in text
    assert "SO-1001legacytrue—newfalse—" in cells
    assert [tag for tag, _ in page.elements].count("details") == 7


def test_hostile_texts_are_escaped() -> None:
    text = comparison_page(COMPARED, True, True)
    assert HOSTILE not in text
    assert "&lt;img src=x onerror=alert(1)&gt;⟨U+202E⟩" in text
    assert [tag for tag, _ in Page(text).elements].count("img") == 0


@pytest.mark.parametrize(
    ("document", "says"),
    [
        (compared(ALIKE), "Both runs have the same events, states and breaks."),
        (compared(ALIKE, BREAKS), "Breaks: 195 fixed, 5 opened."),
        (compared(STATES), "States of reservable_inventory: 118 changed."),
        (compared(states_only_left=["refund"]), "States of refund: only in the left run."),
        (compared(replace(BREAKS, changed=2)), "Breaks: 2 with other values, 195 fixed, 5 opened."),
    ],
)
def test_the_differences_in_a_sentence(document: dict[str, object], says: str) -> None:
    assert comparison_sentence(document) == says
    assert runs_are_alike(document) == says.startswith("Both")


def test_it_leads_to_the_reports_that_are_there() -> None:
    def links(left: bool, right: bool) -> list[str | None]:
        elements = Page(comparison_page(COMPARED, left, right)).elements
        return [a["href"] for tag, a in elements if tag == "a" and "#" not in (a["href"] or "")]

    index = "../../../index.html"
    assert links(True, True) == ["../fulfilment-eu-west-aaa1/report.html", "report.html", index]
    assert links(False, True) == ["report.html", index]
    assert links(False, False) == [index]
