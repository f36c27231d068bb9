"""From which moment on something is read again."""

from __future__ import annotations

import datetime as dt

from cutline.api.replays import moment_of
from cutline.errors import ConfigurationError

BEGINNING = "beginning"


def since_moment(since: str | dt.datetime) -> dt.datetime | None:
    """The moment from which on something is read again; null for `"beginning"`."""
    if since == BEGINNING:
        return None
    try:
        return moment_of("--from", since, "Nothing was changed.")
    except ConfigurationError as error:
        raise ConfigurationError(
            error.what,
            left_behind=error.left_behind,
            next_step=f"{error.next_step}, or --from {BEGINNING}",
        ) from None
