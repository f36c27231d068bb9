"""Alembic migrations of the control database; they run from wherever the package is installed."""
