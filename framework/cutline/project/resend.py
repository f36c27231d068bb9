"""Where the history or the state of named subjects may be sent again."""

from __future__ import annotations

from pydantic import Field

from cutline.project.base import Section
from cutline.project.names import TopicName
from cutline.project.replay import ReplayDestination


class ResendSection(Section):
    """Of one context. Nothing of it is a part of what names a run."""

    destinations: dict[TopicName, ReplayDestination] = Field(min_length=1)
    """The topics that subjects of the context may be sent to, and who answers for them."""
