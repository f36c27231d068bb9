"""What each version of a translator meant when a run first used it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "cutline_meanings",
        sa.Column("context", sa.Text, nullable=False),
        sa.Column("translator", sa.Text, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("fingerprint", sa.Text, nullable=False),
        sa.Column("made_by", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("context", "translator", "version"),
        comment="One row is what one version of a translator meant when a run first used it",
    )
