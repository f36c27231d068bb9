"""From a folder with a cutline.yaml to a LoadedProject, or to a list of what is wrong with it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from cutline.errors import ConfigurationError
from cutline.logs import logger
from cutline.project.interpolate import interpolated
from cutline.project.loaded import LoadedProject
from cutline.project.model import ProjectFile
from cutline.project.overlay import deep_merge, override_of
from cutline.project.problems import problems
from cutline.project.spark_settings import differing_settings
from cutline.project.yaml_text import read_yaml

_LOG = logger(__name__)

CONFIG = "cutline.yaml"


def load(folder: Path, region: str | None = None) -> LoadedProject:
    """The project in `folder`, with what `region` lays over the defaults.

    Without a region the defaults alone are read, so they must be complete. Raises one
    ConfigurationError that lists every problem found, before anything was started.
    """
    config = config_of(folder)
    written = read_yaml(config)
    override = override_of(written, region)
    document = deep_merge(_without_overrides(written), override)
    try:
        file = ProjectFile.model_validate(interpolated(document, config.parent))
    except ValidationError as error:
        raise ConfigurationError(
            "\n".join(problems(error, document, override, region)),
            next_step=f"Mend {config}, then look at it with: cutline check",
        ) from error
    _refuse_settings(file.spark.conf, config, override, region)
    _LOG.info("configuration loaded", extra={"config": str(config), "region": region})
    return LoadedProject(file=file, folder=config.parent, config=config, region=region)


def load_shared(folder: Path) -> LoadedProject:
    """The project for what is the same in every region: their names, control database, lake.

    It is its defaults alone, or, where these are not complete, as the first region sees it whose
    override completes them.
    """
    try:
        return load(folder)
    except ConfigurationError:
        for region in _mapping(read_yaml(config_of(folder)), "regions"):
            with contextlib.suppress(ConfigurationError):
                return load(folder, region)
        raise


def load_recorded(folder: Path, region: str) -> LoadedProject:
    """The project as the region of a recorded run sees it; as `load_shared` if that is gone."""
    regions = _mapping(read_yaml(config_of(folder)), "regions")
    return load(folder, region) if region in regions else load_shared(folder)


def slices(folder: Path) -> list[tuple[str, str]]:
    """Every context with each of its regions, in the order of the file.

    A context that stands in the overrides of some regions only is one of these.
    """
    document = read_yaml(config_of(folder))
    regions = _mapping(document, "regions")
    overridden = {
        region: _mapping(_mapping(_mapping(regions, region), "override"), "contexts")
        for region in regions
    }
    everywhere = _mapping(document, "contexts")
    contexts = dict.fromkeys(
        [*everywhere, *(name for names in overridden.values() for name in names)]
    )
    return [(c, r) for c in contexts for r in regions if c in everywhere or c in overridden[r]]


def _mapping(document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = document.get(key)
    return value if isinstance(value, Mapping) else {}


def _refuse_settings(
    conf: Mapping[str, str], config: Path, override: Mapping[str, Any], region: str | None
) -> None:
    """ConfigurationError that names each Spark setting with which results would be others."""
    overridden = (override.get("spark") or {}).get("conf") or {}
    lines = [
        f"{CONFIG}: {f'regions.{region}.override.' if key in overridden else ''}spark.conf.{key}: "
        f"{problem}"
        for key, problem in differing_settings(conf)
    ]
    if lines:
        raise ConfigurationError(
            "\n".join(lines),
            next_step=f"Leave it out of {config}, or set it so.",
        )


def config_of(folder: Path) -> Path:
    """The cutline.yaml of a folder; ConfigurationError if there is none."""
    config = folder.absolute() / CONFIG
    if config.is_file():
        return config
    other_spelling = config.with_suffix(".yml")
    raise ConfigurationError(
        f"No {CONFIG} in folder {folder.absolute()}."
        + (f" {other_spelling.name} is there: rename it." if other_spelling.is_file() else ""),
        next_step="Name a project's folder with --project DIR, "
        "or write a sample project: cutline demo --dir DIR",
    )


def _without_overrides(document: dict[str, Any]) -> dict[str, Any]:
    """The document without the regions' overrides: one is laid over, the others are not read."""
    regions = document.get("regions")
    if not isinstance(regions, dict):
        return document
    plain = {
        name: {k: v for k, v in section.items() if k != "override" or not isinstance(v, dict)}
        if isinstance(section, dict)
        else section
        for name, section in regions.items()
    }
    return {**document, "regions": plain}
