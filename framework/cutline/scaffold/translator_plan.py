"""The plan of a scaffolded translator: everything that its templates show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cutline.errors import ConfigurationError, did_you_mean
from cutline.profile import Statuses, TableProfile
from cutline.profile.statuses import likely_status
from cutline.project.loaded import LoadedProject
from cutline.scaffold.contract import ContractColumn, contract_columns, type_annotation
from cutline.scaffold.installed_context import InstalledContext
from cutline.scaffold.names import class_name, plugin_name
from cutline.scaffold.rules import StatusRule, status_rules
from cutline.sources.changes.modes import Modes, modes_of

MAJOR = 1


@dataclass(frozen=True)
class TranslatorPlan:
    """A translator of one table: names, profile, key columns, contract columns and to-do rules.

    `status` is the column that classifies rows, with its values; null where there is none.
    """

    name: str
    installed_context: InstalledContext
    aggregate: str
    project: LoadedProject
    profile: TableProfile
    key: tuple[str, ...]
    status: Statuses | None
    columns: tuple[ContractColumn, ...]
    rules: tuple[StatusRule, ...]

    @property
    def constant(self) -> str:
        """The name of the package's constant, its translation."""
        return f"{self.name.upper()}_{MAJOR}"

    @property
    def contract(self) -> str:
        """The name of the contract's class."""
        return class_name(self.profile.table) + "Row"

    @property
    def translator(self) -> str:
        """The name of the translator's class."""
        return class_name(self.profile.source, self.profile.table)


def plan_translator(
    name: str,
    installed_context: InstalledContext,
    aggregate: str | None,
    project: LoadedProject,
    profile: TableProfile,
    *,
    key: Sequence[str] = (),
    status: str | None = None,
    personal: Sequence[str] = (),
) -> TranslatorPlan:
    """The plan of a translator of the profiled table.

    `key`, `status` and `personal` are column names that the user chose; without them the likeliest
    key and status of the profile are used, and no column is personal. ConfigurationError for
    unknown columns, and where the profile has no key candidate.
    """
    key_columns = _key_columns(profile, key)
    statuses = _status_column(profile, status)
    status_column = statuses.column if statuses else None
    modes = _modes(project, profile)
    columns = contract_columns(profile, key_columns, status_column, personal, modes)
    return TranslatorPlan(
        plugin_name(name, "translator"),
        installed_context,
        installed_context.aggregate(aggregate).name,
        project,
        profile,
        key_columns,
        statuses,
        tuple(columns),
        tuple(status_rules(profile, statuses) if statuses else ()),
    )


def _modes(project: LoadedProject, profile: TableProfile) -> Modes | None:
    """The modes of the connector that writes the table's changes; null without changes."""
    section = project.file.sources[profile.source]
    if section.changes is None:
        return None
    return modes_of(section.changes, section.tables[profile.table].name or profile.table)


def _key_columns(profile: TableProfile, chosen: Sequence[str]) -> tuple[str, ...]:
    """The columns that identify a row: the chosen ones, or the likeliest candidate.

    A candidate may be null in a few rows, which will be quarantined.
    """
    names = [c.name for c in profile.columns]
    for name in chosen:
        if name not in names:
            raise ConfigurationError(
                f"{profile.name} has no column {name!r}.{did_you_mean(name, names)}",
                next_step=f"It has: {', '.join(names)}.",
            )
    if chosen:
        return tuple(dict.fromkeys(chosen))
    candidates = [*profile.keys, *(near.columns for near in profile.near_keys)]
    fit = [key for key in candidates if not any(_is_amount(profile, name) for name in key)]
    if not fit:
        raise ConfigurationError(
            f"{profile.name}: no column, pair or triple of columns that was tried identifies a row",
            left_behind="Nothing was written.",
            next_step="Name the columns that do with --key COLUMN,COLUMN (of one of several tables "
            f"--key {profile.table}=COLUMN,COLUMN); rows that share a key will be quarantined.",
        )
    return fit[0]


def _is_amount(profile: TableProfile, name: str) -> bool:
    """Whether a column is a time, a decimal or of a nested type, and so no likely key."""
    column = profile.column(name)
    assert column is not None
    return (
        column.is_time or column.type.startswith("decimal") or type_annotation(column.type) is None
    )


def _status_column(profile: TableProfile, chosen: str | None) -> Statuses | None:
    """The chosen status column, or the likeliest candidate; null where there is no candidate."""
    if chosen is None:
        return likely_status(profile.statuses)
    statuses = next((s for s in profile.statuses if s.column == chosen), None)
    if statuses is None:
        columns = [s.column for s in profile.statuses]
        raise ConfigurationError(
            f"{profile.name}: column {chosen!r} is none that could classify rows: "
            f"{', '.join(columns) or 'there is none'}.{did_you_mean(chosen, columns)}",
            left_behind="Nothing was written.",
            next_step="Such a column has 2 to 20 values, each of them in several rows.",
        )
    return statuses
