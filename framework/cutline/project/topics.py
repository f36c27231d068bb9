"""Topics: where events, exceptions and breaks are sent."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from cutline.project.base import Section
from cutline.project.names import Slug


class Findings(Section):
    """What the topics of exceptions and breaks show of personal values."""

    personal: Literal["masked", "clear"] = "masked"
    """Whether personal values are masked, in the rows and events of exceptions and in the values of
    breaks. `clear` needs a `reason`."""
    reason: str | None = Field(default=None, min_length=1)
    """Why they are sent in clear, for those who are asked."""

    @model_validator(mode="after")
    def _with_a_reason(self) -> Self:
        if self.personal == "clear" and not (self.reason or "").strip():
            raise ValueError("personal: clear needs a reason: say why they are sent in clear")
        if self.personal == "masked" and self.reason is not None:
            raise ValueError("a reason is for personal: clear")
        return self


class FileTopicsSection(Section):
    """Topics as folders with one JSON-lines file a partition: for a laptop, a dry run, a test."""

    kind: Literal["files"] = "files"
    """The kind of topics."""
    path: str = "topics"
    """The folder."""
    prefix: Slug
    """The first part of every topic's name."""
    partitions: int = Field(default=4, ge=1, le=1024)
    """Partitions of a new topic."""
    findings: Findings = Findings()
    """What becomes of personal values in exceptions and breaks."""
