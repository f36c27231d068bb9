"""The index of a site: what it says of slices and runs, escaped, and linked below its folder."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace

import pytest

from cutline_reports.site import OpenBreaks, RunEntry, SiteIndex, SliceEntry, index_page
from cutline_reports.site.days import grid_days, runs_of_day
from cutline_reports.site.trend import trend_bars, trend_words
from support.html_page import Page

T0 = dt.datetime(2026, 11, 1, 22, tzinfo=dt.UTC)


def run(number: int, *, open_breaks: int | None = 0, decision: str | None = "go") -> RunEntry:
    return RunEntry(
        run_id=f"run-{number}",
        status="complete",
        decision=decision,
        why="Every gate says yes.",
        created_at=T0 + dt.timedelta(hours=number),
        breaks=None if open_breaks is None else OpenBreaks(open_breaks, 1, 2, 4),
        report=f"shop/north/run-{number}/report.html",
        no_report=None,
    )


def index(*runs: RunEntry, region: str = "north", older: int = 0) -> SiteIndex:
    newest_first = tuple(reversed(runs))
    slices = (
        SliceEntry(
            "shop", region, "complete", "legacy", newest_first, older, f"shop/{region}/runbook.html"
        ),
    )
    return SiteIndex("retail", "1.0", T0, slices)


def test_hostile_texts_are_escaped_and_made_visible() -> None:
    hostile = '"><script>alert(1)</script>\u202e'
    page = index_page(
        index(replace(run(1), run_id=hostile, why=hostile, report=f"{hostile}/../x?#.html"))
    )
    elements = Page(page).elements
    assert [tag for tag, _ in elements].count("script") == 1
    others = {"#content", "shop/north/runbook.html"}
    (href,) = {a["href"] for tag, a in elements if tag == "a"} - others
    assert href == "%22%3E%3Cscript%3Ealert%281%29%3C/script%3E%E2%80%AE/../x%3F%23.html"
    assert "\u202e" not in page
    assert "⟨U+202E⟩" in page


def test_a_run_is_in_the_row_of_its_slice_under_its_day_in_utc() -> None:
    runs = (run(1), run(3), run(30))
    entry = index(*runs).slices[0]
    assert grid_days([entry]) == ("2026-11-01", "2026-11-02", "2026-11-03")
    assert [r.run_id for r in runs_of_day(entry, "2026-11-02")] == ["run-3"]
    twelve_days = index(*(run(24 * day) for day in range(12)))
    assert grid_days(twelve_days.slices)[0] == "2026-11-03"
    assert len(grid_days(twelve_days.slices)) == 10


def test_a_trend_has_a_bar_per_reconciled_run_oldest_first() -> None:
    entry = index(run(1, open_breaks=200), run(2, open_breaks=None), run(3, open_breaks=1)).slices
    bars = trend_bars(entry[0].runs)
    assert [(bar.open, bar.height, bar.top) for bar in bars] == [(200, 100, 0), (1, 6, 94)]
    assert trend_words(bars) == "Open breaks, run by run: 200, 1"
    assert trend_bars(index(run(1, open_breaks=0)).slices[0].runs)[0].height == 0
    assert trend_bars(()) == ()
    assert len(trend_bars([run(n) for n in range(30)])) == 20


@pytest.mark.parametrize(
    ("of_run", "says"),
    [
        ({}, "GO"),
        ({"decision": "no-go"}, "NO-GO"),
        ({"decision": None, "status": "failed"}, "failed"),
        ({"decision": None, "status": "interrupted"}, "interrupted"),
    ],
)
def test_a_run_is_shown_by_its_decision_or_else_its_status(
    of_run: dict[str, str | None], says: str
) -> None:
    text = index_page(index(replace(run(1), **of_run)))
    row = next(attributes for tag, attributes in Page(text).elements if "data-run" in attributes)
    assert row["data-decision"] == (of_run.get("decision", "go") or "none")
    badges = re.findall(r'class="badge[^>]*>(?:<svg.*?</svg>)?\s*([\w-]+)</span>', text)
    assert badges == [says, says], "once in the slice's row, once in the run's"


def test_it_says_what_it_leaves_out() -> None:
    lost = replace(run(1), report=None, no_report="the report is no longer in the lake")
    text = Page(index_page(index(lost, older=3))).all_text()
    assert "shop in north has 3 older runs, which are not listed." in text
    assert "the report is no longer in the lake" in text
    empty = Page(index_page(SiteIndex("retail", "1.0", T0, ()))).all_text()
    assert "cutline.yaml has no slice." in empty
    assert "There was no run yet." in empty


def test_the_same_index_gives_the_same_bytes() -> None:
    assert index_page(index(run(1), run(2))) == index_page(index(run(1), run(2)))
