"""A comparison of two runs as one HTML file, and in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutline_reports.site.template import page_environment, rendered

Document = Mapping[str, Any]
"""The output of `cutline compare-runs --json`."""
_PREFIX = "compared-with-"
_BREAKS = {"removed": "fixed", "added": "opened", "changed": "with other values"}


def comparison_name(run_id: str) -> str:
    """The name, without its ending, of the page that compares a run with an earlier one."""
    return f"{_PREFIX}{run_id}"


def compared_run(name: str) -> str:
    """The earlier run, by the name of a page."""
    return name.removeprefix(_PREFIX)


def runs_are_alike(document: Document) -> bool:
    """Whether both runs have the same events, states and breaks."""
    return not (
        any(part["changed"] or part["removed"] or part["added"] for part in document["parts"])
        or document["states_only_left"]
        or document["states_only_right"]
    )


def comparison_sentence(document: Document) -> str:
    """The differences in one sentence, events first."""
    if runs_are_alike(document):
        return "Both runs have the same events, states and breaks."
    differences = [words for part in document["parts"] if (words := _part_words(part))]
    differences += [
        f"states of {name}: only in the {side} run"
        for side in ("left", "right")
        for name in document[f"states_only_{side}"]
    ]
    text = "; ".join(differences)
    return f"{text[0].upper()}{text[1:]}."


def comparison_page(document: Document, left_report: bool, right_report: bool) -> str:
    """The whole page, in the same bytes for the same document.

    It links to the reports of both runs, as far as the site has them, and to the index three
    folders up.
    """
    return rendered(
        page_environment(),
        "runs_compared.html.j2",
        script="report.js",
        styles=("report.css", "site.css", "runs_compared.css"),
        version=document["cutline"],
        runs=document,
        left_report=left_report,
        right_report=right_report,
        sentence=comparison_sentence(document),
        label=_label,
        largest={_label(p): _largest(p) for p in document["parts"]},
        index="../../../index.html",
    )


def _label(part: Document) -> str:
    return f"states of {part['name']}" if part["kind"] == "states" else str(part["kind"])


def _largest(part: Document) -> int:
    return max((cluster["count"] for cluster in part["clusters"]), default=1)


def _part_words(part: Document) -> str:
    words = _BREAKS if part["kind"] == "breaks" else {}
    counts = [
        f"{part[name]:,} {words.get(name, name)}"
        for name in ("changed", "removed", "added")
        if part[name]
    ]
    return f"{_label(part)}: {', '.join(counts)}" if counts else ""
