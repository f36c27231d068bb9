"""The report as one HTML file: offline, escaped, printable, readable without JavaScript."""

from __future__ import annotations

import base64
import functools
import hashlib
import shlex
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from cutline.secrets import as_written
from cutline.sql.spark import literal, quoted
from cutline_reports.bullet import bullet
from cutline_reports.model import CAP, GateRow, Provenance, RunReport
from cutline_reports.rates import (
    amount_text,
    count_text,
    decimal_text,
    pace_text,
    part_text,
    rate_text,
    seconds_text,
    share_text,
)
from cutline_reports.summary import break_anchor, exception_anchor, summary
from cutline_reports.texts import anchor, moment_text, visible, words
from cutline_reports.waterfall import waterfall


def as_html(report: RunReport) -> str:
    """The whole page, in the same bytes for the same report. It loads nothing from outside."""
    env = environment()
    script = asset(env, "report.js")
    return env.get_template("report.html.j2").render(
        report=report,
        decision=report.decision,
        books=report.books,
        provenance=report.provenance,
        cards=_cards(report.decision.gates),
        caps=[g for g in report.decision.gates if g.kind == CAP and g.passed],
        exception_anchors={g.rule: exception_anchor(g) for g in report.exceptions},
        points=summary(report),
        panels=waterfall(report.books),
        style=asset(env, "report.css"),
        script=script,
        script_hash=script_digest(script),
    )


def _cards(gates: tuple[GateRow, ...]) -> list[GateRow]:
    """The gates that are shown as cards: failed ones first, and no cap that was kept."""
    shown = [g for g in gates if not (g.kind == CAP and g.passed)]
    return sorted(shown, key=lambda g: (g.passed, not g.decided))


@functools.cache
def environment() -> Environment:
    """The templates of a run's report, which are compiled once by each process."""
    return new_environment()


def new_environment() -> Environment:
    """The templates, which escape all texts and make invisible characters visible; for who adds
    filters of its own."""
    templates = Environment(
        loader=PackageLoader("cutline_reports"),
        # Jinja's own default would leave `*.html.j2` unescaped.
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {
        "amount": amount_text,
        "anchor": anchor,
        "count": count_text,
        "decimal": decimal_text,
        "moment": moment_text,
        "pace": pace_text,
        "part": part_text,
        "rate": rate_text,
        "seconds": seconds_text,
        "share": share_text,
        "words": words,
    }
    templates.globals |= {
        "break_anchor": break_anchor,
        "bullet": bullet,
        "exception_anchor": exception_anchor,
        "exceptions": exceptions_command,
        "show": show_command,
    }
    return templates


def _finalize(value: Any) -> Any:
    """A text of the page with invisible characters made visible and without secrets."""
    is_text = isinstance(value, str) and not isinstance(value, Markup)
    return visible(as_written(value)) if is_text else value


def asset(env: Environment, name: str) -> Markup:
    """A file of this package, inserted into the page as it is."""
    assert env.loader is not None
    return Markup(env.loader.get_source(env, name)[0])  # noqa: S704


def script_digest(script: str) -> str:
    """The digest by which the page's content security policy allows the script, and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def show_command(run_id: str, table: str, **equal: str | None) -> str:
    """The command that shows all rows behind a group, ready for a shell."""
    tests = [
        f"{quoted(column)} is null" if value is None else f"{quoted(column)} = {literal(value)}"
        for column, value in equal.items()
    ]
    where = _quoted_for_shell(" and ".join(tests))
    return f"cutline show {shlex.quote(run_id)} {table} --where {where}"


def _quoted_for_shell(text: str) -> str:
    """In double quotes where a shell reads nothing into them: easier on the eye."""
    text = text if any(c in text for c in '\\"$!') else text.replace("`", "")
    return shlex.quote(text) if any(c in text for c in '\\"$!`') else f'"{text}"'


def exceptions_command(action: str, provenance: Provenance, *words: str) -> str:
    """A command of `cutline exceptions` about the slice of a run, ready for a shell."""
    return shlex.join(
        ["cutline", "exceptions", action, provenance.context, "--region", provenance.region, *words]
    )
