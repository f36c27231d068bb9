"""The page: the same bytes as the golden files, escaped, and complete in itself.

After a change that is meant, write the golden files again and look at them in a browser:
CUTLINE_REGENERATE=1 pytest tests/reports/test_report_html.py
"""

from __future__ import annotations

import base64
import functools
import hashlib
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutline_reports import RunReport, as_html
from cutline_reports.model import BreakExample, BreakGroup, ExceptionExample, RuleCount, ValuePair
from cutline_reports.texts import visible
from support.html_page import Page
from support.sample_reports import CHANGE, EMPTY_REPORT, GO_REPORT, NO_GO_REPORT, WAIVERS
from support.typed_commands import check_typed

GOLDEN = Path(__file__).parent / "golden"
SAMPLES = {"no_go": NO_GO_REPORT, "go": GO_REPORT, "empty": EMPTY_REPORT}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_page_is_the_golden_file(name: str) -> None:
    page = as_html(SAMPLES[name])
    golden = GOLDEN / f"{name}.html"
    if os.environ.get("CUTLINE_REGENERATE") == "1":
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(page, encoding="utf-8")
    assert page == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("report", SAMPLES.values(), ids=SAMPLES)
def test_the_page_asks_for_nothing_outside_itself(report: RunReport) -> None:
    page = Page(as_html(report))
    for tag, attributes in page.elements:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base", "form", "image"}
        for name in ("src", "srcset", "data", "action", "poster", "background"):
            assert name not in attributes
        for name in ("href", "xlink:href"):
            assert (attributes.get(name) or "#").startswith("#")
        assert not [name for name in attributes if name.startswith("on")]
    css = page.text_of("style")
    assert "@import" not in css
    assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)\)", css))
    assert "://" not in as_html(report)


def test_only_the_scripts_own_hash_may_run() -> None:
    page = Page(as_html(NO_GO_REPORT))
    policy = next(
        a["content"] or ""
        for tag, a in page.elements
        if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy"
    )
    digest = base64.b64encode(hashlib.sha256(page.text_of("script").encode()).digest()).decode()
    assert policy.startswith("default-src 'none'; ")
    assert f"script-src 'sha256-{digest}';" in policy


@pytest.mark.parametrize("report", SAMPLES.values(), ids=SAMPLES)
def test_links_lead_somewhere_and_ids_are_unique(report: RunReport) -> None:
    page = Page(as_html(report))
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    hrefs = [a["href"] or "" for tag, a in page.elements if tag == "a"]
    assert {h.removeprefix("#") for h in hrefs} <= set(ids)


def test_no_go_says_first_what_decided_and_what_is_behind_it() -> None:
    text = " ".join(Page(as_html(NO_GO_REPORT)).all_text().split())
    order = [
        "NO-GO fulfilment in eu-west",
        NO_GO_REPORT.decision.decided_by,
        "192 differ. Most often the legacy says “promise” and the new side says “wait” (190).",
        "At state level, whose gate passed: 92 differ.",
        "Together +1,306 pieces.",
        "unexplained = 0",
        "The three levels",
    ]
    places = [text.find(part) for part in order]
    assert -1 not in places
    assert places == sorted(places)


def test_go_says_what_goes_along_with_it() -> None:
    text = " ".join(Page(as_html(GO_REPORT)).all_text().split())
    assert "GO fulfilment in eu-west" in text
    assert "NO-GO" not in text
    assert "Accepted exceptions 156 under 3 rules, each within its cap." in text
    assert "Differences at record level 3 remain, within what the gate allows." in text


def test_go_says_what_waivers_took() -> None:
    def page_text(take: Callable[[BreakGroup], int]) -> str:
        breaks = tuple(replace(group, waived=take(group)) for group in GO_REPORT.breaks)
        return " ".join(Page(as_html(replace(GO_REPORT, breaks=breaks))).all_text().split())

    record = sum(g.count for g in GO_REPORT.breaks if g.level == "record")
    assert record > 1
    assert "Differences at record level 3 remain, each taken by a waiver." in page_text(
        lambda g: g.count
    )
    assert (
        f"1 of {record} breaks taken by waivers, the others within what the gate allows."
        in page_text(lambda g: int(g.level == "record"))
    )


def test_books_that_do_not_balance_are_shown_as_such() -> None:
    books = replace(NO_GO_REPORT.books, source_rows=NO_GO_REPORT.books.source_rows + 5)
    text = " ".join(Page(as_html(replace(NO_GO_REPORT, books=books))).all_text().split())
    assert "unexplained = 5" in text
    assert "The books do not balance: do not trust this run." in text


def test_null_and_empty_text_and_trailing_space_are_told_apart() -> None:
    page = as_html(NO_GO_REPORT)
    assert '<span class="null">null</span>' in page
    assert '<span class="null">empty text</span>' in page
    assert '<code class="value"><bdi>WEB </bdi></code>' in page


HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</title></style></script><svg onload=alert(1)>",
    "<!-- --> ]]> {{ 7 * 7 }} {% raw %} &amp; &#x3c;",
    "javascript:alert(1)",
    "safe\u202eevil\u202c",
    "zero\u200bwidth\ufeff",
    "nul\x00 bell\x07 esc\x1b[31m",
    "lone surrogate \ud800",
    "lines\u2028and\u2029paragraphs\r\n",
    "עברית עם english",
]


def hostile(text: str) -> RunReport:
    """The sample report with `text` wherever text from a source, a project or a plugin can be."""
    group, exceptions, finding = (
        NO_GO_REPORT.breaks[0],
        NO_GO_REPORT.exceptions[0],
        NO_GO_REPORT.findings[0],
    )
    assert exceptions.accepted is not None
    return replace(
        NO_GO_REPORT,
        decision=replace(
            NO_GO_REPORT.decision,
            decided_by=text,
            gates=tuple(replace(g, name=text, sentence=text) for g in NO_GO_REPORT.decision.gates),
        ),
        books=replace(
            NO_GO_REPORT.books,
            rules=(RuleCount(text, text, 1),),
            subjects={text: 1},
        ),
        breaks=(
            replace(
                group,
                level="state",
                name=text,
                column=text,
                unit=text,
                pairs=(ValuePair(text, text, 192),),
                examples=(BreakExample(text, text, text, None),),
            ),
        ),
        exceptions=(
            replace(
                exceptions,
                rule=text,
                accepted=replace(exceptions.accepted, reason=text, owner=text),
                examples=(ExceptionExample(text, text, text, text, text, text, text, text),),
            ),
        ),
        change=replace(
            CHANGE,
            compared_with=text,
            gone=(text,),
            trend=tuple(replace(point, run_id=text) for point in CHANGE.trend),
        ),
        waivers=(
            replace(
                WAIVERS[1],
                **dict.fromkeys(("name", "sentence", "reason", "owner", "ticket"), text),
                match={"where": text},
            ),
        ),
        findings=(
            replace(
                finding,
                rule=text,
                aggregate=text,
                examples=(replace(finding.examples[0], subject=text, type=text, reason=text),),
            ),
        ),
        provenance=replace(
            NO_GO_REPORT.provenance,
            run_id=text,
            project=text,
            context=text,
            region=text,
            cut=text,
            translation=text,
            lake=text,
        ),
    )


def shape(page: Page) -> list[str]:
    return [tag for tag, _ in page.elements]


@functools.cache
def plain_shape() -> list[str]:
    """The elements of a page with nothing hostile in it."""
    return shape(Page(as_html(hostile("plain"))))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text: str) -> None:
    page = Page(as_html(hostile(text)))
    assert shape(page) == plain_shape()
    shown = visible(text)
    assert page.all_text().count(shown) >= 20
    assert not [a for _, a in page.elements for name in a if name.startswith("on")]
    as_html(hostile(text)).encode("utf-8")


@settings(max_examples=25, deadline=None)
@given(st.text(st.characters(), max_size=40))
def test_any_text_stays_text(text: str) -> None:
    page = Page(as_html(hostile(f"x{text}x")))
    assert shape(page) == plain_shape()
    assert visible(f"x{text}x") in page.all_text()


def test_a_control_character_never_reaches_the_page() -> None:
    for text in HOSTILE:
        page = as_html(hostile(text))
        assert not re.search(
            "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]", page
        )


def test_nothing_at_all_still_makes_a_page_that_says_so() -> None:
    text = " ".join(Page(as_html(EMPTY_REPORT)).all_text().split())
    assert "unexplained = 0" in text
    assert "No gate was asked." in text
    assert "Nothing was compared." in text
    assert "No exceptions" in text
    assert "No findings" in text
    assert "100" not in text.replace("fulfilment", "")


def test_the_command_below_a_group_survives_a_shell() -> None:
    import shlex

    from cutline_reports.html import show_command

    plain = show_command("run-1", "breaks", level="state", column=None)
    assert plain == "cutline show run-1 breaks --where \"level = 'state' and column is null\""
    odd = "o'brien $(rm) `x` \"!"
    words = shlex.split(show_command("run-1", "exceptions", rule=odd))
    assert words[:5] == ["cutline", "show", "run-1", "exceptions", "--where"]
    assert words[5:] == ["`rule` = 'o\\'brien $(rm) `x` \"!'"]


def test_each_exception_has_its_commands_and_the_command_line_takes_them() -> None:
    page = Page(as_html(NO_GO_REPORT))
    commands = [text for tag, text in page.text if tag == "code" and text.startswith("cutline ")]
    for command in commands:
        check_typed(command)
    for example in (e for group in NO_GO_REPORT.exceptions for e in group.examples):
        actions = [words[2] for words in map(str.split, commands) if example.id in words]
        assert actions == ["show", "assign", "redrive", "discard"]
