"""The true sequences of the claims: what was done, when that was finished, and by whom."""

from __future__ import annotations

import datetime as dt

from support.scored.data import lines
from support.scored.truth import TrueEvent

FILE = "insurance-claims/Insurance_Claims_train.csv"


def true_events() -> list[TrueEvent]:
    """Every event of the file, in its order, which is not that of time."""
    return [
        TrueEvent(
            case=str(line["case_id"]),
            activity=str(line["activity"]),
            time=dt.datetime.fromisoformat(str(line["end_time"])),
            place=place,
            payload={"handled_by": line["resource"]},
        )
        for place, line in enumerate(lines(FILE))
    ]
