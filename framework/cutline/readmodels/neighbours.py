"""Databases of cutline.yaml that have versions of slices: each drops what is none of its own, so no
two sections may have them in one."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations
from typing import NamedTuple

from cutline.context import Context
from cutline.control.address import address, same_database
from cutline.errors import ConfigurationError
from cutline.project.loaded import LoadedProject
from cutline.project.rollout import StatesDatabase
from cutline.readmodels.database import KEY, ReadModelDatabase


class _Declared(NamedTuple):
    """A section with such a database, where cutline.yaml has it, and what its versions are.
    `aggregates` are those of a rebuild; null for whatever a context has."""

    key: str
    section: StatesDatabase
    versions: str
    aggregates: Collection[str] | None = None


def refuse_neighbours(project: LoadedProject, key: str, context: Context) -> None:
    """ConfigurationError where another section has versions of a slice of the context in the
    database of the section that cutline.yaml has under `key`."""
    sections = list(_declared(project))
    ours = next(declared for declared in sections if declared.key == key)
    for theirs in sections:
        if theirs.key != key and _meet(ours, theirs, context):
            _refuse_shared(project, ours, theirs)


def refuse_neighbours_of_releases(project: LoadedProject) -> None:
    """ConfigurationError where another section has its versions in the database of the releases."""
    sections = {declared.key: declared for declared in _declared(project)}
    releases = sections.pop(KEY, None)
    if releases is not None:
        for theirs in sections.values():
            _refuse_shared(project, releases, theirs)


def databases_at_fault(project: LoadedProject, context: Context) -> Iterator[str]:
    """What is wrong with such databases, where they have versions of slices of a context."""
    sections = list(_declared(project))
    for declared in sections:
        try:
            ReadModelDatabase.of(project, declared.section, declared.key)
        except ConfigurationError as error:
            yield error.what
            return
    for ours, theirs in combinations(sections, 2):
        if _meet(ours, theirs, context):
            try:
                _refuse_shared(project, ours, theirs)
            except ConfigurationError as error:
                yield error.what


def _declared(project: LoadedProject) -> Iterator[_Declared]:
    file = project.file
    if file.rollout.read_model is not None:
        yield _Declared(KEY, file.rollout.read_model, "releases")
    for name, section in file.rehydrations.items():
        yield _Declared(f"rehydrations.{name}", section, "snapshots")
    for name, rebuild in file.rebuilds.items():
        key = f"rebuilds.{name}"
        yield _Declared(key, rebuild, "made of legacy rows", tuple(rebuild.queries))


def _meet(ours: _Declared, theirs: _Declared, context: Context) -> bool:
    """Whether both have versions of a slice of the context that are not of one kind. What a rebuild
    has not, it leaves alone; nothing may be beside releases."""
    if KEY in (ours.key, theirs.key):
        return True
    names = {aggregate.name for aggregate in context.aggregates}
    rebuilt = [d.aggregates for d in (ours, theirs) if d.aggregates is not None]
    return bool(rebuilt) and all(names & set(aggregates) for aggregates in rebuilt)


def _refuse_shared(project: LoadedProject, ours: _Declared, theirs: _Declared) -> None:
    places = [
        (address(d.section.url, project.folder, f"{d.key}.url"), d.section.schema_name)
        for d in (ours, theirs)
    ]
    (our_place, our_schema), (their_place, their_schema) = places
    if our_schema == their_schema and same_database(our_place, their_place):
        raise ConfigurationError(
            f"{ours.key}.url is the database of {theirs.key}, whose versions are {theirs.versions}",
            left_behind="Nothing was changed.",
            next_step="Name another database or schema.",
        )
