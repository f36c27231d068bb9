"""`cutline new translator` of several tables: a translation with a translator for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cutline.errors import ConfigurationError
from cutline.plugin_groups import TRANSLATORS
from cutline.scaffold.checkout import checkout_root, entry_point_lines
from cutline.scaffold.contract import undeclared_columns
from cutline.scaffold.examples import legacy_table
from cutline.scaffold.names import attribute_name, snake_case
from cutline.scaffold.package import Package
from cutline.scaffold.rendering import render
from cutline.scaffold.source_text import (
    collection,
    docstring,
    import_statement,
    printable_text,
    text_literal,
)
from cutline.scaffold.translator import import_sections, next_steps_in_project, render_for_table
from cutline.scaffold.translator_plan import MAJOR, TranslatorPlan
from cutline.scaffold.truth import truth_sql

_RESERVED = ("tests", "translation", "truth")
_GENERIC_NAMES = {"id", "no", "nr", "key", "code", "name", "number", "uuid", "guid", "pk", "oid"}
"""Names of columns that say nothing without their table."""


@dataclass(frozen=True)
class TableModule:
    """The name of a subpackage with a table's contract and translator, and the table's plan."""

    name: str
    plan: TranslatorPlan


def tables_package(plans: Sequence[TranslatorPlan], folder: Path | None = None) -> Package:
    """The files of a distribution of its own, in `folder` or `<name>-translator`.

    ConfigurationError where two tables would have translators of one name.
    """
    modules = _modules(plans)
    name = plans[0].name
    package = f"{name}_translator"
    target = folder or Path(package.replace("_", "-"))
    tests = {f"tests/{path}": content for path, content in _tests(modules, package, True).items()}
    files = {
        "pyproject.toml": render_for_table(
            "translator/pyproject.toml", plans[0], package, True, meaning=_meaning(modules)
        ),
        "README.md": _readme(modules, package),
        f"src/{package}/py.typed": "",
        **{f"src/{package}/{p}": c for p, c in _sources(modules, package, True).items()},
        "tests/conftest.py": render("translator/conftest.py"),
        **tests,
    }
    install = f"pip install --no-deps --editable {target}"
    return Package(target, files, (install, f"pytest {target}", *next_steps_in_project(plans[0])))


def tables_in_repo(plans: Sequence[TranslatorPlan], folder: Path | None = None) -> Package:
    """The files of the translation in the Cutline checkout that contains `folder`."""
    modules = _modules(plans)
    root, name = checkout_root(folder or Path()), plans[0].name
    package = f"cutline_translators.{name}"
    value = f"{package}:{plans[0].constant}"
    lines = entry_point_lines(root, TRANSLATORS, f"{name}-{MAJOR}", value)
    source = f"translators/cutline_translators/{name}"
    files = {
        **{f"{source}/{p}": c for p, c in _sources(modules, package, False).items()},
        **{f"tests/{name}/{p}": c for p, c in _tests(modules, package, False).items()},
    }
    return Package(root, files, (*lines, f"pytest tests/{name}", *next_steps_in_project(plans[0])))


def _modules(plans: Sequence[TranslatorPlan]) -> list[TableModule]:
    modules: list[TableModule] = []
    names = set(_RESERVED)
    for plan in plans:
        twin = next((m.plan for m in modules if m.plan.translator == plan.translator), None)
        if twin is not None:
            raise ConfigurationError(
                f"{twin.profile.name} and {plan.profile.name} would both have a translator "
                f"{plan.translator}.",
                left_behind="Nothing was written.",
                next_step="Write one of them by a call of its own.",
            )
        modules.append(TableModule(attribute_name(plan.profile.table, "table", names), plan))
        names.add(modules[-1].name)
    return modules


def _sources(modules: Sequence[TableModule], package: str, standalone: bool) -> dict[str, str]:
    plan = modules[0].plan
    files = {
        "__init__.py": render_for_table(
            "tables/__init__.py",
            plan,
            package,
            standalone,
            about=package_docstring(modules),
            distribution_package=package,
        ),
        "translation.py": _translation(modules, package, standalone),
        "truth/__init__.py": render("translator/truth.py", aggregates=_truth_queries(modules)),
    }
    for aggregate, first in _first_of_aggregates(modules).items():
        profile = first.profile
        files[f"truth/{aggregate}.sql"] = truth_sql(
            first.project, profile.source, profile.table, first.key
        )
    for module in modules:
        inner = f"{package}.{module.name}"
        files[f"{module.name}/__init__.py"] = render("tables/table.py", table=_name(module))
        for name in ("contract", "translator"):
            files[f"{module.name}/{name}.py"] = render_for_table(
                f"translator/{name}.py", module.plan, inner, standalone
            )
    return files


def package_docstring(modules: Sequence[TableModule]) -> str:
    """The docstring of the package, with the tables' names."""
    tables, context = (
        ", ".join(_table_names(modules)),
        modules[0].plan.installed_context.context.name,
    )
    short = docstring(f"{_meaning(modules)} to {context}.", 0)
    if len(short.splitlines()) == 1:
        return short
    return docstring(f"What {len(modules)} tables mean to {context}. They are {tables}.", 0)


def _translation(modules: Sequence[TableModule], package: str, standalone: bool) -> str:
    plan = modules[0].plan
    package_imports = [
        import_statement(f"{package}.{m.name}.translator", [m.plan.translator]) for m in modules
    ]
    package_imports.append(import_statement(f"{package}.truth", ["TRUTH"]))
    cutline = import_statement("cutline.translator", ["Translation"])
    context = import_statement(
        plan.installed_context.module, [plan.installed_context.constant.partition(".")[0]]
    )
    names = [m.plan.translator for m in modules]
    return render(
        "tables/translation.py",
        plan=plan,
        major=MAJOR,
        context_name=plan.installed_context.constant,
        imports=import_sections(standalone, [cutline, context], package_imports),
        translators=collection("translators=", names, 4),
    )


def _tests(modules: Sequence[TableModule], package: str, standalone: bool) -> dict[str, str]:
    plan = modules[0].plan
    translation_import = import_statement(package, [plan.constant])
    truth_plans = _first_of_aggregates(modules).values()
    tables = (
        "assert tables == [" + ", ".join(text_literal(m.plan.profile.table) for m in modules) + "]"
    )
    files = {
        f"test_{plan.name}_translation.py": render_for_table(
            "tables/test_translation.py",
            plan,
            package,
            standalone,
            imports=import_sections(standalone, [], [translation_import]),
            expected=_long_assertion(modules) if len(tables) > 96 else f"    {tables}",
        )
    }
    for module in modules:
        inner = f"{package}.{module.name}"
        table_imports = [
            import_statement(f"{inner}.contract", [module.plan.contract]),
            import_statement(f"{inner}.translator", [module.plan.translator]),
        ]
        has_truth_test = (
            any(module.plan is truth_plan for truth_plan in truth_plans)
            and legacy_table(module.plan) is not None
        )
        imports = [translation_import, *table_imports] if has_truth_test else table_imports
        files[f"test_{plan.name}_{module.name}.py"] = render_for_table(
            "tables/test_table.py",
            module.plan,
            inner,
            standalone,
            imports=import_sections(standalone, [], imports),
            vouched=has_truth_test,
        )
    return files


def _long_assertion(modules: Sequence[TableModule]) -> str:
    lines = "\n".join(f"        {text_literal(m.plan.profile.table)}," for m in modules)
    return f"    assert tables == [\n{lines}\n    ]"


def _readme(modules: Sequence[TableModule], package: str) -> str:
    plan = modules[0].plan
    rows = [
        {
            "table": _name(m),
            "rows": f"{m.plan.profile.rows:,}",
            "module": m.name,
            "key": ", ".join(f"`{printable_text(name)}`" for name in m.plan.key),
            "status": f"`{printable_text(m.plan.status.column)}`"
            if m.plan.status
            else "nothing seen",
        }
        for m in modules
    ]
    undeclared = [
        f"`{_name(m)}`: {printable_text(c.name)}, of type {c.type}"
        for m in modules
        for c in undeclared_columns(m.plan.profile)
    ]
    return render(
        "tables/README.md",
        plan=plan,
        package=package,
        context=plan.installed_context.context.name,
        major=MAJOR,
        rows_of_tables=rows,
        left_out_columns=undeclared,
        shared=list(shared_key_sentences(modules)),
        alike=list(_same_aggregate_sentences(modules)),
    )


def shared_key_sentences(modules: Sequence[TableModule]) -> Iterator[str]:
    """One sentence per pair of tables of which one has columns named as the key of the other."""
    for module in modules:
        for referrer in modules:
            columns = [_column_of(referrer, module, name) for name in module.plan.key]
            if referrer is not module and None not in columns:
                shown = ", ".join(
                    f"`{printable_text(name)}`" for name in columns if name is not None
                )
                key = ", ".join(f"`{printable_text(name)}`" for name in module.plan.key)
                of = f"of `{_name(module)}`"
                columns_of = f"{shown} {of}" if shown == key else f"{shown}, as {key} {of}"
                yield f"`{_name(referrer)}` has {columns_of}"


def _column_of(table: TableModule, keyed: TableModule, name: str) -> str | None:
    """The column of `table` whose name is that of a key column of another table; null for none.

    A generic name such as `id` needs the table's name in front: `order_id` is `id` of `orders`.
    """
    plain, keyed_name = snake_case(name), snake_case(keyed.plan.profile.table)
    names = {f"{noun}_{plain}" for noun in _with_singulars(keyed_name)}
    if plain not in _GENERIC_NAMES:
        names.add(plain)
    return next((c.name for c in table.plan.profile.columns if snake_case(c.name) in names), None)


def _with_singulars(noun: str) -> Iterator[str]:
    """The noun, and its possible singulars by the endings -ies, -es and -s."""
    yield noun
    for plural, singular in (("ies", "y"), ("es", ""), ("s", "")):
        if noun.endswith(plural):
            yield noun.removesuffix(plural) + singular


def _same_aggregate_sentences(modules: Sequence[TableModule]) -> Iterator[str]:
    """One line per aggregate that several tables belong to, with their names."""
    for aggregate in _first_of_aggregates(modules):
        tables = [f"`{_name(m)}`" for m in modules if m.plan.aggregate == aggregate]
        if len(tables) > 1:
            yield f"{aggregate}: {', '.join(tables)}"


def _first_of_aggregates(modules: Sequence[TableModule]) -> dict[str, TranslatorPlan]:
    """By aggregate, the plan of its first table, which truth SQL reads."""
    first: dict[str, TranslatorPlan] = {}
    for module in modules:
        first.setdefault(module.plan.aggregate, module.plan)
    return first


def _table_names(modules: Sequence[TableModule]) -> list[str]:
    return [_name(module) for module in modules]


def _name(module: TableModule) -> str:
    return printable_text(module.plan.profile.name)


def _meaning(modules: Sequence[TableModule]) -> str:
    return f"What {', '.join(_table_names(modules))} mean"


def _truth_queries(modules: Sequence[TableModule]) -> str:
    """The source of a dictionary of the SQL by aggregate."""
    names = [text_literal(aggregate) for aggregate in _first_of_aggregates(modules)]
    tuple_of_names = f"({', '.join(names)}{',' if len(names) == 1 else ''})"
    return f"{{name: _sql(name) for name in {tuple_of_names}}}"
