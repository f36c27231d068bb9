"""Readiness of a literal slice: what cutline.yaml declares, and rehearsals that are filed."""

from __future__ import annotations

from typing import Any

from cutline.control import EvidenceKey
from cutline.readiness import GateResult, readiness_of
from cutline.readiness.way_back import way_back_digest
from support.rolled_out import CONTEXT, REGION, RolledOutSlice

HISTORY = "retail.fulfilment.customer_order.synthetic"
STATES = "retail.fulfilment.customer_order.state"
GOVERNANCE = {
    "owner": "Order desk",
    "on_call": "Ann",
    "approver": "Bea",
    "retention": "ten years, for the auditors",
    "personal_data": "names of customers, by contract",
}
DECLARED: dict[str, Any] = {
    "capacity": {"gigabytes": 10, "copies": 2},
    "cost": {
        "currency": "EUR",
        "limit": 200,
        "gigabyte_sent": 1,
        "gigabyte_month": 2,
        "months": 12,
    },
    "governance": GOVERNANCE,
}
VOLUME = {
    "passed": True,
    "says": "measured",
    "events": 100,
    "states": 50,
    "event_bytes": 100_000,
    "state_bytes": 25_000,
    "records_per_second": 500.0,
}
PASSED = {"passed": True, "says": "it holds"}


def measured(**gates: Any) -> dict[str, Any]:
    """The figures of a rehearsal in which every gate holds, but for those that are given."""
    names = ("compatibility", "offsets", "rollback", "observability")
    return {"gates": dict.fromkeys(names, PASSED) | {"storage": VOLUME, "cost": VOLUME} | gates}


def file_rehearsal(
    slice_: RolledOutSlice,
    figures: dict[str, Any],
    outcome: Any = "passed",
    translators: dict[str, str] | None = None,
    run: str = "run-1",
    *,
    way_back: bool = True,
) -> None:
    """Files a rehearsal that came to its end, and tried the way back of writes where that is meant
    by `way_back`."""
    rollback = figures.get("gates", {}).get("rollback")
    if way_back and rollback is not None:
        statements = way_back_digest(slice_.project.file.rollout)
        trial = {"way_back": {"passed": True, "statements": statements}}
        figures = figures | {"gates": figures["gates"] | {"rollback": trial | rollback}}
    key = EvidenceKey(
        "rehearsal", "cutline rehearse", run, None, translators or {}, "retail.rehearsal.1", "ann"
    )
    with slice_.control.lease(CONTEXT, REGION) as lease:
        number = slice_.control.begin_evidence(key, lease).number
        slice_.control.evidence_removed(number, lease)
        slice_.control.finish_evidence(number, outcome, figures, lease)


def gates(slice_: RolledOutSlice) -> dict[str, GateResult]:
    """The gates of the slice now, by name."""
    readiness = readiness_of(slice_.project, slice_.control, CONTEXT, REGION)
    return {gate.gate: gate for gate in readiness.gates}


def colours(slice_: RolledOutSlice) -> dict[str, str]:
    """The colour of each gate now."""
    return {name: gate.colour for name, gate in gates(slice_).items()}
