"""The tables of the control database, as they stand after the newest migration."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

from cutline.control.columns import Document, UtcTime

SCHEMA_TABLE = "cutline_schema"
"""Where Alembic keeps the revision. All names begin with `cutline_`: the database may be shared."""

METADATA = MetaData()

SLICES = Table(
    "cutline_slices",
    METADATA,
    Column("context", Text, primary_key=True),
    Column("region", Text, primary_key=True),
    Column("authority", Text, nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("holder_host", Text),
    Column("holder_place", Text),
    Column("holder_pid", BigInteger),
    Column("holder_started", Float(53)),
    Column("held_since", UtcTime),
    Column("heartbeat_at", UtcTime),
    CheckConstraint("authority IN ('legacy', 'shadow', 'new')", name="ck_slices_authority"),
    comment="One row is one slice that was ever worked on, and the process that holds it",
)

RUNS = Table(
    "cutline_runs",
    METADATA,
    Column("run_id", Text, primary_key=True),
    Column("context", Text, nullable=False),
    Column("region", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("decision", Text),
    Column("decided_by", Text),
    Column("created_at", UtcTime, nullable=False),
    Column("recorded_at", UtcTime, nullable=False),
    Column("finished_at", UtcTime),
    Column("inputs", Document, nullable=False),
    Column("error", Text),
    ForeignKeyConstraint(
        ["context", "region"],
        ["cutline_slices.context", "cutline_slices.region"],
        name="fk_runs_slice",
    ),
    CheckConstraint("status IN ('running', 'failed', 'complete')", name="ck_runs_status"),
    CheckConstraint("decision IN ('go', 'no-go')", name="ck_runs_decision"),
    Index("ix_cutline_runs_slice", "context", "region", "created_at"),
    comment="One row is one run: one attempt at a slice, named by its inputs",
)

STAGES = Table(
    "cutline_stages",
    METADATA,
    Column(
        "run_id", Text, ForeignKey("cutline_runs.run_id", name="fk_stages_run"), primary_key=True
    ),
    Column("name", Text, primary_key=True),
    Column("status", Text, nullable=False),
    Column("started_at", UtcTime, nullable=False),
    Column("finished_at", UtcTime),
    Column("seconds", Float(53)),
    Column("rows_in", BigInteger),
    Column("rows_out", BigInteger),
    Column("digest", Text),
    Column("result", Document),
    Column("error", Text),
    CheckConstraint("status IN ('running', 'done', 'failed')", name="ck_stages_status"),
    comment="One row is the last attempt at one stage of one run",
)

EXTRACTS = Table(
    "cutline_extracts",
    METADATA,
    Column("context", Text, primary_key=True),
    Column("region", Text, primary_key=True),
    Column("source", Text, primary_key=True),
    # Positions can be long (one part per file of a folder), and an index entry cannot.
    Column("position_digest", Text, primary_key=True),
    Column("position", Text, nullable=False),
    Column("extracted_at", UtcTime, nullable=False),
    comment="One row is the moment at which a source was first read at one position",
)

MEANINGS = Table(
    "cutline_meanings",
    METADATA,
    Column("context", Text, primary_key=True),
    Column("translator", Text, primary_key=True),
    Column("version", Text, primary_key=True),
    Column("fingerprint", Text, nullable=False),
    # A fingerprint is compared only with one that was made in the same way.
    Column("made_by", Text, nullable=False),
    Column("run_id", Text, nullable=False),
    comment="One row is what one version of a translator meant when a run first used it",
)

TRENDS = Table(
    "cutline_trends",
    METADATA,
    Column(
        "run_id", Text, ForeignKey("cutline_runs.run_id", name="fk_trends_run"), primary_key=True
    ),
    Column("level", Text, primary_key=True),
    # Null where no run was before. Kept, so that a run that is repeated compares with the same.
    Column("compared_with", Text),
    Column("place", BigInteger, nullable=False),
    Column("opened", BigInteger, nullable=False),
    Column("persisting", BigInteger, nullable=False),
    Column("fixed", BigInteger, nullable=False),
    Column("reopened", BigInteger, nullable=False),
    Column("open", BigInteger, nullable=False),
    Column("waived", BigInteger, nullable=False),
    comment="One row is what became of the breaks of one level in one run",
)

PUBLICATIONS = Table(
    "cutline_publications",
    METADATA,
    Column(
        "run_id",
        Text,
        ForeignKey("cutline_runs.run_id", name="fk_publications_run"),
        primary_key=True,
    ),
    Column("topic", Text, primary_key=True),
    Column("partition", BigInteger, primary_key=True, autoincrement=False),
    Column("begun_at", UtcTime, nullable=False),
    # Null while what was sent is not read back, and with it all that only reading tells.
    Column("read_back_at", UtcTime),
    Column("begins", BigInteger, nullable=False),
    Column("ends", BigInteger),
    Column("first_offset", BigInteger),
    Column("last_offset", BigInteger),
    Column("records", BigInteger),
    Column("bytes", BigInteger),
    Column("digest", Text),
    Column("standing", BigInteger, nullable=False),
    Column("differing", BigInteger, nullable=False),
    Column("withdrawn", BigInteger, nullable=False),
    comment="One row is what one run published to one partition of a topic",
)

ROLLOUTS = Table(
    "cutline_rollouts",
    METADATA,
    Column("context", Text, primary_key=True),
    Column("region", Text, primary_key=True),
    Column("reads", Text, nullable=False),
    # Of mirror and canary alone.
    Column("percent", BigInteger),
    Column("writes", Text, nullable=False),
    # Counts who decided for the slice: it moves when `writes` does.
    Column("epoch", BigInteger, nullable=False),
    # Counts changes of the row: each is made by comparing it.
    Column("version", BigInteger, nullable=False),
    Column("staged", BigInteger),
    Column("release", BigInteger),
    Column("previous", BigInteger),
    Column("previous_reads", Text),
    Column("previous_percent", BigInteger),
    # The release whose columns views show beside those of `release`; null where they do not.
    Column("expanded", BigInteger),
    # The epoch of the denial that stands in the legacy; null where it takes writes.
    Column("denial", BigInteger),
    # Null while nothing is under way.
    Column("step", Text),
    Column("plan", Document),
    Column("opened_at", UtcTime, nullable=False),
    Column("changed_at", UtcTime, nullable=False),
    Column("ended_at", UtcTime),
    Column("ending", Text),
    ForeignKeyConstraint(
        ["context", "region"],
        ["cutline_slices.context", "cutline_slices.region"],
        name="fk_rollouts_slice",
    ),
    CheckConstraint("reads IN ('legacy', 'mirror', 'canary', 'new')", name="ck_rollouts_reads"),
    CheckConstraint("writes IN ('legacy', 'held', 'new')", name="ck_rollouts_writes"),
    CheckConstraint("ending IN ('complete', 'cancelled')", name="ck_rollouts_ending"),
    comment="One row is where the rollout of one slice stands",
)

RELEASES = Table(
    "cutline_releases",
    METADATA,
    Column("context", Text, primary_key=True),
    Column("region", Text, primary_key=True),
    Column("release", BigInteger, primary_key=True, autoincrement=False),
    Column("run_id", Text, ForeignKey("cutline_runs.run_id", name="fk_releases_run")),
    Column("timeline_digest", Text, nullable=False),
    Column("positions", Document, nullable=False),
    Column("read_model", Document),
    Column("staged_at", UtcTime, nullable=False),
    comment="One row is what one run of a slice offers to its readers",
)

ROLLOUT_LEDGER = Table(
    "cutline_rollout_ledger",
    METADATA,
    Column("context", Text, primary_key=True),
    Column("region", Text, primary_key=True),
    Column("version", BigInteger, primary_key=True, autoincrement=False),
    Column("changed_at", UtcTime, nullable=False),
    Column("changed_by", Text, nullable=False),
    Column("why", Text),
    Column("command", Text, nullable=False),
    Column("step", Text),
    Column("event", Text, nullable=False),
    Column("evidence", Document, nullable=False),
    Column("plan", Document),
    Column("reads", Text, nullable=False),
    Column("percent", BigInteger),
    Column("writes", Text, nullable=False),
    Column("release", BigInteger),
    Column("epoch", BigInteger, nullable=False),
    ForeignKeyConstraint(
        ["context", "region"],
        ["cutline_rollouts.context", "cutline_rollouts.region"],
        name="fk_rollout_ledger_rollout",
    ),
    comment="One row is one change of the rollout of a slice, as it stood after it",
)

EVIDENCE = Table(
    "cutline_evidence",
    METADATA,
    Column("context", Text, primary_key=True),
    Column("region", Text, primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("command", Text, nullable=False),
    Column(
        "run_id", Text, ForeignKey("cutline_runs.run_id", name="fk_evidence_run"), nullable=False
    ),
    # The newest release that was staged then; null before the first.
    Column("release", BigInteger),
    Column("translators", Document, nullable=False),
    Column("namespace", Text),
    Column("made_by", Text, nullable=False),
    Column("begun_at", UtcTime, nullable=False),
    # Null while something of the namespace may be there.
    Column("removed_at", UtcTime),
    # Null while it is made, or where whoever made it was killed.
    Column("finished_at", UtcTime),
    Column("outcome", Text),
    Column("figures", Document),
    ForeignKeyConstraint(
        ["context", "region"],
        ["cutline_slices.context", "cutline_slices.region"],
        name="fk_evidence_slice",
    ),
    CheckConstraint("outcome IN ('passed', 'failed', 'killed')", name="ck_evidence_outcome"),
    comment="One row is what one command measured of a slice",
)

TRIAGE = Table(
    "cutline_triage",
    METADATA,
    Column("context", Text, primary_key=True),
    Column("region", Text, primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    # All exceptions of a rule, or a single one by its id.
    Column("rule", Text),
    Column("exception", Text),
    # Null takes an owner away.
    Column("owner", Text),
    Column("note", Text),
    Column("made_by", Text, nullable=False),
    Column("at", UtcTime, nullable=False),
    ForeignKeyConstraint(
        ["context", "region"],
        ["cutline_slices.context", "cutline_slices.region"],
        name="fk_triage_slice",
    ),
    CheckConstraint("(rule IS NULL) <> (exception IS NULL)", name="ck_triage_of_one"),
    comment="One row is one assignment of an exception, or of all exceptions of a rule",
)

BACKFILLS = Table(
    "cutline_backfills",
    METADATA,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    # Where it was asked for: once there is once in the queue.
    Column("origin", Text, nullable=False),
    # Of one that came by a topic, its partition and its place there.
    Column("origin_place", Text),
    Column("origin_offset", BigInteger),
    Column("team", Text),
    Column("asked_by", Text),
    Column("document", Document, nullable=False),
    Column("status", Text, nullable=False),
    Column("reason", Text),
    Column("asked_at", UtcTime, nullable=False),
    Column("not_before", UtcTime),
    Column("started_at", UtcTime),
    Column("ended_at", UtcTime),
    Column("attempts", BigInteger, nullable=False),
    Column("failures", BigInteger, nullable=False),
    # Null until it is known how many it sends.
    Column("records", BigInteger),
    Column("outcome", Document),
    Column("cancelled_by", Text),
    Column("cancelled_why", Text),
    Column("holder_host", Text),
    Column("holder_place", Text),
    Column("holder_pid", BigInteger),
    Column("holder_started", Float(53)),
    Column("held_since", UtcTime),
    Column("heartbeat_at", UtcTime),
    UniqueConstraint("origin", name="uq_backfills_origin"),
    CheckConstraint(
        "status IN ('queued', 'running', 'done', 'failed', 'refused', 'cancelled')",
        name="ck_backfills_status",
    ),
    comment="One row is one backfill that somebody asked for",
)

SNAPSHOTS = Table(
    "cutline_snapshots",
    METADATA,
    Column("context", Text, primary_key=True),
    Column("region", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column(
        "run_id", Text, ForeignKey("cutline_runs.run_id", name="fk_snapshots_run"), nullable=False
    ),
    Column("taken_at", UtcTime, nullable=False),
    Column("taken_by", Text, nullable=False),
    Column("why", Text, nullable=False),
    ForeignKeyConstraint(
        ["context", "region"],
        ["cutline_slices.context", "cutline_slices.region"],
        name="fk_snapshots_slice",
    ),
    comment="One row is one snapshot of a slice: a run whose tables are kept",
)

CLIENT_QUOTAS = Table(
    "cutline_client_quotas",
    METADATA,
    Column("cluster", Text, primary_key=True),
    # Empty where the quota is of a client id whoever its user is.
    Column("principal", Text, primary_key=True),
    Column("client_id", Text, primary_key=True),
    Column("epoch", BigInteger, nullable=False),
    Column("rates", Document, nullable=False),
    Column("set_at", UtcTime, nullable=False),
    comment="One row is one client quota that was set on a cluster of Kafka, or is about to be",
)
