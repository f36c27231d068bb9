"""The control database's front door."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from pydantic import SecretStr, ValidationError

from cutline.control import reading, writing
from cutline.control.backfills import (
    Backfill,
    BackfillStatus,
    NewBackfill,
    allow_records,
    backfill,
    backfills,
    beat_backfill,
    cancel_backfill,
    claim_backfill,
    damaged_order,
    finish_backfill,
    offsets_read,
    submit_backfill,
)
from cutline.control.client_quotas import (
    RecordedQuota,
    client_quotas,
    forget_client_quota,
    record_client_quota,
)
from cutline.control.database import Database
from cutline.control.evidence import (
    Evidence,
    EvidenceKey,
    Outcome,
    begin_evidence,
    evidence,
    evidence_removed,
    finish_evidence,
)
from cutline.control.extracts import remember_extract
from cutline.control.lease import Lease, confirm_lease, hold_slice
from cutline.control.meanings import Meaning, meanings, remember_meaning
from cutline.control.opening import existing_database, open_database
from cutline.control.publications import (
    LedgerEntry,
    PublishedPartition,
    publications,
    remember_publications,
)
from cutline.control.records import Decision, RunKey, RunRecord, SliceStatus
from cutline.control.rollouts import (
    LedgerLine,
    Release,
    Rollout,
    RolloutChange,
    change_rollout,
    damaged_release,
    open_rollout,
    releases,
    rolled_out,
    rollout,
    rollout_ledger,
)
from cutline.control.rows import DamagedRow
from cutline.control.slices import slice_status, slices, worked_on
from cutline.control.snapshots import Snapshot, drop_snapshot, snapshots, take_snapshot
from cutline.control.tenures import Tenure, tenures
from cutline.control.trends import Trend, reconciled_before, remember_trend, trends
from cutline.control.triage import Assignment, NewAssignment, assign, assignments
from cutline.results import StageResult


class Control:
    """Runs, stages, slices and leases of one project.

    Whatever reads a row raises DamagedRow where that cannot be read; other rows are none the worse.

    What takes a lease is fenced: unless the lease still holds its slice, nothing is written and
    SliceBusy (another process has it) or RunFailed is raised. Times are the database's clock, in
    UTC. It keeps no connection open, may be used by several threads, and needs no closing.
    """

    def __init__(self, database: Database) -> None:
        self.database = database

    @classmethod
    def open(cls, url: SecretStr, folder: Path) -> Control:
        """Opens it with the newest schema, creating it if needed.

        A relative SQLite path is relative to `folder`, the project's. ConfigurationError if the
        URL, the database or its schema (a newer Cutline's) cannot be used.
        """
        return cls(open_database(url, folder))

    @classmethod
    def peek(cls, url: SecretStr, folder: Path) -> Control | None:
        """As `open`, but None, and nothing created, if there never was a run."""
        database = existing_database(url, folder)
        return None if database is None else cls(database)

    def lease(self, context: str, region: str) -> AbstractContextManager[Lease]:
        """The right to work on the slice, renewed until the `with` block ends.

        SliceBusy if another process holds it. One that is gone from this host is replaced at
        once; one elsewhere when it has been silent for 30 seconds.
        """
        return hold_slice(self.database, context, region)

    def now(self) -> dt.datetime:
        """The moment by the clock of the control database, in UTC."""
        with self.database.read() as connection:
            return self.database.now(connection)

    def begin(self, key: RunKey, recorded_at: dt.datetime, lease: Lease) -> RunRecord:
        """The run of this key: a new one, or the one that exists, with its first `recorded_at`.

        A failed run is running again; a complete one stays complete.
        """
        return writing.begin_run(self.database, key, recorded_at, lease)

    def confirm(self, lease: Lease) -> None:
        """Raises SliceBusy or RunFailed if the slice is no longer this lease's, by the database."""
        confirm_lease(self.database, lease)

    def stage_started(self, run_id: str, stage: str, lease: Lease) -> None:
        """Records the start of a stage: an earlier attempt is forgotten, and the run is running."""
        writing.stage_started(self.database, run_id, stage, lease)

    def stage_done(
        self,
        run_id: str,
        stage: str,
        result: StageResult,
        digest: str,
        seconds: float,
        lease: Lease,
    ) -> None:
        """Records the good end of a stage that was started."""
        writing.stage_done(self.database, run_id, stage, result, digest, seconds, lease)

    def stage_failed(self, run_id: str, stage: str, error: str, lease: Lease) -> None:
        """Records the bad end of a stage that was started; the run itself ends by `fail`."""
        writing.stage_failed(self.database, run_id, stage, error, lease)

    def decide(self, run_id: str, decision: Decision, decided_by: str, lease: Lease) -> None:
        """Records the run's decision, and which gate or person took it."""
        writing.record_decision(self.database, run_id, decision, decided_by, lease)

    def complete(self, run_id: str, lease: Lease) -> None:
        """Records the good end of the run."""
        writing.complete_run(self.database, run_id, lease)

    def fail(self, run_id: str, error: str, lease: Lease) -> None:
        """Records the bad end of the run, and why."""
        writing.fail_run(self.database, run_id, error, lease)

    def run(self, run_id: str) -> RunRecord | None:
        """The run of this id, or the only one whose id begins so; None if there is none.

        ConfigurationError, with the candidates, if several begin so.
        """
        return reading.run_by_prefix(self.database, run_id)

    def runs(self, context: str | None = None, region: str | None = None) -> list[RunRecord]:
        """The runs of a context and a region (of all, if not given), newest first."""
        return reading.newest_first(self.database, context, region)

    def results(self, context: str, region: str, stage: str) -> list[tuple[str, StageResult]]:
        """Run and result of a stage where it is done in the slice, newest run first."""
        return reading.results(self.database, context, region, stage)

    def slices(self) -> list[SliceStatus]:
        """Where each slice that was ever worked on stands, by context and region."""
        return slices(self.database)

    def worked_on(self) -> list[tuple[str, str]]:
        """Context and region of the slices that were ever worked on, in order."""
        return worked_on(self.database)

    def slice_status(self, context: str, region: str) -> SliceStatus | None:
        """Where one slice stands; None for one that was never worked on."""
        return slice_status(self.database, context, region)

    def remember_trend(self, trend: Trend, lease: Lease) -> None:
        """Stores what became of a run's breaks, in place of what an earlier attempt stored."""
        remember_trend(self.database, trend, lease)

    def trends(self, context: str, region: str) -> dict[str, Trend]:
        """What became of the breaks of each run of the slice that was reconciled, by run."""
        return trends(self.database, context, region)

    def reconciled_before(self, run_id: str) -> list[str]:
        """The reconciled runs of its slice that were begun before this one, newest first."""
        return reconciled_before(self.database, run_id)

    def remember_publications(self, published: Sequence[PublishedPartition], lease: Lease) -> None:
        """Stores what a run publishes, each partition in place of what was stored of it."""
        remember_publications(self.database, published, lease)

    def publications(self, context: str, region: str | None = None) -> list[LedgerEntry]:
        """What was published of a context (of one region), newest run first."""
        return publications(self.database, context, region)

    def remember_extract(
        self, context: str, region: str, source: str, position: str, extracted_at: dt.datetime
    ) -> dt.datetime:
        """The moment stored for this source at this position, else the given one, now stored."""
        return remember_extract(self.database, context, region, source, position, extracted_at)

    def meanings(self, context: str) -> tuple[Meaning, ...]:
        """What each translator version meant to the runs of the context so far."""
        return meanings(self.database, context)

    def remember_meaning(self, context: str, meaning: Meaning) -> None:
        """Stores what a version means, unless one whose fingerprint was made so is there."""
        remember_meaning(self.database, context, meaning)

    def rolled_out(self, context: str | None = None) -> list[tuple[str, str]]:
        """Context and region of the slices with a rollout (of a context, if given), in order."""
        return rolled_out(self.database, context)

    def rollouts(self, context: str | None = None) -> list[Rollout]:
        """Where the rollouts (of a context, if given) stand, in order. DamagedRow where one cannot
        be read."""
        rows = [self.rollout(*place) for place in self.rolled_out(context)]
        return [row for row in rows if row is not None]

    def rollout(self, context: str, region: str) -> Rollout | None:
        """Where the rollout of a slice stands; None if it was never opened."""
        return rollout(self.database, context, region)

    def releases(self, context: str, region: str) -> list[Release]:
        """The releases of a slice, newest first."""
        return releases(self.database, context, region)

    def existing_release(self, context: str, region: str, number: int) -> Release:
        """A release that the rollout of the slice names: its row was held against them."""
        return next(r for r in self.releases(context, region) if r.release == number)

    def damaged_release(self, release: Release, column: str, error: ValidationError) -> DamagedRow:
        """The error of a release whose column holds a document of another form."""
        return damaged_release(self.database, release, column, error)

    def rollout_ledger(self, context: str, region: str) -> list[LedgerLine]:
        """Every change of the rollout of a slice, newest first."""
        return rollout_ledger(self.database, context, region)

    def tenures(self, context: str, region: str) -> tuple[Tenure, ...]:
        """Who wrote a slice under which epoch, oldest first; none where its rollout was never
        opened."""
        return tenures(self.rollout_ledger(context, region))

    def open_rollout(self, version: int, change: RolloutChange, lease: Lease) -> Rollout:
        """A rollout at its beginning; RunFailed if the slice has one that has not ended."""
        return open_rollout(self.database, lease, version, change)

    def change_rollout(
        self, version: int, change: RolloutChange, lease: Lease, release: Release | None = None
    ) -> Rollout:
        """The rollout with a change, and with it a new release; RunFailed, and nothing is changed,
        unless the row still has this version."""
        return change_rollout(self.database, lease, version, change, release)

    def evidence(self, context: str, region: str) -> list[Evidence]:
        """What commands measured of a slice, newest first."""
        return evidence(self.database, context, region)

    def begin_evidence(self, key: EvidenceKey, lease: Lease) -> Evidence:
        """Stores what a command is about to measure, before it makes anything."""
        return begin_evidence(self.database, key, lease)

    def evidence_removed(self, number: int, lease: Lease) -> None:
        """Stores that nothing is left of what the evidence of this number made."""
        evidence_removed(self.database, number, lease)

    def finish_evidence(
        self, number: int, outcome: Outcome, figures: Mapping[str, Any], lease: Lease
    ) -> None:
        """Stores how the evidence of this number ended, and what was measured."""
        finish_evidence(self.database, number, outcome, figures, lease)

    def assignments(self, context: str, region: str) -> list[Assignment]:
        """Who was given which exceptions of a slice, newest first."""
        return assignments(self.database, context, region)

    def assign(self, context: str, region: str, new: Sequence[NewAssignment]) -> list[Assignment]:
        """Stores who looks after which exceptions, all of it or nothing."""
        return assign(self.database, context, region, new)

    def backfills(
        self, statuses: Collection[BackfillStatus] = (), team: str | None = None
    ) -> list[Backfill]:
        """The backfills of the statuses (of all, if none are given) and the team, newest first."""
        return backfills(self.database, statuses, team)

    def backfill(self, number: int) -> Backfill | None:
        """The backfill of that number; None if there is none."""
        return backfill(self.database, number)

    def damaged_order(self, damaged_backfill: Backfill, error: ValidationError) -> DamagedRow:
        """The error of a backfill whose document is no order."""
        return damaged_order(self.database, damaged_backfill, error)

    def submit_backfill(self, new: NewBackfill, most_waiting: int | None = None) -> Backfill:
        """Put a backfill into the queue, once for each origin; with `most_waiting`, one that finds
        so many of its team there is refused."""
        return submit_backfill(self.database, new, most_waiting)

    def offsets_read(self, topic: str) -> dict[str, int]:
        """By place in a topic whose backfills were taken, the offset behind the last."""
        return offsets_read(self.database, topic)

    def claim_backfill(self, quotas: Mapping[str, int]) -> Backfill | None:
        """The next backfill, for this process to work on; None where none can be begun. `quotas`
        has by team how many records it may send in a day."""
        return claim_backfill(self.database, quotas)

    def allow_records(self, number: int, records: int, quota: int | None) -> bool:
        """Whether the backfill that this process works on may send so many records."""
        return allow_records(self.database, number, records, quota)

    def beat_backfill(self, number: int) -> str | None:
        """Say that this process works on it still; who wants it cancelled, null while nobody
        does."""
        return beat_backfill(self.database, number)

    def finish_backfill(
        self,
        number: int,
        status: BackfillStatus,
        reason: str | None,
        outcome: Mapping[str, Any] | None = None,
        pause: dt.timedelta | None = None,
        *,
        has_failed: bool = False,
    ) -> Backfill:
        """The backfill that this process worked on, with how that ended; `queued` is to be begun
        again after the pause."""
        return finish_backfill(
            self.database, number, status, reason, outcome, pause, has_failed=has_failed
        )

    def cancel_backfill(self, number: int, cancelled_by: str, why: str) -> Backfill:
        """Cancel a queued backfill, or ask that a running one is. BackfillEnded for one that has
        ended; KeyError for none of that number."""
        return cancel_backfill(self.database, number, cancelled_by, why)

    def snapshots(self, context: str, region: str) -> list[Snapshot]:
        """The snapshots of a slice, newest first."""
        return snapshots(self.database, context, region)

    def take_snapshot(
        self, name: str, run_id: str, taken_by: str, why: str, lease: Lease
    ) -> Snapshot:
        """Keep a run of the slice under a name; ConfigurationError where that is another run's."""
        return take_snapshot(self.database, name, run_id, taken_by, why, lease)

    def drop_snapshot(self, name: str, lease: Lease) -> bool:
        """Forget a snapshot; whether there was one of that name."""
        return drop_snapshot(self.database, name, lease)

    def client_quotas(self) -> list[RecordedQuota]:
        """The client quotas that were set on clusters of Kafka and not removed yet."""
        return client_quotas(self.database)

    def record_client_quota(
        self, cluster: str, principal: str, rates: Mapping[str, int], lease: Lease
    ) -> RecordedQuota:
        """Stores a client quota before it is set, under the lease of its client id."""
        return record_client_quota(self.database, cluster, principal, rates, lease)

    def forget_client_quota(self, quota: RecordedQuota, lease: Lease) -> None:
        """Stores that a client quota is on its cluster no more."""
        forget_client_quota(self.database, quota, lease)
