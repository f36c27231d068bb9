"""What each run published to which partition of which topic."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "cutline_publications",
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("topic", sa.Text, nullable=False),
        sa.Column("partition", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("begun_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("read_back_at", sa.DateTime(timezone=True)),
        sa.Column("begins", sa.BigInteger, nullable=False),
        sa.Column("ends", sa.BigInteger),
        sa.Column("first_offset", sa.BigInteger),
        sa.Column("last_offset", sa.BigInteger),
        sa.Column("records", sa.BigInteger),
        sa.Column("bytes", sa.BigInteger),
        sa.Column("digest", sa.Text),
        sa.Column("standing", sa.BigInteger, nullable=False),
        sa.Column("differing", sa.BigInteger, nullable=False),
        sa.Column("withdrawn", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("run_id", "topic", "partition"),
        sa.ForeignKeyConstraint(["run_id"], ["cutline_runs.run_id"], name="fk_publications_run"),
        comment="One row is what one run published to one partition of a topic",
    )
