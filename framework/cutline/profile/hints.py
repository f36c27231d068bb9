"""What a person should look at twice, told from counts alone."""

from __future__ import annotations

from collections.abc import Iterator

from cutline.profile.figures import Figures
from cutline.profile.inferred import least_and_greatest

_SECONDS = (500_000_000, 4_000_000_000)
_SENTINELS_LOW, _SENTINELS_HIGH = "1901", "2999"


def hints(figures: Figures, kind: str) -> Iterator[str]:
    """One short sentence per thing."""
    low, high = least_and_greatest(figures, kind)
    if not figures.values and not figures.unreadable:
        yield "never set"
    if figures.padded:
        yield f"{figures.padded:,} with blanks around them"
    if kind == "timestamp_ntz":
        yield "no zone: say whose clock it is"
    if kind == "timestamp" and 0 < figures.zoned < figures.moments:
        yield f"{figures.moments - figures.zoned:,} without a zone"
    if kind == "string" and 0 < figures.values - (times := figures.days + figures.moments) < times:
        yield f"{figures.values - times:,} are no dates, the others are"
    if kind == "bigint" and figures.compact_days == figures.values:
        yield "may be dates written YYYYMMDD"
    elif kind == "bigint" and low and high and _is_between(low, high, 1):
        yield "may be seconds since 1970"
    elif kind == "bigint" and low and high and _is_between(low, high, 1000):
        yield "may be milliseconds since 1970"
    if kind in ("date", "timestamp", "timestamp_ntz") and low and high:
        if high > _SENTINELS_HIGH:
            yield f"{high} may stand for never"
        if low < _SENTINELS_LOW:
            yield f"{low} may stand for unknown"


def _is_between(low: str, high: str, factor: int) -> bool:
    first, last = _SECONDS
    return first * factor <= int(low) and int(high) <= last * factor
