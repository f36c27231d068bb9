"""Runs migrations in the transaction of the connection that the caller passes."""

from __future__ import annotations

from alembic import context

from cutline.control.models import METADATA, SCHEMA_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table=SCHEMA_TABLE,
)
with context.begin_transaction():
    context.run_migrations()
