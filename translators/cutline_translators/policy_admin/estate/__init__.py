"""A legacy estate of an insurer, made up but true to life, the same for the same seed."""

from __future__ import annotations

from cutline_translators.policy_admin.estate.write import write_project

__all__ = ["write_project"]
