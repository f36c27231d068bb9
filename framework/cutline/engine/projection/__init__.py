"""Projection: what a timeline says of each subject, compiled to aggregations."""

from cutline.engine.projection.facts import facts, facts_table
from cutline.engine.projection.project import ended, project
from cutline.engine.projection.types import state_table, state_type

__all__ = ["ended", "facts", "facts_table", "project", "state_table", "state_type"]
