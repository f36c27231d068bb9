"""Profiles of tables, without the values of personal columns."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from cutline import plugins
from cutline.errors import ConfigurationError
from cutline.project import load

if TYPE_CHECKING:
    from cutline.profile import TableProfile


def table_profile(
    folder: Path, name: str, region: str | None, hide: Iterable[str] = ()
) -> TableProfile:
    """The profile of `SOURCE.TABLE`, without the values of personal columns.

    Personal are columns that an installed contract of the table marks so, and those to hide.
    Mistakes in the arguments are found before Spark is loaded.
    """
    source, table = table_name(name)
    project = load(folder, region)

    from cutline.profile.profiled import profile
    from cutline.sources.whole_table import whole_table_columns
    from cutline.spark.session import session

    whole_table_columns(project, source, table)
    personal = personal_columns(source, table)
    spark = session(project.file.spark)
    return profile(
        spark, project, source, table, region=region, hidden=tuple(hide), personal=personal
    )


def table_name(name: str) -> tuple[str, str]:
    """Source and table of `SOURCE.TABLE`."""
    source, dot, table = name.partition(".")
    if not (source and dot and table):
        raise ConfigurationError(
            f"{name!r} names no table.", next_step="Name one as SOURCE.TABLE, such as erp.orders."
        )
    return source, table


def personal_columns(source: str, table: str) -> set[str]:
    """The columns that any installed contract of the table marks as personal."""
    return {
        column
        for translation in plugins.translations().loaded.values()
        for contract in translation.contracts()
        if (contract.source(), contract.table()) == (source, table)
        for column in contract.personal()
    }
