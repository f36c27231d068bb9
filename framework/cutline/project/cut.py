"""The cut: where history ends and live begins."""

from __future__ import annotations

from typing import Literal

from cutline.project.base import Section
from cutline.project.moment import Moment


class CommitTimestampCut(Section):
    """History is everything that a source committed up to a moment."""

    policy: Literal["commit-timestamp"]
    """How the line is drawn."""
    at: Moment
    """The moment, with its zone. A change committed later belongs to the live tail."""
