"""What is asked of those who serve backfills, in the order in which it came."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "cutline_backfills",
        sa.Column("number", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("origin_place", sa.Text),
        sa.Column("origin_offset", sa.BigInteger),
        sa.Column("team", sa.Text),
        sa.Column("asked_by", sa.Text),
        sa.Column("document", sa.JSON, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("not_before", sa.DateTime(timezone=True)),
        sa.Column("started_at", sa.DateTime(timezone=True)),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.Column("attempts", sa.BigInteger, nullable=False),
        sa.Column("failures", sa.BigInteger, nullable=False),
        sa.Column("records", sa.BigInteger),
        sa.Column("outcome", sa.JSON),
        sa.Column("cancelled_by", sa.Text),
        sa.Column("cancelled_why", sa.Text),
        sa.Column("holder_host", sa.Text),
        sa.Column("holder_place", sa.Text),
        sa.Column("holder_pid", sa.BigInteger),
        sa.Column("holder_started", sa.Float(53)),
        sa.Column("held_since", sa.DateTime(timezone=True)),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("number"),
        sa.UniqueConstraint("origin", name="uq_backfills_origin"),
        sa.CheckConstraint(
            "status IN ('queued', 'running', 'done', 'failed', 'refused', 'cancelled')",
            name="ck_backfills_status",
        ),
        comment="One row is one backfill that somebody asked for",
    )
