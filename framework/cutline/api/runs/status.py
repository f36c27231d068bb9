"""Where slices stand, those that were never run included."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cutline.control.records import SliceStatus

INTERRUPTED = "interrupted"
"""The status of a run that says `running` while nobody works on its slice."""


def standing(
    declared: Iterable[tuple[str, str]], known: Iterable[SliceStatus]
) -> list[dict[str, Any]]:
    """One mapping per slice: the declared ones in their order, then what else was ever run."""
    by_slice = {(s.context, s.region): s for s in known}
    order = dict.fromkeys([*declared, *by_slice])
    return [_slice(context, region, by_slice.get((context, region))) for context, region in order]


def _slice(context: str, region: str, known: SliceStatus | None) -> dict[str, Any]:
    return {
        "context": context,
        "slice": region,
        "last_run": known.last_run if known else None,
        "status": _status(known) if known and known.status else "never run",
        "decision": known.decision if known else None,
        "runs": known.runs if known else 0,
        "authority": known.authority if known else "legacy",
        "held_by": str(known.holder) if known and known.holder else None,
    }


def _status(known: SliceStatus) -> str:
    return INTERRUPTED if known.status == "running" and not known.holder else str(known.status)
