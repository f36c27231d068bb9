"""The system's own answers, by SQL on its own database, for aggregates and the outcome."""

from __future__ import annotations

import datetime as dt
from importlib.resources import files
from string import Template

from cutline.translator import Truth
from cutline_domains.insurance_policy import NOTICE_MONTH


def _sql(name: str) -> str:
    return files(__package__).joinpath(f"{name}.sql").read_text(encoding="utf-8")


def renewal_notices(month: dt.date) -> str:
    """The SQL of the notices of a month, which is given by its first day."""
    following = (month.replace(day=1) + dt.timedelta(days=31)).strftime("%Y-%m")
    return Template(_sql("renewal_notices")).substitute(month_of_end=following)


TRUTH = Truth(
    aggregates={name: _sql(name) for name in ("policy", "claim")},
    outcomes={"renewal_notices": renewal_notices(NOTICE_MONTH)},
)
"""One SQL file each, beside this module."""
