"""What a run must be able to say before its result may be trusted: nine obligations.

Source of the list: notes on snapshot and change capture by Debezium, DBLog, Snuba and Ghostferry,
gathered in the project's design.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

PROVEN, HELD, ASSUMED, VIOLATED = "proven", "held", "assumed", "violated"
"""Shown by figures; contradicted, by rows that are held and of which nothing is told; taken on
trust; contradicted, so that the run stops."""

OBLIGATIONS: Mapping[str, str] = {
    "O1": "the chunks partition the key space",
    "O2": "the tail is retained from before the snapshot, on the same timeline",
    "O3": "no gap: every transaction is visible in the snapshot or kept",
    "O4": "no double: no transaction is both",
    "O5": "per key, positions never go back",
    "O6": "at quiescence, the target is the translation of the source",
    "O7": "a re-run gives the same ids and bytes",
    "O8": "conservation: every row has one end, with a reason",
    "O9": "a time that calls itself exact is the one at which its fact came to be",
}


@dataclass(frozen=True)
class Obligation:
    """One obligation, for one source or (null) the whole run.

    `by` says what proves it, who assumed it, or where it is violated.
    """

    code: str
    status: str
    by: str
    source: str | None = None
