"""Literal rows for a scaffold's tests: made up, so that no legacy data ends in a repository."""

from __future__ import annotations

from dataclasses import dataclass

from cutline.scaffold.source_text import call, several, text
from cutline.scaffold.translator_plan import TranslatorPlan
from cutline.scaffold.truth import physical_name, quoted, whole_regions
from cutline.sources.used_tables import mentions


def sample(plan: TranslatorPlan) -> str:
    """A row that keeps its contract, made up; null wherever it may be."""
    status = plan.status.column if plan.status else None
    given = {f.name: f.sample for f in plan.fields if f.sample is not None}
    if status in given and plan.rules:
        given[status] = next((r.literal for r in plan.rules if r.literal != "None"), '"a"')
    items = [f"{text(name)}: {literal}" for name, literal in given.items()]
    return several("", items, 4, "{}")


_INDENT = " " * 12


def _snapshot(column: str, literal: str) -> str:
    return call("snapshot", ["ROW", f"{{{column}: {literal}}}"], len(_INDENT))


def cases(plan: TranslatorPlan) -> list[tuple[str, str, str]]:
    """Name, columns and rule of each case: every value that was seen, and one that was not."""
    if plan.status is None:
        return [('"any row"', f"{_INDENT}snapshot(ROW)", text("unmapped:every-row"))]
    column = text(plan.status.column)
    found = [(text(r.rule), _snapshot(column, r.literal), text(r.unmapped)) for r in plan.rules]
    kind = plan.profile.column(plan.status.column)
    assert kind is not None
    unseen = {"string": '"never seen"', "boolean": ""}.get(kind.type, "-1")
    if unseen:
        rule = text(f"unmapped:{plan.status.column}")
        found.append(('"a value that nobody has seen"', _snapshot(column, unseen), rule))
    return found


@dataclass(frozen=True)
class Legacy:
    """How a test lays out the legacy table for truth SQL, and which region takes all its rows."""

    create: str
    insert: str
    subject: str
    region: str


def legacy(plan: TranslatorPlan) -> Legacy | None:
    """Null where the query speaks of more than the one table, or of regions that take a part."""
    project, profile = plan.project, plan.profile
    section = project.file.sources[profile.source]
    predicate = section.tables[profile.table].region
    regions = whole_regions(project) or list(project.file.regions)
    if predicate is not None:
        others = [t for t in section.tables if t != profile.table and mentions(predicate, t)]
        if others or not whole_regions(project):
            return None
    table = (
        f"{quoted(profile.source)}.{quoted(physical_name(project, profile.source, profile.table))}"
    )
    asked = [c.name for c in profile.columns if predicate and mentions(predicate, c.name)]
    columns = ", ".join(quoted(name) for name in dict.fromkeys([*plan.key, *asked]))
    marks = ", ".join("?" for _ in plan.key)
    keys = ", ".join(quoted(name) for name in plan.key)
    numbers = [str(n) for n, _ in enumerate(plan.key, 1)]
    values = ", ".join(map(text, numbers)) + ("," if len(numbers) == 1 else "")
    insert = f"INSERT INTO {table} ({keys}) VALUES ({marks})"  # noqa: S608 - text of a test
    return Legacy(
        create=call("legacy.execute", [text(f"CREATE TABLE {table} ({columns})")], 4),
        insert=call("legacy.execute", [text(insert), f"({values})"], 4),
        subject=text("/".join(numbers)),
        region=text(regions[0]),
    )
