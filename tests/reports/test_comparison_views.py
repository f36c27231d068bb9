"""The views of a comparison: words, JUnit and the page, from the JSON document alone."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as Xml

import pytest

from cutline_reports.comparison import as_html, as_junit, sentence, title, verdict
from cutline_reports.comparison.bars import panels, stacks
from support.comparisons import HOSTILE, alike, different
from support.html_page import Page

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

CONTRACT = {
    "rows_left", "rows_right", "matched", "changed", "only_left", "only_right",
    "duplicate_keys_left", "duplicate_keys_right", "null_keys_left", "null_keys_right", "columns",
    "equal",
}  # fmt: skip


def test_the_json_contract() -> None:
    document = json.loads(json.dumps(different()))
    assert set(document) >= CONTRACT
    assert set(document["columns"]["total"]) >= {"compared", "different", "within_tolerance"}
    assert document["equal"] is False
    assert alike()["equal"] is True
    assert alike()["examples"] is None


def test_words_say_everything_that_makes_tables_differ() -> None:
    assert (verdict(different()), verdict(alike())) == ("DIFFERENT", "EQUAL")
    assert title(different()) == "orders.csv → postgresql://h:5432/d#o, by id, line"
    assert sentence(different()) == (
        "7 of 999,997 common keys changed, 8 rows only on the left, 1 row only on the right, "
        "2 duplicated keys with unlike rows, 1 row without a key that the other side has not, "
        "1 column only on the left (old) and 1 column only on the right (new)."
    )
    assert sentence(alike()) == "Both tables are empty."
    all_matched = alike() | {"rows_left": 9, "rows_right": 9, "matched": 9}
    assert sentence(all_matched) == "All 9 rows are alike."
    assert sentence(all_matched | {"forgiven": 2}) == (
        "All 9 rows are alike, 2 of them only by what rules forgive."
    )


def test_both_sides_balance_by_class() -> None:
    for panel in panels(different()):
        rows, *leaving, matched = panel.lines
        assert rows.count - sum(line.count for line in leaving) == matched.count == 999_990
        assert panel.unexplained == 0
    lost = panels(different(rows_left=1_000_011))[0]
    assert lost.unexplained == 1


def test_a_bar_shows_what_is_there_however_little() -> None:
    first, second, third, last = stacks(different())
    assert [s.name for s in (first, second, third, last)] == ["total", HOSTILE, "status", "name"]
    for stack in (first, second, third, last):
        assert (
            stack.unchanged_width + stack.forgiven_width + stack.different_width
            == pytest.approx(100)
        )
    assert first.different_width >= 0.5
    assert (last.unchanged_width, last.forgiven_width, last.different_width) == (100, 0, 0)


def test_junit_has_a_case_per_class_and_column_and_fails_with_examples() -> None:
    suite = Xml.fromstring(as_junit(different())).find("testsuite")
    assert suite is not None
    cases = {(c.get("classname"), c.get("name")): c.find("failure") for c in suite}
    failed = {name for name, failure in cases.items() if failure is not None}
    assert len(cases) == 11
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("11", "9", "0")
    assert {("columns", "status"), ("columns", "name")} == set(cases) - failed
    total = cases["columns", "total"]
    assert total is not None
    assert total.get("message") == "6 of 999,997 values differ"
    assert total.text == (
        "'10.00' -> '1000' (5 times, such as key '1', '1')\nnull -> '' (1 time, such as key '2', '1')"
    )
    lost = cases["rows", "only_left"]
    assert lost is not None
    assert r"\u202e" in (lost.text or "")
    quiet = Xml.fromstring(as_junit(alike())).find("testsuite")
    assert quiet is not None
    assert (quiet.get("tests"), quiet.get("failures")) == ("7", "0")


def test_duplicates_that_both_sides_have_alike_fail_nothing() -> None:
    comparison = different(duplicate_keys_unlike=0, null_keys_unlike=0)
    suite = Xml.fromstring(as_junit(comparison)).find("testsuite")
    assert suite is not None
    assert suite.find("testcase[@name='duplicated']/failure") is None
    assert suite.find("testcase[@name='null_key']/failure") is None
    assert "alike on both sides" in as_html(comparison)


@pytest.mark.parametrize("comparison", [different(), alike()], ids=["different", "alike"])
def test_the_page_is_escaped_and_asks_for_nothing(comparison: dict[str, Any]) -> None:
    text = as_html(comparison)
    page = Page(text)
    assert text.count("<script>") == 1
    assert "\u202e" not in text
    assert "\x00" not in text
    text.encode()
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"link", "img", "iframe", "object", "embed", "base", "form"}
    for _, attributes in page.elements:
        assert not {"src", "srcset", "action", "style"} & set(attributes)
        assert not any(name.startswith("on") for name in attributes)
        assert (attributes.get("href") or "#").startswith("#")
    ids = [a["id"] for _, a in page.elements if a.get("id")]
    assert len(ids) == len(set(ids))
    links = {str(a["href"])[1:] for _, a in page.elements if a.get("href")}
    assert links <= set(ids)


def test_the_page_tells_verdict_classes_columns_examples_types_and_rules() -> None:
    text = re.sub(r"\s+", " ", Page(as_html(different())).all_text())
    for phrase in (
        "DIFFERENT",
        "7 of 999,997 common keys changed",
        "999,997 values compared: 999,891 the same, 100 forgiven, 6 different.",
        "What each rule forgave: trim 0, tolerance 100.",
        "10.00",
        "empty text",
        "8 left, 0 right",
        "1 left, 2 right",
        "3 rows of the left, 0 of the right: they are in no count",
        "a note",
        "decimal(12,2)",
        "only on the left: not compared",
        "total.tolerance",
        "rules.yaml",
    ):
        assert phrase in text
    assert "none: every difference counts" in Page(as_html(alike())).all_text()


@pytest.mark.browser
def test_a_browser_reads_it_by_keyboard_in_the_dark_and_on_paper(
    browser: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "comparison.html"
    file.write_text(as_html(different()), encoding="utf-8")
    context = browser.new_context(viewport={"width": 390, "height": 800}, color_scheme="dark")
    page = context.new_page()
    requested_urls: list[str] = []
    console_messages: list[str] = []
    page.on("request", lambda request: requested_urls.append(request.url))
    page.on("console", lambda message: console_messages.append(message.text))
    page.goto(file.as_uri(), wait_until="networkidle")
    assert requested_urls == [file.as_uri()]
    assert console_messages == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    second = page.locator("#columns summary").nth(1)
    second.focus()
    page.keyboard.press("Enter")
    assert page.locator("#columns details").nth(1).get_attribute("open") is not None
    page.emulate_media(media="print")
    assert page.locator("nav").is_hidden()
    context.close()
