"""What commands measured of a slice, for the gates before a replay touches production."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "cutline_evidence",
        sa.Column("context", sa.Text, nullable=False),
        sa.Column("region", sa.Text, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("command", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("release", sa.BigInteger),
        sa.Column("translators", sa.JSON, nullable=False),
        sa.Column("namespace", sa.Text),
        sa.Column("made_by", sa.Text, nullable=False),
        sa.Column("begun_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("removed_at", sa.DateTime(timezone=True)),
        sa.Column("finished_at", sa.DateTime(timezone=True)),
        sa.Column("outcome", sa.Text),
        sa.Column("figures", sa.JSON),
        sa.PrimaryKeyConstraint("context", "region", "number"),
        sa.ForeignKeyConstraint(["run_id"], ["cutline_runs.run_id"], name="fk_evidence_run"),
        sa.ForeignKeyConstraint(
            ["context", "region"],
            ["cutline_slices.context", "cutline_slices.region"],
            name="fk_evidence_slice",
        ),
        sa.CheckConstraint("outcome IN ('passed', 'failed', 'killed')", name="ck_evidence_outcome"),
        comment="One row is what one command measured of a slice",
    )
