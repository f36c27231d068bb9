"""A scaffold is planned and written, and what comes next is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cutline.api.profiling import named, personal_columns, split
from cutline.errors import ConfigurationError, did_you_mean
from cutline.project import LoadedProject, load
from cutline.wording import printable

if TYPE_CHECKING:
    from cutline.scaffold.package import Package
    from cutline.scaffold.plan import TranslatorPlan

ALL = "*"
"""Of a source: every table that cutline.yaml names."""


@dataclass(frozen=True)
class Wishes:
    """What was asked for, as it was written: of the one table, or each `TABLE=` of several."""

    aggregate: Sequence[str]
    key: Sequence[str]
    status: Sequence[str]
    personal: Sequence[str]


def made(package: Package) -> Iterator[str]:
    """Write the package; one line per file, then the next steps."""
    yield from (f"wrote  {printable(path)}" for path in package.write())
    yield from (f"next   {step}" for step in package.next_steps)


def package_of(plans: Sequence[TranslatorPlan], folder: Path | None, *, in_repo: bool) -> Package:
    """The files of a translation of these tables; one table's stand side by side."""
    from cutline.scaffold.tables import tables_in_repo, tables_package
    from cutline.scaffold.translator import translator_in_repo, translator_package

    if len(plans) == 1:
        return (translator_in_repo if in_repo else translator_package)(plans[0], folder)
    return (tables_in_repo if in_repo else tables_package)(plans, folder)


def translator_plans(
    name: str,
    context: str,
    tables: Sequence[str],
    folder: Path,
    region: str | None,
    wishes: Wishes,
) -> list[TranslatorPlan]:
    """What a translator of each table is made of, in the order in which they were named.

    Every name is looked at before Spark is loaded, and each table is profiled once.
    """
    from cutline.scaffold.names import plugin_name
    from cutline.scaffold.offered import offered_context, refuse_taken

    offered = offered_context(context)
    for wish in wishes.aggregate:
        offered.aggregate(wish.rpartition("=")[2])
    refuse_taken(plugin_name(name, "translator"), 1)
    several = len(tables) > 1 or any(table.endswith(f".{ALL}") for table in tables)
    pairs = [named(table) for table in tables]
    project = load(folder, region)
    pairs = list(dict.fromkeys(_every(project, pairs)))
    asked = {
        option: _by_table(option, given, pairs, several) for option, given in vars(wishes).items()
    }

    for pair in pairs:
        offered.aggregate(asked["aggregate"].get(pair))

    from cutline.profile.profiled import profile
    from cutline.scaffold.plan import planned_translator
    from cutline.sources.whole import columns_of
    from cutline.spark.session import session

    for source, table in pairs:
        columns_of(project, source, table)
    spark = session(project.file.spark)
    plans = []
    for source, table in pairs:
        wished = {option: given.get((source, table)) for option, given in asked.items()}
        hidden = tuple(split([wished["personal"] or ""]))
        known = personal_columns(source, table)
        profiled = profile(
            spark, project, source, table, region=region, hidden=hidden, personal=known
        )
        plans.append(
            planned_translator(
                name,
                offered,
                wished["aggregate"],
                project,
                profiled,
                key=tuple(split([wished["key"] or ""])),
                status=wished["status"],
                personal=[column.name for column in profiled.columns if column.hidden],
            )
        )
    return plans


def _every(project: LoadedProject, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The tables, each `*` as all of its source that cutline.yaml names."""
    for source, table in pairs:
        section = project.file.sources.get(source)
        if table == ALL and section is not None:
            yield from ((source, name) for name in section.tables)
        else:
            yield source, table


def _by_table(
    option: str, given: Sequence[str], pairs: Sequence[tuple[str, str]], several: bool
) -> dict[tuple[str, str], str]:
    """By table what an option says of it; an aggregate that names none is that of all.

    A table may be written with its source or without. ConfigurationError for what names no table
    that was asked for, or several.
    """
    wished: dict[tuple[str, str], str] = {}
    for text in given:
        table, sign, value = text.rpartition("=")
        fitting = [p for p in pairs if table in (p[1], ".".join(p))]
        if not several and not fitting:
            # A column may have such a sign in its name.
            table, sign, value, fitting = "", "=", text, [*pairs]
        elif not sign and option == "aggregate":
            fitting = [p for p in pairs if p not in wished]
        if not sign and option != "aggregate":
            raise ConfigurationError(
                f"--{option} {text} does not say of which of {len(pairs)} tables.",
                left_behind="Nothing was written.",
                next_step=f"Write --{option} {pairs[0][1]}={text}",
            )
        if table and len(fitting) != 1:
            names = [".".join(pair) for pair in pairs]
            what = "several of the tables" if fitting else "none of the tables"
            raise ConfigurationError(
                f"--{option} {text}: {table!r} names {what}.{did_you_mean(table, names)}",
                left_behind="Nothing was written.",
                next_step=f"They are: {', '.join(names)}.",
            )
        for pair in fitting:
            before = f"{wished[pair]}," if option == "personal" and pair in wished else ""
            wished[pair] = before + value
    return wished
