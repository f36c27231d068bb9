"""Literals for a scaffold's tests: made-up rows, so that no legacy data gets into a repository."""

from __future__ import annotations

from dataclasses import dataclass

from cutline.scaffold.source_text import call, collection, text_literal
from cutline.scaffold.translator_plan import TranslatorPlan
from cutline.scaffold.truth import physical_name, whole_regions
from cutline.sources.used_tables import mentions
from cutline.sql.standard import quoted


def sample_row(plan: TranslatorPlan) -> str:
    """The source of a made-up row that keeps its contract; nullable columns are left out."""
    status = plan.status.column if plan.status else None
    literals = {f.name: f.sample for f in plan.columns if f.sample is not None}
    if status in literals and plan.rules:
        literals[status] = next((r.literal for r in plan.rules if r.literal != "None"), '"a"')
    items = [f"{text_literal(name)}: {literal}" for name, literal in literals.items()]
    return collection("", items, 4, "{}")


_INDENT = " " * 12


def _snapshot(column: str, literal: str) -> str:
    return call("snapshot", ["ROW", f"{{{column}: {literal}}}"], len(_INDENT))


def specification_cases(plan: TranslatorPlan) -> list[tuple[str, str, str]]:
    """Name, step and rule of each case, as source: one per status value, and one of another value.

    Without a status column, one case of any row.
    """
    if plan.status is None:
        return [('"any row"', f"{_INDENT}snapshot(ROW)", text_literal("unmapped:every-row"))]
    column = text_literal(plan.status.column)
    cases = [
        (text_literal(r.rule), _snapshot(column, r.literal), text_literal(r.unmapped))
        for r in plan.rules
    ]
    kind = plan.profile.column(plan.status.column)
    assert kind is not None
    other_value = {"string": '"never seen"', "boolean": ""}.get(kind.type, "-1")
    if other_value:
        rule = text_literal(f"unmapped:{plan.status.column}")
        cases.append(('"a value that nobody has seen"', _snapshot(column, other_value), rule))
    return cases


@dataclass(frozen=True)
class LegacyTable:
    """Sources of a test of truth SQL: calls that create and fill the legacy table, and literals.

    `subject` is the subject of the row that is inserted, `region` a region with all rows.
    """

    create: str
    insert: str
    subject: str
    region: str


def legacy_table(plan: TranslatorPlan) -> LegacyTable | None:
    """The legacy table of a test; null where truth SQL cannot run on this table alone.

    That is so where the region predicate has other tables, or no region contains all rows.
    """
    project, profile = plan.project, plan.profile
    section = project.file.sources[profile.source]
    predicate = section.tables[profile.table].region
    regions = whole_regions(project) or list(project.file.regions)
    if predicate is not None:
        others = [t for t in section.tables if t != profile.table and mentions(predicate, t)]
        if others or not whole_regions(project):
            return None
    name = physical_name(project, profile.source, profile.table)
    table = f"{quoted(profile.source)}.{quoted(name)}"
    predicate_columns = [
        c.name for c in profile.columns if predicate and mentions(predicate, c.name)
    ]
    columns = ", ".join(quoted(name) for name in dict.fromkeys([*plan.key, *predicate_columns]))
    marks = ", ".join("?" for _ in plan.key)
    keys = ", ".join(quoted(name) for name in plan.key)
    numbers = [str(n) for n, _ in enumerate(plan.key, 1)]
    values = ", ".join(map(text_literal, numbers)) + ("," if len(numbers) == 1 else "")
    insert = f"INSERT INTO {table} ({keys}) VALUES ({marks})"  # noqa: S608 - text of a test
    return LegacyTable(
        create=call("legacy.execute", [text_literal(f"CREATE TABLE {table} ({columns})")], 4),
        insert=call("legacy.execute", [text_literal(insert), f"({values})"], 4),
        subject=text_literal("/".join(numbers)),
        region=text_literal(regions[0]),
    )
