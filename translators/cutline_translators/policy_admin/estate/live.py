"""The new live producer's events: beside the old system in the last hour, alone after the cut."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from cutline_translators.estate.live import append_torn_record, topic_records, write_topic
from cutline_translators.policy_admin.estate.newcomers import Newcomer
from cutline_translators.policy_admin.estate.policies import DraftedPolicy
from cutline_translators.policy_admin.estate.rows import Row

SOURCE = "urn:insurer:live:policies"
PREFIX = "insurer"

_LiveEvent = tuple[str, str, str, dict[str, Any]]
"""The type, subject, region and payload of an event."""


def write_live(
    topics: Path, rng: np.random.Generator, beside: list[Newcomer], alone: list[Newcomer]
) -> None:
    """The live topics of both aggregates.

    Business that the old system has as well is announced with the same values. Two bad records are
    at the end: a torn one, and one of a type that the context does not know.
    """
    events: dict[str, list[tuple[int, _LiveEvent]]] = {"policy": [], "claim": []}
    for newcomer in (*beside, *alone):
        if newcomer.policy is not None:
            events["policy"] += [(newcomer.at, event) for event in _policy_events(newcomer.policy)]
        if newcomer.claim is not None:
            events["claim"] += [(newcomer.at, event) for event in _claim_events(newcomer.claim)]
    at, (_, subject, region, _) = events["policy"][0]
    events["policy"].append((at, ("BrochureSent", subject, region, {"brochure": "welcome"})))
    for aggregate, aggregate_events in events.items():
        write_topic(
            topics / f"{PREFIX}.insurance_policy.{aggregate}.live", _records(rng, aggregate_events)
        )
    append_torn_record(topics / f"{PREFIX}.insurance_policy.policy.live" / "00000.jsonl", "P-")


def _policy_events(policy: DraftedPolicy) -> Iterator[_LiveEvent]:
    header = policy.header
    subject, region = str(header["policy_no"]), str(header["region"])
    bound = {
        "customer_no": header["customer_no"],
        "product": header["product"],
        "covered_from": header["inception_on"],
    }
    yield "PolicyBound", subject, region, bound
    term = {"term_from": header["term_from"], "term_to": header["term_to"]}
    yield "TermAgreed", subject, region, term
    for cover in policy.coverages:
        names = ("coverage_no", "risk", "sum_insured_cents", "covered_from")
        yield "CoverageAdded", subject, region, {n: cover[n] for n in names}
    for cost in policy.premiums:
        data = {n: cost[n] for n in ("period_from", "revision", "premium_cents")}
        name = f"{str(header['product']).capitalize()} 2025"
        yield "PremiumChanged", subject, region, {**data, "tariff": name}


def _claim_events(claim: Row) -> Iterator[_LiveEvent]:
    subject, region = str(claim["claim_no"]), str(claim["region"])
    registered = ("policy_no", "incident_on", "entered_at")
    yield "ClaimRegistered", subject, region, {n: claim[n] for n in registered}
    reserve = ("reserve_no", "reserve_cents")
    yield "ReserveSet", subject, region, {n: claim[n] for n in reserve}


def _records(rng: np.random.Generator, events: list[tuple[int, _LiveEvent]]) -> pa.Table:
    tables = []
    for kind in dict.fromkeys(event[0] for _, event in events):
        of_kind = [(at, event) for at, event in events if event[0] == kind]
        texts = [json.dumps(t[3], sort_keys=True, separators=(",", ":")) for _, t in of_kind]
        tables.append(
            topic_records(
                rng,
                SOURCE,
                kind,
                pa.array([t[1] for _, t in of_kind], pa.string()),
                np.array([at for at, _ in of_kind], dtype=np.int64),
                pa.array([t[2] for _, t in of_kind], pa.string()),
                pa.array(texts, pa.string()),
            )
        )
    return pa.concat_tables(tables)
