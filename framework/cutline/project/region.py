"""Regions: the slices of a rollout, with what differs from the defaults."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from cutline.project.base import Section


class Region(Section):
    """One region. What stands under `override` is laid over the rest of cutline.yaml for it."""

    everything: bool = False
    """Take all rows: the tables' `region` predicates are not applied."""
    override: dict[str, Any] = Field(default_factory=dict)
    """Overlay of `sources`, `contexts`, `spark` or `rollout`, merged key by key."""
