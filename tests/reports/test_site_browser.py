"""A small site in a real browser, from files: quiet, filtered, on a phone, on paper, by keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cutline import Project
from cutline_reports.site import comparison_name, comparison_page
from support.accessible import violations
from support.sample_runs_compared import COMPARED
from support.site_runs import STORY, project_with_runs

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    project = Project(project_with_runs(folder / "p").folder)
    site = project.reports_index(folder / "site").folder
    compared = site / "fulfilment" / "eu-west" / STORY[3].run_id
    page = compared / f"{comparison_name(STORY[0].run_id)}.html"
    page.write_text(comparison_page(COMPARED, True, True), encoding="utf-8")
    project.reports_index(site)
    return site


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1600, "height": 900})
    yield context.new_page()
    context.close()


def shown(page: Page, selector: str = "[data-run]") -> list[str]:
    """The ids of the runs in the list, or the regions of the slices in the grid, that are seen."""
    rows = [row for row in page.locator(selector).all() if row.is_visible()]
    return [row.get_attribute("data-region") or "" for row in rows]


def test_it_asks_for_its_own_files_only_and_leads_to_every_report(page: Page, site: Path) -> None:
    requested_urls: list[str] = []
    logged: list[str] = []
    page.on("request", lambda request: requested_urls.append(request.url))
    page.on("console", lambda message: logged.append(message.text))
    page.on("pageerror", lambda error: logged.append(str(error)))
    page.goto((site / "index.html").as_uri(), wait_until="networkidle")
    assert requested_urls == [(site / "index.html").as_uri()]
    links = page.get_by_role("link", name="Report of run")
    assert links.count() == 4
    for place in range(4):
        links.nth(place).click()
        assert page.get_by_role("heading", level=1).is_visible()
        page.go_back()
    assert logged == []
    assert all(url.startswith(site.as_uri()) for url in requested_urls)


def test_filters_leave_the_runs_that_are_asked_for(page: Page, site: Path) -> None:
    page.goto((site / "index.html").as_uri())
    assert page.locator("#shown").inner_text() == "5 of 5 runs are shown."
    page.select_option("#by-decision", "no-go")
    assert shown(page) == ["us-east", "eu-west", "eu-west"]
    assert shown(page, ".marks > li") == ["eu-west", "eu-west", "us-east"]
    page.select_option("#by-region", "eu-west")
    assert shown(page) == ["eu-west"] * 2
    assert shown(page, "[data-slice]") == ["eu-west"]
    page.fill("#since", "2026-11-02")
    page.fill("#until", "2026-11-03")
    assert page.locator("#shown").inner_text() == "1 of 5 runs are shown."
    page.select_option("#by-decision", "none")
    assert shown(page) == ["eu-west"]
    page.fill("#since", "2026-12-01")
    assert (shown(page), shown(page, "[data-slice]")) == ([], [])
    page.click("#clear")
    assert len(shown(page)) == len(STORY)
    assert shown(page, "[data-slice]") == ["eu-west", "us-east"]
    page.select_option("#by-context", "fulfilment")
    assert len(shown(page)) == len(STORY)


def test_it_is_read_and_followed_without_javascript(browser: Browser, site: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    try:
        page = context.new_page()
        page.goto((site / "index.html").as_uri())
        assert not page.locator("#filters").is_visible()
        assert len(shown(page)) == len(STORY)
        page.get_by_role("link", name="Report of run").first.click()
        assert page.locator("#verdict").is_visible()
    finally:
        context.close()


@pytest.mark.parametrize(
    "name",
    [
        *("index.html", "**/*ddd4/sign-off.html", "**/compared-with-*.html"),
        *("**/eu-west/runbook.html", "**/*ddd4/report.html"),
    ],
)
@pytest.mark.parametrize(("width", "scheme"), [(380, "light"), (1600, "dark")])
def test_axe_has_nothing_against_any_page_at_any_width(
    browser: Browser, site: Path, name: str, width: int, scheme: str
) -> None:
    (file,) = site.glob(name)
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        bypass_csp=True,
    )
    try:
        page = context.new_page()
        page.goto(file.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert violations(page) == []
    finally:
        context.close()


def test_a_sign_off_leads_back_and_has_its_lines_on_paper(page: Page, site: Path) -> None:
    logged: list[str] = []
    page.on("console", lambda message: logged.append(message.text))
    page.goto((site / "index.html").as_uri())
    page.get_by_role("link", name=f"Sign-off of run {STORY[3].run_id}").click()
    page.get_by_role("link", name="All reports").click()
    page.go_back()
    page.get_by_role("link", name="Report of the run").click()
    assert page.locator("#verdict").is_visible()
    page.go_back()
    page.emulate_media(media="print")
    assert not page.get_by_role("link", name="All reports").is_visible()
    lines = page.locator(".signing [data-label=Signature]")
    assert lines.count() == 4
    assert all(line.is_visible() for line in lines.all())
    assert page.pdf(format="A4").startswith(b"%PDF-")
    assert logged == []


def test_a_comparison_opens_its_clusters_and_leads_to_both_reports(page: Page, site: Path) -> None:
    requested_urls: list[str] = []
    logged: list[str] = []
    page.on("request", lambda request: requested_urls.append(request.url))
    page.on("console", lambda message: logged.append(message.text))
    page.goto((site / "index.html").as_uri())
    page.get_by_role("link", name="Compared with").click()
    assert not page.get_by_text("SO-1002").is_visible()
    page.click("#all-folds")
    assert page.get_by_text("SO-1002").is_visible()
    for name in ("Report of the left run", "Report of the right run"):
        page.get_by_role("link", name=name).click()
        assert page.locator("#verdict").is_visible()
        page.go_back()
    page.get_by_role("link", name="All reports").click()
    assert page.locator("#filters").is_visible()
    assert logged == []
    assert all(url.startswith(site.as_uri()) for url in requested_urls)


def test_filters_and_reports_are_reached_by_keyboard(page: Page, site: Path) -> None:
    page.goto((site / "index.html").as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "by-context"
    page.keyboard.press("Tab")
    page.keyboard.press("u")  # us-east, as in every list of choices
    assert shown(page) == ["us-east"]
    for _ in range(40):
        if page.evaluate("document.activeElement.textContent").startswith("Report"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/report.html")


def test_paper_shows_the_runs_and_no_filters(page: Page, site: Path) -> None:
    page.goto((site / "index.html").as_uri())
    assert page.pdf(format="A4").startswith(b"%PDF-")
    page.emulate_media(media="print")
    assert not page.locator("#filters").is_visible()
    assert len(shown(page)) == len(STORY)


@pytest.mark.parametrize("name", ["**/eu-west/runbook.html", "**/compared-with-*.html"])
def test_pages_of_a_slice_are_quiet_and_whole_on_paper_and_by_keyboard(
    page: Page, site: Path, name: str
) -> None:
    (file,) = site.glob(name)
    requests: list[str] = []
    logged: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: logged.append(message.text))
    page.on("pageerror", lambda error: logged.append(str(error)))
    page.goto(file.as_uri(), wait_until="networkidle")
    assert requests == [file.as_uri()]
    # Each link and each fold is reached, in the order in which it stands.
    reachable = page.locator("a[href]:visible, summary:visible, button:visible").count()
    reached = set()
    for _ in range(reachable + 5):
        page.keyboard.press("Tab")
        place = page.evaluate(
            "[...document.querySelectorAll('a[href], summary, button')]"
            ".indexOf(document.activeElement)"
        )
        if place < 0:
            break
        assert place >= max(reached, default=0)
        reached.add(place)
    assert len(reached) >= reachable
    text = page.locator("main").inner_text()
    page.emulate_media(media="print")
    printed = page.locator("main").inner_text()
    assert page.pdf(format="A4").startswith(b"%PDF-")
    headings = page.locator("main h2").all_inner_texts()
    assert headings
    assert all(heading in printed for heading in headings)
    assert len(printed) >= 0.9 * len(text)
    assert logged == []
