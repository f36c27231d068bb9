"""What a translator is made of: a profile, and what was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cutline.errors import ConfigurationError, did_you_mean
from cutline.profile import Statuses, TableProfile
from cutline.profile.statuses import likely_status
from cutline.project.loaded import LoadedProject
from cutline.scaffold.contract import Field, annotated, fields
from cutline.scaffold.installed_context import OfferedContext
from cutline.scaffold.names import class_name, plugin_name
from cutline.scaffold.rules import StatusRule, status_rules
from cutline.sources.changes.modes import Modes, modes_of

MAJOR = 1


@dataclass(frozen=True)
class TranslatorPlan:
    """Everything that the files are made of. `status` is null where no column is one."""

    name: str
    offered: OfferedContext
    aggregate: str
    project: LoadedProject
    profile: TableProfile
    key: tuple[str, ...]
    status: Statuses | None
    fields: tuple[Field, ...]
    rules: tuple[StatusRule, ...]

    @property
    def constant(self) -> str:
        """The name under which the package offers its translation."""
        return f"{self.name.upper()}_{MAJOR}"

    @property
    def contract(self) -> str:
        """The name of the contract's class."""
        return class_name(self.profile.table) + "Row"

    @property
    def translator(self) -> str:
        """The name of the translator's class."""
        return class_name(self.profile.source, self.profile.table)


def planned_translator(
    name: str,
    offered: OfferedContext,
    aggregate: str | None,
    project: LoadedProject,
    profile: TableProfile,
    *,
    key: Sequence[str] = (),
    status: str | None = None,
    personal: Sequence[str] = (),
) -> TranslatorPlan:
    """The plan; ConfigurationError where the table does not say by what a row is identified."""
    chosen = _key(profile, key)
    found = _status(profile, status)
    classifying = found.column if found else None
    modes = _modes(project, profile)
    declared = fields(profile, chosen, classifying, personal, modes)
    return TranslatorPlan(
        plugin_name(name, "translator"),
        offered,
        offered.aggregate(aggregate).name,
        project,
        profile,
        chosen,
        found,
        tuple(declared),
        tuple(status_rules(profile, found) if found else ()),
    )


def _modes(project: LoadedProject, profile: TableProfile) -> Modes | None:
    """How the connector of the table's source writes its changes; null where it has none."""
    section = project.file.sources[profile.source]
    if section.changes is None:
        return None
    return modes_of(section.changes, section.tables[profile.table].name or profile.table)


def _key(profile: TableProfile, asked: Sequence[str]) -> tuple[str, ...]:
    """The columns that identify a row: those asked for, or the likeliest candidate.

    Rows without a value in one of them will be quarantined: a candidate may lack a few.
    """
    known = [c.name for c in profile.columns]
    for name in asked:
        if name not in known:
            raise ConfigurationError(
                f"{profile.name} has no column {name!r}.{did_you_mean(name, known)}",
                next_step=f"It has: {', '.join(known)}.",
            )
    if asked:
        return tuple(dict.fromkeys(asked))
    every = [*profile.keys, *(near.columns for near in profile.near_keys)]
    fit = [key for key in every if not any(_is_amount(profile, name) for name in key)]
    if not fit:
        raise ConfigurationError(
            f"{profile.name}: no column, pair or triple of columns that was tried identifies a row",
            left_behind="Nothing was written.",
            next_step="Name the columns that do with --key COLUMN,COLUMN (of one of several tables "
            f"--key {profile.table}=COLUMN,COLUMN); rows that share a key will be quarantined.",
        )
    return fit[0]


def _is_amount(profile: TableProfile, name: str) -> bool:
    column = profile.column(name)
    assert column is not None
    return column.is_time or column.type.startswith("decimal") or annotated(column.type) is None


def _status(profile: TableProfile, asked: str | None) -> Statuses | None:
    if asked is None:
        return likely_status(profile.statuses)
    found = next((s for s in profile.statuses if s.column == asked), None)
    if found is None:
        known = [s.column for s in profile.statuses]
        raise ConfigurationError(
            f"{profile.name}: column {asked!r} is none that could classify rows: "
            f"{', '.join(known) or 'there is none'}.{did_you_mean(asked, known)}",
            left_behind="Nothing was written.",
            next_step="Such a column has 2 to 20 values, each of them in several rows.",
        )
    return found
