"""Scaffolds: packages that run at once, planned and written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cutline import display
from cutline.api.profiles import personal_columns, table_name
from cutline.errors import ConfigurationError, did_you_mean
from cutline.project import LoadedProject, load

if TYPE_CHECKING:
    from cutline.scaffold.package import Package
    from cutline.scaffold.translator_plan import TranslatorPlan

ALL = "*"
"""In place of a table's name: every table of the source in cutline.yaml."""


@dataclass(frozen=True, repr=False)
class Scaffold:
    """A written package: its files, and the author's next steps as lines of text."""

    files: tuple[Path, ...]
    next_steps: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<Scaffold of {len(self.files)} files>"

    def _repr_html_(self) -> str:
        rows = [["wrote", path] for path in self.files]
        return display.table(("", ""), [*rows, *(["next", step] for step in self.next_steps)])


@dataclass(frozen=True)
class TableOptions:
    """Options of tables, each as `VALUE` for a single table, or as `TABLE=VALUE` for several."""

    aggregate: Sequence[str] = ()
    key: Sequence[str] = ()
    status: Sequence[str] = ()
    personal: Sequence[str] = ()


def write_context(
    name: str,
    aggregate: str | None,
    events: Sequence[str],
    folder: Path | None,
    *,
    in_repo: bool,
) -> Scaffold:
    """Write a bounded context: an aggregate, its first events, tests, an entry point."""
    from cutline.scaffold.context import context_in_repo, context_package, plan_context
    from cutline.scaffold.installed_context import refuse_installed_context

    plan = plan_context(name, aggregate, events)
    refuse_installed_context(plan.name)
    return _written((context_in_repo if in_repo else context_package)(plan, folder))


def write_translator(
    name: str,
    context: str,
    tables: Sequence[str],
    project: Path,
    region: str | None,
    options: TableOptions,
    folder: Path | None,
    *,
    in_repo: bool,
) -> Scaffold:
    """Write a translation with a translator of each table of a project."""
    plans = translator_plans(name, context, tables, project, region, options)
    return _written(_package(plans, folder, in_repo=in_repo))


def _written(package: Package) -> Scaffold:
    return Scaffold(tuple(package.write()), package.next_steps)


def _package(plans: Sequence[TranslatorPlan], folder: Path | None, *, in_repo: bool) -> Package:
    """The files of a translation: flat for one table, with a subpackage per table for several."""
    from cutline.scaffold.multi_table import tables_in_repo, tables_package
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
    options: TableOptions,
) -> list[TranslatorPlan]:
    """The plan of a translator for each table, in their order.

    Every name is checked before Spark is loaded, and each table is profiled once.
    """
    from cutline.scaffold.installed_context import installed_context, refuse_installed_translation
    from cutline.scaffold.names import plugin_name

    installed = installed_context(context)
    for text in options.aggregate:
        installed.aggregate(text.rpartition("=")[2])
    refuse_installed_translation(plugin_name(name, "translator"), 1)
    several = len(tables) > 1 or any(table.endswith(f".{ALL}") for table in tables)
    pairs = [table_name(table) for table in tables]
    project = load(folder, region)
    pairs = list(dict.fromkeys(_every(project, pairs)))
    by_option = {
        option: _by_table(option, texts, pairs, several) for option, texts in vars(options).items()
    }

    for pair in pairs:
        installed.aggregate(by_option["aggregate"].get(pair))

    from cutline.profile.profiled import profile
    from cutline.scaffold.translator_plan import plan_translator
    from cutline.sources.whole_table import whole_table_columns
    from cutline.spark.session import session

    for source, table in pairs:
        whole_table_columns(project, source, table)
    spark = session(project.file.spark)
    plans = []
    for source, table in pairs:
        chosen = {option: by_table.get((source, table)) for option, by_table in by_option.items()}
        hidden = tuple(_names(chosen["personal"]))
        declared_personal = personal_columns(source, table)
        profiled = profile(
            spark, project, source, table, region=region, hidden=hidden, personal=declared_personal
        )
        plans.append(
            plan_translator(
                name,
                installed,
                chosen["aggregate"],
                project,
                profiled,
                key=tuple(_names(chosen["key"])),
                status=chosen["status"],
                personal=[column.name for column in profiled.columns if column.hidden],
            )
        )
    return plans


def _every(project: LoadedProject, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The tables, with `*` replaced by all tables of its source in cutline.yaml."""
    for source, table in pairs:
        section = project.file.sources.get(source)
        if table == ALL and section is not None:
            yield from ((source, name) for name in section.tables)
        else:
            yield source, table


def _by_table(
    option: str, texts: Sequence[str], pairs: Sequence[tuple[str, str]], several: bool
) -> dict[tuple[str, str], str]:
    """The value of an option by table; an aggregate without a table is that of all.

    A table may be written with its source or without. ConfigurationError for a text that names none
    of the tables, or several.
    """
    by_table: dict[tuple[str, str], str] = {}
    for text in texts:
        table, sign, value = text.rpartition("=")
        fitting = [p for p in pairs if table in (p[1], ".".join(p))]
        if not several and not fitting:
            # A column may have such a sign in its name.
            table, sign, value, fitting = "", "=", text, [*pairs]
        elif not sign and option == "aggregate":
            fitting = [p for p in pairs if p not in by_table]
        if not sign and option != "aggregate":
            raise ConfigurationError(
                f"--{option} {text} does not say of which of {len(pairs)} tables.",
                left_behind="Nothing was written.",
                next_step=f"Write --{option} {pairs[0][1]}={text}",
            )
        if table and len(fitting) != 1:
            names = [".".join(pair) for pair in pairs]
            matches = "several of the tables" if fitting else "none of the tables"
            raise ConfigurationError(
                f"--{option} {text}: {table!r} names {matches}.{did_you_mean(table, names)}",
                left_behind="Nothing was written.",
                next_step=f"They are: {', '.join(names)}.",
            )
        for pair in fitting:
            before = f"{by_table[pair]}," if option == "personal" and pair in by_table else ""
            by_table[pair] = before + value
    return by_table


def _names(text: str | None) -> list[str]:
    """The names of a text that has several, comma by comma."""
    return [name for name in (part.strip() for part in (text or "").split(",")) if name]
