"""The sign-off of a run as one HTML file, made for paper."""

from __future__ import annotations

from decimal import Decimal

from cutline_reports.model import CAP, Ratio
from cutline_reports.rates import decimal_text, part_text, rate_text, share_text
from cutline_reports.site.sign_off import Document, sign_off_digest
from cutline_reports.site.template import page_environment, rendered

_UP = "../../../"


def sign_off_page(document: Document) -> str:
    """The page of a document of `sign_off`, with its digest; it shows nothing else.

    It links to the report beside it, and to the index three folders up.
    """
    env = page_environment()
    env.filters |= {
        "measure": _measure,
        "text_decimal": _decimal,
        "threshold": _threshold,
    }
    return rendered(
        env,
        "sign_off.html.j2",
        script="sign_off.js",
        styles=("report.css", "site.css", "sign_off.css"),
        version=document["cutline_version"],
        facts=document,
        go=document["decision"] == "go",
        digest=sign_off_digest(document),
        index=f"{_UP}index.html",
    )


def _measure(gate: Document) -> str:
    """The figure of a gate with its counts; a dash for a condition."""
    measured = gate["measured"]
    if measured is None:
        return "—"
    ratio = Ratio(measured["part"], measured["whole"])
    share = part_text(ratio) if gate["kind"] == CAP else rate_text(ratio)
    return f"{ratio.part:,} of {ratio.whole:,} ({share})"


def _threshold(gate: Document) -> str:
    """The threshold of a gate in words; a dash for a condition."""
    if gate["required"] is None:
        return "—"
    return (
        f"at {'most' if gate['kind'] == CAP else 'least'} {share_text(Decimal(gate['required']))}"
    )


def _decimal(text: str) -> str:
    return decimal_text(Decimal(text))
