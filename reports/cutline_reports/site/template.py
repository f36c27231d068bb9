"""The templates of a site's pages, and how a page is made of one."""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from jinja2 import Environment
from markupsafe import Markup

from cutline_reports.html import asset, new_environment, script_digest
from cutline_reports.site.days import clock_of, day_of, runs_of_day
from cutline_reports.site.trend import trend_bars, trend_words
from cutline_reports.texts import moment_text


@functools.cache
def page_environment() -> Environment:
    """The templates of reports, with what the pages of a site need besides."""
    env = new_environment()
    env.filters |= {"day": day_of, "clock": clock_of, "address": address, "instant": instant}
    env.globals |= {
        "runs_of_day": runs_of_day,
        "trend_bars": trend_bars,
        "trend_words": trend_words,
    }
    return env


def address(path: str) -> Markup:
    """A relative path as an address: whatever is in a name, it stays a name below this folder."""
    return Markup.escape(quote(path, safe="/"))


def instant(text: str) -> str:
    """A moment of a document, which is written as in ISO 8601, to the second."""
    return moment_text(dt.datetime.fromisoformat(text))


def rendered(
    env: Environment,
    template: str,
    *,
    styles: Sequence[str],
    script: str,
    version: str,
    **values: Any,
) -> str:
    """The page of a template with its styles and its only script; `version` is Cutline's."""
    code = asset(env, script)
    return env.get_template(template).render(
        style=Markup("").join(asset(env, style) for style in styles),
        script=code,
        script_hash=script_digest(code),
        cutline_version=version,
        **values,
    )
