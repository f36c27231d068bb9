"""Projection: each subject's state from its timeline, compiled to aggregations."""

from cutline.engine.project.fact_table import accepted_facts, facts_table
from cutline.engine.project.states import ended_subjects, project
from cutline.engine.project.types import state_table, state_type
from cutline.engine.project.uncomputable import UncomputableState, state_errors

__all__ = [
    "UncomputableState",
    "accepted_facts",
    "ended_subjects",
    "facts_table",
    "project",
    "state_errors",
    "state_table",
    "state_type",
]
