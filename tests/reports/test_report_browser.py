"""The page in a real browser: alone, quiet, in order, on a phone, on paper, by keyboard."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cutline_reports import as_html
from support.sample_reports import EMPTY_REPORT, GO_REPORT, NO_GO_REPORT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
SAMPLES = {"no_go": NO_GO_REPORT, "go": GO_REPORT, "empty": EMPTY_REPORT}


@pytest.fixture(params=SAMPLES)
def report(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    file = tmp_path / "report.html"
    file.write_text(as_html(SAMPLES[request.param]), encoding="utf-8")
    return file


@pytest.fixture
def no_go(tmp_path: Path) -> Path:
    file = tmp_path / "report.html"
    file.write_text(as_html(NO_GO_REPORT), encoding="utf-8")
    return file


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()


def test_it_asks_for_nothing_but_itself_and_says_nothing_to_the_console(
    page: Page, report: Path
) -> None:
    requested_urls: list[str] = []
    console_messages: list[str] = []
    page.on("request", lambda request: requested_urls.append(request.url))
    page.on("console", lambda message: console_messages.append(message.text))
    page.on("pageerror", lambda error: console_messages.append(str(error)))
    page.goto(report.as_uri(), wait_until="networkidle")
    page.click("#all-folds")
    assert requested_urls == [report.as_uri()]
    assert console_messages == []


def test_the_decision_is_seen_first(page: Page, no_go: Path) -> None:
    page.goto(no_go.as_uri())
    heading = page.get_by_role("heading", level=1)
    assert heading.inner_text().startswith("NO-GO")
    for locator in (heading, page.locator(".verdict-why"), page.locator(".behind")):
        box = locator.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 900


def test_headings_are_in_order(page: Page, report: Path) -> None:
    page.goto(report.as_uri())
    levels = page.eval_on_selector_all(
        "h1, h2, h3, h4, h5, h6", "all => all.map(h => Number(h.tagName[1]))"
    )
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone(browser: Browser, report: Path, scheme: str) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 844},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    try:
        page = context.new_page()
        page.goto(report.as_uri())
        page.click("#all-folds")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    finally:
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(browser: Browser, no_go: Path, scheme: str) -> None:
    context = browser.new_context(color_scheme="dark" if scheme == "dark" else "light")
    try:
        page = context.new_page()
        page.goto(no_go.as_uri())
        page.click("#all-folds")
        assert page.evaluate(CONTRAST) == []
    finally:
        context.close()


def test_everything_is_printed(page: Page, report: Path, tmp_path: Path) -> None:
    page.goto(report.as_uri())
    closed = page.pdf(format="A4")
    assert closed.startswith(b"%PDF-")
    page.click("#all-folds")
    opened = page.pdf(format="A4")
    assert pages(closed) == pages(opened) > 0


def test_details_open_by_keyboard(page: Page, no_go: Path) -> None:
    page.goto(no_go.as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the decision"
    summary = page.locator("#exceptions summary").first
    before = page.evaluate("document.querySelector('#exceptions details').open")
    for _ in range(200):
        if summary.evaluate("s => s === document.activeElement"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.querySelector('#exceptions details').open") is not before


def test_a_link_opens_what_it_leads_to(page: Page, no_go: Path) -> None:
    page.goto(no_go.as_uri())
    link = page.locator(".behind a").nth(1)
    target = link.get_attribute("href")
    assert target is not None
    group = page.locator(f"[id='{target[1:]}']")
    assert group.get_attribute("open") is None
    link.click()
    page.wait_for_function("id => document.getElementById(id).open", arg=target[1:])


def test_it_can_be_read_without_javascript(browser: Browser, no_go: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    try:
        page = context.new_page()
        page.goto(no_go.as_uri())
        assert page.locator("#verdict").is_visible()
        assert not page.locator("#all-folds").is_visible()
        page.locator("#exceptions summary").first.click()
        assert page.locator("#exceptions dl").first.is_visible()
    finally:
        context.close()


def pages(pdf: bytes) -> int:
    return pdf.count(b"/Type /Page\n") or pdf.count(b"/Type /Page")


CONTRAST = """() => {
  // Text whose contrast with the nearest painted ground is below 4.5 to 1 (WCAG AA).
  const parse = (c) => (c.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => {
    const lin = [r, g, b].map((v) => {
      v /= 255;
      return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * lin[0] + 0.7152 * lin[1] + 0.0722 * lin[2];
  };
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] === 1) return c;
    }
    return [255, 255, 255];
  };
  const poor = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !e.getClientRects().length) continue;
    if (e.closest("svg, script, style")) continue;
    const [a, b] = [light(parse(getComputedStyle(e).color)), light(ground(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push([walk.currentNode.data.trim().slice(0, 40), ratio.toFixed(2)]);
  }
  return poor;
}"""
