"""Plausible rows of the policy administration system; a test names only what it is about."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from cutline.engine.translate import translate_changes
from cutline.translator import SourceContract, Translator
from cutline_translators.policy_admin.contracts import (
    Claim,
    Coverage,
    Endorsement,
    Policy,
    Premium,
    Tariff,
)
from support.changes import changes_table, position, snapshot

CUT = dt.datetime(2026, 11, 1, 6, 0, tzinfo=dt.UTC)
CONTRACTS = (Policy, Coverage, Premium, Endorsement, Claim, Tariff)

Row = dict[str, Any]


def day(text: str) -> dt.date:
    """The day that ISO text spells."""
    return dt.date.fromisoformat(text)


def _row(defaults: Row, more: Mapping[str, Any]) -> Row:
    """The row; texts of days become days."""
    row = {**defaults, **more}
    return {
        k: day(v) if isinstance(v, str) and k.endswith(_DAYS) and v[4:5] == "-" else v
        for k, v in row.items()
    }


_DAYS = ("_on", "_from", "_to", "_for")


def policy(no: str, status: str = "A", **more: Any) -> Row:
    """A policy in its second term."""
    return _row(
        {
            "policy_no": no,
            "region": "north",
            "customer_no": "C-1",
            "holder": "A. Berg",
            "product": "HOME",
            "status": status,
            "inception_on": "2025-03-01",
            "term_from": "2026-03-01",
            "term_to": "2027-03-01",
            "status_on": "2025-03-01",
        },
        more,
    )


def coverage(no: str, number: int, status: str = "A", **more: Any) -> Row:
    """A cover of a house against fire."""
    return _row(
        {
            "policy_no": no,
            "coverage_no": number,
            "region": "north",
            "risk": "FIRE",
            "status": status,
            "sum_insured_cents": 5_000,
            "covered_from": "2025-03-01",
        },
        more,
    )


def premium(no: str, begun: str, cents: int, **more: Any) -> Row:
    """What a policy costs from a day on."""
    return _row(
        {
            "policy_no": no,
            "period_from": begun,
            "region": "north",
            "tariff_code": "T-HOME",
            "premium_cents": cents,
            "revision": 1,
        },
        more,
    )


def tariff(version: int, begun: str, ended: str | None, **more: Any) -> Row:
    """A version of the tariff."""
    row = {"tariff_code": "T-HOME", "version": version, "name": f"Home {begun[:4]}"}
    return _row({**row, "valid_from": begun, "valid_to": ended}, more)


def endorsement(no: str, status: str = "I", **more: Any) -> Row:
    """An amendment that took effect two months before it was keyed in."""
    return _row(
        {
            "endorsement_no": no,
            "policy_no": "P",
            "region": "north",
            "kind": "CLAUSE",
            "status": status,
            "effective_on": "2026-05-01",
            "premium_delta_cents": 250,
            "entered_at": dt.datetime(2026, 7, 2, 9, tzinfo=dt.UTC),
        },
        more,
    )


def claim(no: str, status: str = "R", **more: Any) -> Row:
    """A claim told a week after the incident."""
    return _row(
        {
            "claim_no": no,
            "policy_no": "P",
            "region": "north",
            "claimant": "B. Ash",
            "status": status,
            "incident_on": "2026-09-01",
            "notified_on": "2026-09-08",
            "entered_at": dt.datetime(2026, 9, 9, 9, tzinfo=dt.UTC),
            "reserve_no": 1,
            "reserve_cents": 900,
            "reserve_on": "2026-09-08",
        },
        more,
    )


def translation(
    spark: SparkSession,
    translator: type[Translator],
    rows: Mapping[type[SourceContract], Sequence[Mapping[str, Any]]],
) -> DataFrame:
    """What the translator makes of `snapshot(…)` and `change(…)` rows, or of plain rows."""
    inputs = {
        contract: changes_table(
            spark,
            contract,
            [row if "op" in row else snapshot(row) for row in rows.get(contract, [])],
            consistent_point=position(5),
        )
        for contract in CONTRACTS
    }
    return translate_changes(translator, inputs)


def ends(rows: Sequence[Any], table: str) -> dict[str, tuple[str, str]]:
    """key -> (disposition, rule) of a table with one change per key."""
    return {
        "/".join(map(str, json.loads(r["key"]))): (r["disposition"], r["rule"])
        for r in rows
        if r["table"] == table
    }


def events_of(rows: Sequence[Any], subject: str) -> list[tuple[str, str, dict[str, Any]]]:
    """(type, day or time, payload) of a subject's events, by position and rule."""
    rows_of_subject = sorted(
        (r for r in rows if r["subject"] == subject), key=lambda r: r["position"]
    )
    return [
        (e["type"], _when(e["time"]), json.loads(e["data"]))
        for r in rows_of_subject
        for e in r["events"]
    ]


def heads(rows: Sequence[Any], subject: str) -> list[tuple[str, str]]:
    """(type, day or time) of a subject's events."""
    return [(kind, at) for kind, at, _ in events_of(rows, subject)]


def _when(at: dt.datetime) -> str:
    return at.isoformat().removesuffix("T00:00:00")
