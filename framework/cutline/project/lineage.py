"""Lineage: where the OpenLineage events of runs go."""

from __future__ import annotations

from typing import Self

from pydantic import Field, SecretStr, model_validator

from cutline.project.base import Section


class LineageSection(Section):
    """Where the OpenLineage events of runs go: into a file, to a server, or both."""

    file: str | None = None
    """A file to which each event is appended as one line of JSON."""
    url: str | None = Field(default=None, pattern=r"^https?://[^@?#]+$")
    """Where a server takes events, such as `https://marquez:5000/api/v1/lineage`, without a
    password."""
    api_key: SecretStr | None = None
    """What the server knows Cutline by, `${NAME}` or `${file:PATH}`; sent as `Bearer`."""
    unsent: str = "lineage-unsent.jsonl"
    """The file for events that the server did not take; `cutline lineage send` sends them."""
    seconds: float = Field(default=5, gt=0, le=60)
    """How long the server may take for one event."""
    namespace: str | None = Field(default=None, min_length=1, max_length=200)
    """The namespace of jobs; left out, the project's name. Projects that send to one server need
    different ones."""

    @model_validator(mode="after")
    def _leads_somewhere(self) -> Self:
        if self.file is None and self.url is None:
            raise ValueError("lineage needs a file or a url")
        if self.api_key is not None and self.url is None:
            raise ValueError("api_key is for a url")
        return self
