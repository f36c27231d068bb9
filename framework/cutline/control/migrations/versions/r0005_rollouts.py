"""Where the rollout of each slice stands, what it may release, and every change of it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "cutline_rollouts",
        sa.Column("context", sa.Text, nullable=False),
        sa.Column("region", sa.Text, nullable=False),
        sa.Column("reads", sa.Text, nullable=False),
        sa.Column("percent", sa.BigInteger),
        sa.Column("writes", sa.Text, nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("staged", sa.BigInteger),
        sa.Column("release", sa.BigInteger),
        sa.Column("previous", sa.BigInteger),
        sa.Column("previous_reads", sa.Text),
        sa.Column("previous_percent", sa.BigInteger),
        sa.Column("denial", sa.BigInteger),
        sa.Column("step", sa.Text),
        sa.Column("plan", sa.JSON),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.Column("ending", sa.Text),
        sa.PrimaryKeyConstraint("context", "region"),
        sa.ForeignKeyConstraint(
            ["context", "region"],
            ["cutline_slices.context", "cutline_slices.region"],
            name="fk_rollouts_slice",
        ),
        sa.CheckConstraint(
            "reads IN ('legacy', 'mirror', 'canary', 'new')", name="ck_rollouts_reads"
        ),
        sa.CheckConstraint("writes IN ('legacy', 'held', 'new')", name="ck_rollouts_writes"),
        sa.CheckConstraint("ending IN ('complete', 'cancelled')", name="ck_rollouts_ending"),
        comment="One row is where the rollout of one slice stands",
    )
    op.create_table(
        "cutline_releases",
        sa.Column("context", sa.Text, nullable=False),
        sa.Column("region", sa.Text, nullable=False),
        sa.Column("release", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("run_id", sa.Text),
        sa.Column("timeline_digest", sa.Text, nullable=False),
        sa.Column("positions", sa.JSON, nullable=False),
        sa.Column("read_model", sa.JSON),
        sa.Column("staged_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("context", "region", "release"),
        sa.ForeignKeyConstraint(["run_id"], ["cutline_runs.run_id"], name="fk_releases_run"),
        comment="One row is what one run of a slice offers to its readers",
    )
    op.create_table(
        "cutline_rollout_ledger",
        sa.Column("context", sa.Text, nullable=False),
        sa.Column("region", sa.Text, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_by", sa.Text, nullable=False),
        sa.Column("why", sa.Text),
        sa.Column("command", sa.Text, nullable=False),
        sa.Column("step", sa.Text),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("evidence", sa.JSON, nullable=False),
        sa.Column("plan", sa.JSON),
        sa.Column("reads", sa.Text, nullable=False),
        sa.Column("percent", sa.BigInteger),
        sa.Column("writes", sa.Text, nullable=False),
        sa.Column("release", sa.BigInteger),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("context", "region", "version"),
        sa.ForeignKeyConstraint(
            ["context", "region"],
            ["cutline_rollouts.context", "cutline_rollouts.region"],
            name="fk_rollout_ledger_rollout",
        ),
        comment="One row is one change of the rollout of a slice, as it stood after it",
    )
