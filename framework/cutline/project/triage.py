"""What exceptions are worth, for whoever works through them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cutline.project.base import Section


class TriageSection(Section):
    """How the exceptions of a context are sorted. Nothing of it is a part of what names a run."""

    money: tuple[Annotated[str, Field(pattern=r"^[^']+$")], ...] = Field(default=(), max_length=20)
    """Names of fields: the first that a row or an event has, as a number, is the money that waits
    with it. Left out, no exception has any."""
