"""A view with the columns of two versions: what services read before and what they are to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from cutline.errors import ConfigurationError
from cutline.readmodels.columns import ENDED, SUBJECT
from cutline.readmodels.model import ReadModelColumn
from cutline.readmodels.records import TableRecord
from cutline.sql.standard import quoted

Shape = Literal["expanded", "contracted"]


def shaped_sql(record: TableRecord, base: TableRecord, shape: Shape) -> str:
    """The query of a view over a table, beside that of the version before.

    Expanded, it has the columns of `base` in their order, then those that are new; what the table
    has no more, or of another type, comes from `base` by subject and is null where that has none.
    A column of another type is there under its name with its version as well. Contracted, it has
    the columns of the table and these names, so that services may leave them later.
    """
    plan, types = record.plan, {c.name: c.type for c in record.plan.columns}
    base_types = {c.name: c.type for c in base.plan.columns}
    changed = [c for c in plan.columns if base_types.get(c.name, c.type) != c.type]
    versioned = [(c.name, f"{c.name}_v{plan.version}") for c in changed]
    _refuse_names(versioned, (*plan.columns, *base.plan.columns), plan.table)
    again = [f"n.{quoted(name)} AS {quoted(alias)}" for name, alias in versioned]
    if shape == "contracted":
        columns = [f"n.{quoted(c.name)}" for c in plan.columns] + again
        return _from(columns, plan.table, "")
    columns = [
        f"{'n' if types.get(c.name) == c.type else 'o'}.{quoted(c.name)}" for c in base.plan.columns
    ]
    columns += [f"n.{quoted(c.name)}" for c in plan.columns if c.name not in base_types]
    on = f"o.{quoted(SUBJECT)} = n.{quoted(SUBJECT)}"
    return _from(columns + again, plan.table, f" LEFT JOIN {quoted(base.plan.table)} AS o ON {on}")


def _from(columns: Sequence[str], table: str, joined: str) -> str:
    return (
        f"SELECT {', '.join(columns)} FROM {quoted(table)} AS n{joined} "  # noqa: S608
        f"WHERE NOT n.{quoted(ENDED)}"
    )


def _refuse_names(
    versioned: Sequence[tuple[str, str]], columns: Sequence[ReadModelColumn], table: str
) -> None:
    names = {c.name.casefold() for c in columns}
    for name, alias in versioned:
        if alias.casefold() in names:
            raise ConfigurationError(
                f"table {table}: column {name} is of another type and would be shown as {alias} as "
                "well, which is the name of a column",
                left_behind="What services read was not changed.",
                next_step="Rename one of the state columns.",
            )
