"""What became of the breaks of each run, against the run before it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "cutline_trends",
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("level", sa.Text, nullable=False),
        sa.Column("compared_with", sa.Text),
        sa.Column("place", sa.BigInteger, nullable=False),
        sa.Column("opened", sa.BigInteger, nullable=False),
        sa.Column("persisting", sa.BigInteger, nullable=False),
        sa.Column("fixed", sa.BigInteger, nullable=False),
        sa.Column("reopened", sa.BigInteger, nullable=False),
        sa.Column("open", sa.BigInteger, nullable=False),
        sa.Column("waived", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("run_id", "level"),
        sa.ForeignKeyConstraint(["run_id"], ["cutline_runs.run_id"], name="fk_trends_run"),
        comment="One row is what became of the breaks of one level in one run",
    )
