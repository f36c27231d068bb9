"""A moment, as a project writes it."""

from __future__ import annotations

import datetime as dt
import re
from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, BeforeValidator


def _iso(value: Any) -> Any:
    # Without this, 20261101 would be read as seconds since 1970.
    if isinstance(value, int | float) or (isinstance(value, str) and not re.search(r"[-:]", value)):
        raise ValueError("must be a date and time with its zone, such as 2026-11-01T06:00:00Z")
    return value


def in_utc(moment: dt.datetime) -> dt.datetime:
    """The moment in UTC. ValueError where its year there is before the first or after 9999."""
    try:
        return moment.astimezone(dt.UTC)
    except OverflowError:
        raise ValueError("must be a moment of the years 1 to 9999 in UTC") from None


Moment = Annotated[AwareDatetime, BeforeValidator(_iso), AfterValidator(in_utc)]
"""A date and time with its zone, kept in UTC, such as 2026-11-01T06:00:00Z."""
