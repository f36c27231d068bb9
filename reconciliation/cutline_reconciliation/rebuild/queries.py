"""The SQL of a rebuild, by aggregate, before the legacy is asked anything."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cutline.context import Aggregate, Context
from cutline.errors import ConfigurationError, did_you_mean
from cutline.project.loaded import LoadedProject
from cutline.project.rebuild import RebuildSection

_NOTHING = "Nothing was read."


@dataclass(frozen=True)
class StatesQuery:
    """The SQL that gives an aggregate's states; `key` is where cutline.yaml has it."""

    aggregate: Aggregate
    sql: str
    key: str


def queries_of(
    project: LoadedProject, section: RebuildSection, key: str, context: Context
) -> tuple[StatesQuery, ...]:
    """The queries, in the order of the context's aggregates; `key` is where cutline.yaml has the
    section. ConfigurationError for an aggregate that it has not, and for a file that cannot be
    read or says nothing."""
    names = [aggregate.name for aggregate in context.aggregates]
    for name in section.queries:
        if name not in names:
            raise ConfigurationError(
                f"{key}.queries: context {context.name} has no aggregate {name!r}."
                + did_you_mean(name, names),
                left_behind=_NOTHING,
                next_step=f"It has: {', '.join(names)}.",
            )
    return tuple(
        StatesQuery(aggregate, _sql(project, section.queries[aggregate.name], key), key)
        for aggregate, key in ((a, f"{key}.queries.{a.name}") for a in context.aggregates)
        if aggregate.name in section.queries
    )


def _sql(project: LoadedProject, query: str, key: str) -> str:
    sql = query
    if query.endswith(".sql"):
        path = Path(project.path(query))
        try:
            sql = path.read_text(encoding="utf-8")
        except (OSError, UnicodeError) as error:
            raise ConfigurationError(
                f"{key}: {path} cannot be read: {error}",
                left_behind=_NOTHING,
                next_step="Write the SQL there, or name another file.",
            ) from error
    if not sql.strip():
        raise ConfigurationError(
            f"{key} has no SQL",
            left_behind=_NOTHING,
            next_step="Write a query that gives one row for each subject.",
        )
    return sql
