"""Results in a notebook: values are text, whatever stands in them."""

from __future__ import annotations

import pytest

from cutline import display
from cutline.api import CheckReport, ResultList, RunCounts, ShownRows, SliceCoverage, SliceOverview
from cutline.secrets import keep_secret

BAD = "<script>alert('&')</script>\x1b[2J"
SHOWN = "&lt;script&gt;alert(&#x27;&amp;&#x27;)&lt;/script&gt;\\x1b[2J"


def test_a_value_is_escaped_and_cannot_steer_a_terminal() -> None:
    assert display.text(BAD) == SHOWN
    assert display.table([BAD], [[BAD]]).count(SHOWN) == 2
    assert display.section(BAD, display.paragraph(BAD), display.preformatted(BAD)).count(SHOWN) == 3
    assert BAD not in display.link(f"/lake/{BAD}/report.html")


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("/a b/50%/#1?/r.html", "file:///a%20b/50%25/%231%3F/r.html"),
        ("s3a://lake/#1/r.html", "s3a://lake/%231/r.html"),
        ("file:///a/r.html", "file:///a/r.html"),
        ("/a://b/r.html", "file:///a://b/r.html"),
    ],
)
def test_a_link_leads_to_the_file_whatever_its_name(address: str, target: str) -> None:
    assert display.link(address) == f'<p><a href="{target}">{address}</a></p>'


def test_coverage_says_what_it_does_not_show() -> None:
    html = SliceCoverage("shop", "eu", (), ("erp.notes",), True)._repr_html_()
    assert "<p>… and more than 1,000 values: such a column classifies nothing.</p>" in html
    assert "<p>erp.notes: its contract calls no column classifying.</p>" in html


def test_numbers_nulls_and_lists_are_readable() -> None:
    values = [1234567, 0.25, None, True, ("a", "b"), {"x": 1}]
    assert [display.text(v) for v in values] == [
        "1,234,567", "0.250", "null", "True", "a, b", "x: 1",
    ]  # fmt: skip


def test_a_secret_is_shown_as_cutline_yaml_writes_it() -> None:
    keep_secret("hunter2hunter2", "${PASSWORD}")
    assert display.text("postgresql://me:hunter2hunter2@db") == "postgresql://me:${PASSWORD}@db"


def test_a_list_is_a_table_with_a_row_per_result() -> None:
    rows = ResultList([SliceOverview("shop", BAD, None, "never run", None, 0, "legacy", None)])
    html = rows._repr_html_()
    assert html.count("<tr>") == 2
    assert SHOWN in html
    assert repr(rows).startswith("[SliceOverview(context='shop'")
    assert ResultList()._repr_html_() == "<p>none</p>"
    assert rows.as_json() == [
        {
            "context": "shop",
            "slice": BAD,
            "last_run": None,
            "status": "never run",
            "decision": None,
            "runs": 0,
            "authority": "legacy",
            "held_by": None,
        }
    ]


def test_results_say_what_they_are_in_one_line_and_as_html() -> None:
    report = CheckReport("shop/cutline.yaml", ("fine",), (BAD,), (), ())
    assert repr(report) == "<CheckReport shop/cutline.yaml: 1 problem>"
    assert not report.ok
    assert SHOWN in report._repr_html_()
    counts = RunCounts(breaks={"state": 3, "record": 0}, outcomes={"promise": {"agree": 7}})
    html = counts._repr_html_()
    assert "<td>breaks</td><td>state</td><td>3</td>" in html
    assert "<td>outcome promise</td><td>agree</td><td>7</td>" in html
    assert "record" not in html
    assert SHOWN in ShownRows(("a",), ((BAD,),))._repr_html_()
