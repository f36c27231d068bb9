"""Looking at a project, its plugins and its sources without running anything."""

from cutline.api.check.report import CheckReport

__all__ = ["CheckReport"]
