"""Who looks after which exceptions of a slice."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "cutline_triage",
        sa.Column("context", sa.Text, nullable=False),
        sa.Column("region", sa.Text, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("rule", sa.Text),
        sa.Column("exception", sa.Text),
        sa.Column("owner", sa.Text),
        sa.Column("note", sa.Text),
        sa.Column("made_by", sa.Text, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("context", "region", "number"),
        sa.ForeignKeyConstraint(
            ["context", "region"],
            ["cutline_slices.context", "cutline_slices.region"],
            name="fk_triage_slice",
        ),
        sa.CheckConstraint("(rule IS NULL) <> (exception IS NULL)", name="ck_triage_of_one"),
        comment="One row is one assignment of an exception, or of all exceptions of a rule",
    )
