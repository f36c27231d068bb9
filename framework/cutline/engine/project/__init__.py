"""Projection: what a timeline says of each subject, compiled to aggregations."""

from cutline.engine.project.facts import facts, facts_table
from cutline.engine.project.project import ended, project
from cutline.engine.project.types import state_table, state_type

__all__ = ["ended", "facts", "facts_table", "project", "state_table", "state_type"]
