"""Shares, times and sizes in sentences."""

from __future__ import annotations

import datetime as dt

_UNITS = ((365 * 86_400, "year"), (86_400, "day"), (3_600, "hour"), (60, "minute"))


def percent(share: float) -> str:
    """A share of one as percent, never 0 % for more than nothing.

    >>> percent(0.125), percent(0.0), percent(0.00001)
    ('12.5 %', '0 %', 'less than 0.1 %')
    """
    if 0 < share < 0.001:
        return "less than 0.1 %"
    return f"{share * 100:.3g} %"


def span(time: dt.timedelta | float) -> str:
    """A time, or a number of seconds, in its largest unit.

    >>> span(dt.timedelta(hours=36)), span(7200), span(0.4)
    ('1.5 days', '2 hours', '0.4 seconds')
    """
    seconds = time.total_seconds() if isinstance(time, dt.timedelta) else time
    for size, unit in _UNITS:
        if seconds >= size:
            return _counted(seconds / size, unit)
    return _counted(seconds, "second")


def volume(number: float) -> str:
    """Bytes in their largest unit.

    >>> volume(512), volume(2_500_000), volume(3e12)
    ('512 bytes', '2.5 MB', '3,000 GB')
    """
    for size, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if number >= size:
            return f"{_short(number / size)} {unit}"
    return f"{number:,.0f} bytes"


def day(moment: dt.datetime) -> str:
    """The day of a moment."""
    return f"{moment:%Y-%m-%d}"


def _counted(number: float, unit: str) -> str:
    text = _short(number)
    return f"{text} {unit}{'' if text == '1' else 's'}"


def _short(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}".removesuffix(".0")
