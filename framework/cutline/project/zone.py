"""A time zone, as a project or a rules file names it."""

from __future__ import annotations

import re
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

_OFFSET = re.compile(r"[+-](?:0\d|1[0-7]):[0-5]\d|[+-]18:00")
_NO_PLACE = ("posix", "right", "localtime", "Factory")
"""What the zone database has beside zones; Java's has not."""


def _known_zone(name: str) -> str:
    if _OFFSET.fullmatch(name) or (name and _in_database(name)):
        return name
    raise PydanticCustomError(
        "time_zone",
        "must be a time zone such as Europe/Berlin, UTC or +01:00",
        {"expected": "'".join(sorted(available_timezones()))},
    )


def _in_database(name: str) -> bool:
    if name.startswith(_NO_PLACE):
        return False
    try:
        return bool(ZoneInfo(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False


Zone = Annotated[str, AfterValidator(_known_zone)]
"""A zone of the tz database, or a fixed offset such as +01:00."""
