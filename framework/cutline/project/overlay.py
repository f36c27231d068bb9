"""Regions laid over the defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutline.errors import ConfigurationError, did_you_mean

MAY_DIFFER = ("sources", "contexts", "spark", "rollout", "readiness")
"""The top-level keys that a region's `override` may lay something over."""


def override_of(document: Mapping[str, Any], region: str | None) -> Mapping[str, Any]:
    """What `regions.<region>.override` holds; empty without a region or an override.

    ConfigurationError names the regions there are, or the keys that may be overridden.
    """
    if region is None:
        return {}
    regions = document.get("regions")
    regions = regions if isinstance(regions, Mapping) else {}
    if region not in regions:
        raise ConfigurationError(
            f"cutline.yaml: region {region!r} is not among its regions: "
            f"{', '.join(regions) or 'none'}.{did_you_mean(region, regions)}",
            next_step="Name one of them, or add it under `regions`.",
        )
    section = regions[region]
    override = (section.get("override") if isinstance(section, Mapping) else None) or {}
    if not isinstance(override, Mapping):
        return {}
    for key in override:
        if key not in MAY_DIFFER:
            raise ConfigurationError(
                f"cutline.yaml: regions.{region}.override.{key}: a region may lay over "
                f"{', '.join(MAY_DIFFER)} only.{did_you_mean(key, MAY_DIFFER)}"
            )
    return override


def deep_merge(defaults: Any, override: Any) -> Any:
    """`defaults` with `override` over them: mappings are merged key by key, all else replaced."""
    if not (isinstance(defaults, Mapping) and isinstance(override, Mapping)):
        return override
    merged = dict(defaults)
    for key, value in override.items():
        merged[key] = deep_merge(defaults[key], value) if key in defaults else value
    return merged
