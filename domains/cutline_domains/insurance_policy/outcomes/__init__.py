"""The decision that the context is judged by, with the new side's answer as Spark SQL."""

from __future__ import annotations

import datetime as dt
from importlib.resources import files
from string import Template

from cutline.context import Outcome

NOTICE_MONTH = dt.date(2026, 11, 1)
"""The first month whose renewal notices the new side sends, by its first day."""


def renewal_notices(month: dt.date) -> Outcome:
    """Who is to be sent a renewal notice in a month, which is given by its first day.

    The value is what the next term costs, in cents.
    """
    following, after = _next(month), _next(_next(month))
    sql = files(__package__).joinpath("renewal_notices.sql").read_text(encoding="utf-8")
    return Outcome(
        name="renewal_notices",
        question=f"Who is sent a renewal notice in {month:%B %Y}, and what does it say?",
        aggregate="policy",
        decide=Template(sql).substitute(ends_from=following, ends_before=after),
        unit="cents",
        # A claim that awaits a decision keeps the notice back.
        looks_at="SELECT policy_no AS subject, subject AS claim FROM state_claim",
    )


def _next(month: dt.date) -> dt.date:
    return (month.replace(day=1) + dt.timedelta(days=31)).replace(day=1)


RENEWAL_NOTICES = renewal_notices(NOTICE_MONTH)
OUTCOMES = (RENEWAL_NOTICES,)
