"""Client quotas that were set on clusters of Kafka, so that they can be removed after a kill."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "cutline_client_quotas",
        sa.Column("cluster", sa.Text, nullable=False),
        sa.Column("principal", sa.Text, nullable=False),
        sa.Column("client_id", sa.Text, nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("rates", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("set_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("cluster", "principal", "client_id"),
        comment="One row is one client quota that was set on a cluster of Kafka, or is about to be",
    )
