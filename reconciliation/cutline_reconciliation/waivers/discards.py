"""Discarded exceptions: what of them a run has, and what their gates say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from pyspark.sql import DataFrame

from cutline.identity.exceptions import exception_id
from cutline.project.waivers import DiscardedExceptions, is_expired
from cutline.results.reconcile import GateVerdict, WaiverResult, gate_name
from cutline.wording import counted
from cutline.workspace import Workspace

_SHOWN = 20
"""So many of their ids a result lists."""


@dataclass(frozen=True)
class DiscardOutcomes:
    """What became of a slice's discarded exceptions in a run."""

    left: DataFrame
    """The exceptions of the run without those that are discarded."""
    discarded: int
    """How many ids are discarded, of those that the run has."""
    verdicts: tuple[GateVerdict, ...] = ()
    """One verdict per entry of waivers.yaml."""
    results: tuple[WaiverResult, ...] = ()
    """The same, as the result of the stage keeps it."""


def discard_outcomes(workspace: Workspace, exceptions: DataFrame) -> DiscardOutcomes:
    """The run's exceptions against the entries under `discarded` that are about the slice.

    An entry says NO-GO if its last day was before the day of the run's knowledge time, and if the
    run has none of its exceptions any more. One that has expired discards nothing.
    """
    context, region = workspace.context.name, workspace.region
    entries = workspace.project.discarded_of(context, region)
    if not entries:
        return DiscardOutcomes(exceptions, 0)
    named = exceptions.withColumn("id", exception_id(context, region))
    ids = [exception for entry in entries for exception in entry.exceptions]
    # Never more than waivers.yaml names.
    rows = named.where(named["id"].isin(ids)).groupBy("id").count().collect()
    open_ids = {row["id"]: int(row["count"]) for row in rows}
    at = workspace.recorded_at
    holding = workspace.project.discarded_on(context, region, at)
    discarded = [exception for exception in open_ids if exception in holding]
    verdicts = [_verdict(entry, open_ids, expired=is_expired(entry, at)) for entry in entries]
    return DiscardOutcomes(
        named.where(~named["id"].isin(discarded)).drop("id") if discarded else exceptions,
        len(discarded),
        tuple(verdicts),
        tuple(
            _result(entry, verdict, open_ids, expired=is_expired(entry, at))
            for entry, verdict in zip(entries, verdicts, strict=True)
        ),
    )


def _verdict(
    entry: DiscardedExceptions, open_ids: Mapping[str, int], *, expired: bool
) -> GateVerdict:
    open_here = [exception for exception in entry.exceptions if exception in open_ids]
    title, listed = f"Discarded {entry.name}", counted(len(entry.exceptions), "exception")
    if expired:
        sentence = (
            f"{title}: its last day was {entry.expires}; {len(open_here):,} of {listed} are open"
        )
    elif not open_here:
        sentence = f"{title}: none of its {listed} is open. Remove it"
    else:
        sentence = (
            f"{title}: {len(open_here):,} of {listed} are open, and nothing will come of them; "
            f"accepted up to {entry.expires} by {entry.owner} ({entry.ticket})"
        )
    return GateVerdict(gate_name("waiver", entry.name), bool(open_here) and not expired, sentence)


def _result(
    entry: DiscardedExceptions,
    verdict: GateVerdict,
    open_ids: Mapping[str, int],
    *,
    expired: bool,
) -> WaiverResult:
    open_number = sum(exception in open_ids for exception in entry.exceptions)
    return WaiverResult(
        **entry.model_dump(exclude={"exceptions"}),
        match={"exceptions": list(entry.exceptions[:_SHOWN])},
        passed=verdict.passed,
        sentence=verdict.sentence,
        expired=expired,
        matched=open_number,
        taken=open_number,
        max_breaks=len(entry.exceptions),
        max_money=Decimal(0),
        money=Decimal(0),
        without_amount=open_number,
    )
