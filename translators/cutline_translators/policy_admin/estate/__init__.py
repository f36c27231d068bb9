"""A sample: the generated legacy estate of an insurer, the same for the same seed."""

from __future__ import annotations

from cutline_translators.policy_admin.estate.write import write_project

__all__ = ["write_project"]
