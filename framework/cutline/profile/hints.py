"""What a person should look at twice, told from counts alone."""

from __future__ import annotations

from collections.abc import Iterator

from cutline.profile.figures import Figures
from cutline.profile.inferred import ends

_SECONDS = (500_000_000, 4_000_000_000)
_SENTINELS_LOW, _SENTINELS_HIGH = "1901", "2999"


def hints(seen: Figures, kind: str) -> Iterator[str]:
    """One short sentence per thing."""
    low, high = ends(seen, kind)
    if not seen.values and not seen.unreadable:
        yield "never set"
    if seen.padded:
        yield f"{seen.padded:,} with blanks around them"
    if kind == "timestamp_ntz":
        yield "no zone: say whose clock it is"
    if kind == "timestamp" and 0 < seen.zoned < seen.moments:
        yield f"{seen.moments - seen.zoned:,} without a zone"
    if kind == "string" and 0 < seen.values - (times := seen.days + seen.moments) < times:
        yield f"{seen.values - times:,} are no dates, the others are"
    if kind == "bigint" and seen.compact_days == seen.values:
        yield "may be dates written YYYYMMDD"
    elif kind == "bigint" and low and high and _among(low, high, 1):
        yield "may be seconds since 1970"
    elif kind == "bigint" and low and high and _among(low, high, 1000):
        yield "may be milliseconds since 1970"
    if kind in ("date", "timestamp", "timestamp_ntz") and low and high:
        if high > _SENTINELS_HIGH:
            yield f"{high} may stand for never"
        if low < _SENTINELS_LOW:
            yield f"{low} may stand for unknown"


def _among(low: str, high: str, factor: int) -> bool:
    first, last = _SECONDS
    return first * factor <= int(low) and int(high) <= last * factor
