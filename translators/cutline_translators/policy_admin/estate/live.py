"""The new live producer's events: beside the old system in the last hour, alone after the cut."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from cutline_translators.estate.live import cut_off, records, write_topic
from cutline_translators.policy_admin.estate.newcomers import Arrived
from cutline_translators.policy_admin.estate.policies import Drafted
from cutline_translators.policy_admin.estate.rows import Row

SOURCE = "urn:insurer:live:policies"
PREFIX = "insurer"

_Told = tuple[str, str, str, dict[str, Any]]


def write_live(
    topics: Path, rng: np.random.Generator, beside: list[Arrived], alone: list[Arrived]
) -> None:
    """The live topics of both aggregates.

    What the old system took in as well is told with the same words. Two records nobody asked for
    stand at the end: one that was cut off, and one of a type that the context does not know.
    """
    told: dict[str, list[tuple[int, _Told]]] = {"policy": [], "claim": []}
    for arrived in (*beside, *alone):
        if arrived.policy is not None:
            told["policy"] += [(arrived.at, said) for said in _bound(arrived.policy)]
        if arrived.claim is not None:
            told["claim"] += [(arrived.at, said) for said in _registered(arrived.claim)]
    at, (_, subject, region, _) = told["policy"][0]
    told["policy"].append((at, ("BrochureSent", subject, region, {"brochure": "welcome"})))
    for aggregate, said in told.items():
        write_topic(topics / f"{PREFIX}.insurance_policy.{aggregate}.live", _records(rng, said))
    cut_off(topics / f"{PREFIX}.insurance_policy.policy.live" / "00000.jsonl", "P-")


def _bound(policy: Drafted) -> Iterator[_Told]:
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


def _registered(claim: Row) -> Iterator[_Told]:
    subject, region = str(claim["claim_no"]), str(claim["region"])
    registered = ("policy_no", "incident_on", "entered_at")
    yield "ClaimRegistered", subject, region, {n: claim[n] for n in registered}
    reserve = ("reserve_no", "reserve_cents")
    yield "ReserveSet", subject, region, {n: claim[n] for n in reserve}


def _records(rng: np.random.Generator, said: list[tuple[int, _Told]]) -> pa.Table:
    tables = []
    for kind in dict.fromkeys(told[0] for _, told in said):
        mine = [(at, told) for at, told in said if told[0] == kind]
        texts = [json.dumps(t[3], sort_keys=True, separators=(",", ":")) for _, t in mine]
        tables.append(
            records(
                rng,
                SOURCE,
                kind,
                pa.array([t[1] for _, t in mine], pa.string()),
                np.array([at for at, _ in mine], dtype=np.int64),
                pa.array([t[2] for _, t in mine], pa.string()),
                pa.array(texts, pa.string()),
            )
        )
    return pa.concat_tables(tables)
