"""A scaffold is planned and written, and what comes next is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cutline.cli.output import printable
from cutline.cli.profiling import named, personal_columns, split
from cutline.project import load

if TYPE_CHECKING:
    from cutline.scaffold.package import Package
    from cutline.scaffold.plan import TranslatorPlan


def made(package: Package) -> Iterator[str]:
    """Write the package; one line per file, then the next steps."""
    yield from (f"wrote  {printable(path)}" for path in package.write())
    yield from (f"next   {step}" for step in package.next_steps)


def translator_plan(
    name: str,
    context: str,
    table: str,
    folder: Path,
    region: str | None,
    aggregate: str | None,
    key: str | None,
    status: str | None,
    personal: str | None,
) -> TranslatorPlan:
    """What a translator of the table is made of; every name is looked at before Spark is loaded."""
    from cutline.scaffold.names import plugin_name
    from cutline.scaffold.offered import offered_context, refuse_taken

    offered = offered_context(context)
    offered.aggregate(aggregate)
    refuse_taken(plugin_name(name, "translator"), 1)
    source, of = named(table)
    project = load(folder, region)

    from cutline.profile.profiled import profile
    from cutline.scaffold.plan import planned_translator
    from cutline.sources.whole import columns_of
    from cutline.spark.session import session

    columns_of(project, source, of)
    asked = tuple(split([personal or ""]))
    known = personal_columns(source, of)
    spark = session(project.file.spark)
    found = profile(spark, project, source, of, region=region, hidden=asked, personal=known)
    about_people = [column.name for column in found.columns if column.hidden]
    return planned_translator(
        name,
        offered,
        aggregate,
        project,
        found,
        key=tuple(split([key or ""])),
        status=status,
        personal=about_people,
    )
