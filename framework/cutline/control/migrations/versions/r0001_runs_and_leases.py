"""Slices with their lease, runs, stages, and the moments of first extracts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "cutline_slices",
        sa.Column("context", sa.Text, nullable=False),
        sa.Column("region", sa.Text, nullable=False),
        sa.Column("authority", sa.Text, nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("holder_host", sa.Text),
        sa.Column("holder_place", sa.Text),
        sa.Column("holder_pid", sa.BigInteger),
        sa.Column("holder_started", sa.Float(53)),
        sa.Column("held_since", sa.DateTime(timezone=True)),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("context", "region"),
        sa.CheckConstraint("authority IN ('legacy', 'shadow', 'new')", name="ck_slices_authority"),
        comment="One row is one slice that was ever worked on, and the process that holds it",
    )
    op.create_table(
        "cutline_runs",
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("context", sa.Text, nullable=False),
        sa.Column("region", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("decision", sa.Text),
        sa.Column("decided_by", sa.Text),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True)),
        sa.Column("inputs", sa.JSON, nullable=False),
        sa.Column("error", sa.Text),
        sa.PrimaryKeyConstraint("run_id"),
        sa.ForeignKeyConstraint(
            ["context", "region"],
            ["cutline_slices.context", "cutline_slices.region"],
            name="fk_runs_slice",
        ),
        sa.CheckConstraint("status IN ('running', 'failed', 'complete')", name="ck_runs_status"),
        sa.CheckConstraint("decision IN ('go', 'no-go')", name="ck_runs_decision"),
        comment="One row is one run: one attempt at a slice, named by its inputs",
    )
    op.create_index("ix_cutline_runs_slice", "cutline_runs", ["context", "region", "created_at"])
    op.create_table(
        "cutline_stages",
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True)),
        sa.Column("seconds", sa.Float(53)),
        sa.Column("rows_in", sa.BigInteger),
        sa.Column("rows_out", sa.BigInteger),
        sa.Column("digest", sa.Text),
        sa.Column("result", sa.JSON),
        sa.Column("error", sa.Text),
        sa.PrimaryKeyConstraint("run_id", "name"),
        sa.ForeignKeyConstraint(["run_id"], ["cutline_runs.run_id"], name="fk_stages_run"),
        sa.CheckConstraint("status IN ('running', 'done', 'failed')", name="ck_stages_status"),
        comment="One row is the last attempt at one stage of one run",
    )
    op.create_table(
        "cutline_extracts",
        sa.Column("context", sa.Text, nullable=False),
        sa.Column("region", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("position_digest", sa.Text, nullable=False),
        sa.Column("position", sa.Text, nullable=False),
        sa.Column("extracted_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("context", "region", "source", "position_digest"),
        comment="One row is the moment at which a source was first read at one position",
    )
