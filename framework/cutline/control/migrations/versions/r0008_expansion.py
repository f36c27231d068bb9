"""The release whose columns views show beside those of the one that is read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("cutline_rollouts", sa.Column("expanded", sa.BigInteger))
