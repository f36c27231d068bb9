"""Checks of a project, its plugins and its sources, without a run."""

from cutline.api.check.report import CheckReport

__all__ = ["CheckReport"]
