"""The names of a slice's tables and views, which must differ from those of all other slices."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cutline.context import Context
from cutline.errors import ConfigurationError, did_you_mean
from cutline.project.loaded import LoadedProject
from cutline.project.overlay import override_of
from cutline.project.rollout import StatesDatabase
from cutline.project.yaml_text import read_yaml

PREFIX = "cutline_"
"""What the names of Cutline's own tables and columns begin with."""

_MOST_BYTES = 63
"""PostgreSQL cuts a longer name off, and then two may be the same."""
_LONGEST_VERSION = "_v999999"


@dataclass(frozen=True)
class SliceNames:
    """By aggregate, the name of the view that services read; tables add their version to it."""

    views: Mapping[str, str]

    def table(self, aggregate: str, version: int) -> str:
        """The name of an aggregate's table of a version."""
        return f"{self.views[aggregate]}_v{version}"


def slice_names(
    project: LoadedProject, section: StatesDatabase, context: Context, region: str, key: str
) -> SliceNames:
    """The names of a slice in the database of a section, which cutline.yaml has under `key`.
    ConfigurationError for what can be no name, or would be another's."""
    key = f"{key}.tables"
    aggregates = [aggregate.name for aggregate in context.aggregates]
    _refuse_unknown(project, section, aggregates, key)
    bases = {name: section.tables.get(name, name) for name in aggregates}
    for aggregate, base in bases.items():
        _refuse_base(aggregate, base, key)
    _refuse_collisions(_views_of_all(project, bases, region), key)
    views = {aggregate: f"{base}_{region}" for aggregate, base in bases.items()}
    for aggregate, view in views.items():
        if len((view + _LONGEST_VERSION).encode()) > _MOST_BYTES:
            raise ConfigurationError(
                f"the tables of aggregate {aggregate} in region {region} would be called "
                f"{view}_v1, and so on: longer than the {_MOST_BYTES} bytes that PostgreSQL allows",
                next_step=f"Give the aggregate a shorter name under {key} in cutline.yaml.",
            )
    return SliceNames(views)


def _refuse_unknown(
    project: LoadedProject, section: StatesDatabase, aggregates: list[str], key: str
) -> None:
    """Names of aggregates that are none, where the project has no other context to have them."""
    if len(project.file.contexts) > 1:
        return
    for name in section.tables:
        if name not in aggregates:
            raise ConfigurationError(
                f"{key}: there is no aggregate {name!r}.{did_you_mean(name, aggregates)}",
                next_step=f"It may be: {', '.join(aggregates)}.",
            )


def _refuse_base(aggregate: str, base: str, key: str) -> None:
    if base.casefold().startswith(PREFIX):
        raise ConfigurationError(
            f"the tables of aggregate {aggregate} would begin with {PREFIX}, as Cutline's own do",
            next_step=f"Give the aggregate another name under {key} in cutline.yaml.",
        )


def _views_of_all(
    project: LoadedProject, bases: Mapping[str, str], region: str
) -> Iterator[tuple[str, str, str]]:
    """Each view of the context with its aggregate and region, also of the project's other regions
    unless they are rolled out in another way.
    """
    document = read_yaml(project.config)
    for name in project.file.regions:
        if name == region or "rollout" not in override_of(document, name):
            for aggregate, base in bases.items():
                yield f"{base}_{name}", aggregate, name


def _refuse_collisions(views: Iterator[tuple[str, str, str]], key: str) -> None:
    """ConfigurationError where two slices would have a view or a table of the same name.

    Names are compared as SQLite does, which takes upper and lower case for the same.
    """
    owners: dict[str, tuple[str, str]] = {}
    for view, aggregate, region in views:
        # A view that looks like another view's table of a version is in its way, too.
        stem = re.sub(r"_v[0-9]+$", "", view.casefold())
        for name in {view.casefold(), stem}:
            other_owner = owners.get(name)
            if other_owner is not None and other_owner != (aggregate, region):
                raise ConfigurationError(
                    f"the read models of aggregate {other_owner[0]} in region {other_owner[1]} and "
                    f"of aggregate {aggregate} in region {region} would both have tables called "
                    f"{name}",
                    next_step=f"Give one of the aggregates another name under {key} in "
                    "cutline.yaml.",
                )
            owners[name] = (aggregate, region)
