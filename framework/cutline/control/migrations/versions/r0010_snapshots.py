"""Runs whose states are kept under a name, to begin from again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "cutline_snapshots",
        sa.Column("context", sa.Text, nullable=False),
        sa.Column("region", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("taken_by", sa.Text, nullable=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("context", "region", "name"),
        sa.ForeignKeyConstraint(["run_id"], ["cutline_runs.run_id"], name="fk_snapshots_run"),
        sa.ForeignKeyConstraint(
            ["context", "region"],
            ["cutline_slices.context", "cutline_slices.region"],
            name="fk_snapshots_slice",
        ),
        comment="One row is one snapshot of a slice: a run whose tables are kept",
    )
