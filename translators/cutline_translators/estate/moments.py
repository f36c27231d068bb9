"""The estate's clock: when the extract was taken, where history ends, and how times are written."""

from __future__ import annotations

import datetime as dt

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Ints = npt.NDArray[np.int64]

MINUTE, HOUR, DAY = 60, 3600, 86400
NULL = -1
"""A missing time among seconds since 1970."""


def _seconds(text: str) -> int:
    return int(dt.datetime.fromisoformat(text).timestamp())


EXTRACT = _seconds("2026-11-01T02:00:00+00:00")
LIVE_START = _seconds("2026-11-01T05:00:00+00:00")
CUT = _seconds("2026-11-01T06:00:00+00:00")
END = _seconds("2026-11-01T06:30:00+00:00")


def iso(seconds: Ints, fraction: str = "") -> pa.Array:
    """`2026-10-28T09:15:00Z` per value, null for NULL; `fraction` goes before the Z."""
    moments = pa.array(seconds, mask=seconds == NULL).cast(pa.timestamp("s"))
    text = moments.cast(pa.string())
    day = pc.utf8_slice_codeunits(text, 0, 10)
    time = pc.utf8_slice_codeunits(text, 11, 19)
    return pc.binary_join_element_wise(day, "T", time, fraction, "Z", "")
