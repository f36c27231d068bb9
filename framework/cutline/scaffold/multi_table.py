"""`cutline new translator` for several tables: a translation with a translator for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cutline.errors import ConfigurationError
from cutline.plugins import TRANSLATORS
from cutline.scaffold.checkout import checkout, entry_point_lines
from cutline.scaffold.contract import left_out
from cutline.scaffold.examples import legacy
from cutline.scaffold.names import attribute, words
from cutline.scaffold.package import Package
from cutline.scaffold.rendering import rendered
from cutline.scaffold.source_text import docstring, imported, sentence, several, text
from cutline.scaffold.translator import next_in_project, rendered_of_table, sections
from cutline.scaffold.translator_plan import MAJOR, TranslatorPlan
from cutline.scaffold.truth import truth_sql

_TAKEN = ("tests", "translation", "truth")
_SAY_NOTHING = {"id", "no", "nr", "key", "code", "name", "number", "uuid", "guid", "pk", "oid"}
"""Names of columns that are another thing in each table."""


@dataclass(frozen=True)
class Module:
    """A table's plan, and the name of the folder with its contract and translator."""

    name: str
    plan: TranslatorPlan


def tables_package(plans: Sequence[TranslatorPlan], folder: Path | None = None) -> Package:
    """The translation as a distribution of its own, in `folder` or `<name>-translator`.

    ConfigurationError where two tables would have a translator of one name.
    """
    modules = _modules(plans)
    name = plans[0].name
    package = f"{name}_translator"
    target = folder or Path(package.replace("_", "-"))
    tests = {f"tests/{path}": content for path, content in _tests(modules, package, True).items()}
    files = {
        "pyproject.toml": rendered_of_table(
            "translator/pyproject.toml", plans[0], package, True, meaning=_meaning(modules)
        ),
        "README.md": _readme(modules, package),
        f"src/{package}/py.typed": "",
        **{f"src/{package}/{p}": c for p, c in _sources(modules, package, True).items()},
        "tests/conftest.py": rendered("translator/conftest.py"),
        **tests,
    }
    install = f"pip install --no-deps --editable {target}"
    return Package(target, files, (install, f"pytest {target}", *next_in_project(plans[0])))


def tables_in_repo(plans: Sequence[TranslatorPlan], folder: Path | None = None) -> Package:
    """The translation in the folders of the checkout that `folder` is in."""
    modules = _modules(plans)
    root, name = checkout(folder or Path()), plans[0].name
    package = f"cutline_translators.{name}"
    value = f"{package}:{plans[0].constant}"
    lines = entry_point_lines(root, TRANSLATORS, f"{name}-{MAJOR}", value)
    source = f"translators/cutline_translators/{name}"
    files = {
        **{f"{source}/{p}": c for p, c in _sources(modules, package, False).items()},
        **{f"tests/{name}/{p}": c for p, c in _tests(modules, package, False).items()},
    }
    return Package(root, files, (*lines, f"pytest tests/{name}", *next_in_project(plans[0])))


def _modules(plans: Sequence[TranslatorPlan]) -> list[Module]:
    modules: list[Module] = []
    taken = set(_TAKEN)
    for plan in plans:
        twin = next((m.plan for m in modules if m.plan.translator == plan.translator), None)
        if twin is not None:
            raise ConfigurationError(
                f"{twin.profile.name} and {plan.profile.name} would both have a translator "
                f"{plan.translator}.",
                left_behind="Nothing was written.",
                next_step="Write one of them by a call of its own.",
            )
        modules.append(Module(attribute(plan.profile.table, "table", taken), plan))
        taken.add(modules[-1].name)
    return modules


def _sources(modules: Sequence[Module], package: str, standalone: bool) -> dict[str, str]:
    plan = modules[0].plan
    files = {
        "__init__.py": rendered_of_table(
            "tables/__init__.py",
            plan,
            package,
            standalone,
            about=package_docstring(modules),
            distribution_package=package,
        ),
        "translation.py": _translation(modules, package, standalone),
        "truth/__init__.py": rendered("translator/truth.py", aggregates=_truths(modules)),
    }
    for aggregate, first in _first_of_aggregates(modules).items():
        profile = first.profile
        files[f"truth/{aggregate}.sql"] = truth_sql(
            first.project, profile.source, profile.table, first.key
        )
    for module in modules:
        inner = f"{package}.{module.name}"
        files[f"{module.name}/__init__.py"] = rendered("tables/table.py", table=_name(module))
        for name in ("contract", "translator"):
            files[f"{module.name}/{name}.py"] = rendered_of_table(
                f"translator/{name}.py", module.plan, inner, standalone
            )
    return files


def package_docstring(modules: Sequence[Module]) -> str:
    """The docstring of the package."""
    named, context = ", ".join(_named(modules)), modules[0].plan.offered.context.name
    short = docstring(f"{_meaning(modules)} to {context}.", 0)
    if len(short.splitlines()) == 1:
        return short
    return docstring(f"What {len(modules)} tables mean to {context}. They are {named}.", 0)


def _translation(modules: Sequence[Module], package: str, standalone: bool) -> str:
    plan = modules[0].plan
    own = [imported(f"{package}.{m.name}.translator", [m.plan.translator]) for m in modules]
    own.append(imported(f"{package}.truth", ["TRUTH"]))
    cutline = imported("cutline.translator", ["Translation"])
    context = imported(plan.offered.module, [plan.offered.constant.partition(".")[0]])
    names = [m.plan.translator for m in modules]
    return rendered(
        "tables/translation.py",
        plan=plan,
        major=MAJOR,
        context_name=plan.offered.constant,
        imports=sections(standalone, [cutline, context], own),
        translators=several("translators=", names, 4),
    )


def _tests(modules: Sequence[Module], package: str, standalone: bool) -> dict[str, str]:
    plan = modules[0].plan
    whole = imported(package, [plan.constant])
    first = _first_of_aggregates(modules).values()
    tables = "assert tables == [" + ", ".join(text(m.plan.profile.table) for m in modules) + "]"
    files = {
        f"test_{plan.name}_translation.py": rendered_of_table(
            "tables/test_translation.py",
            plan,
            package,
            standalone,
            imports=sections(standalone, [], [whole]),
            expected=_asserted(modules) if len(tables) > 96 else f"    {tables}",
        )
    }
    for module in modules:
        inner = f"{package}.{module.name}"
        tested = [
            imported(f"{inner}.contract", [module.plan.contract]),
            imported(f"{inner}.translator", [module.plan.translator]),
        ]
        vouched = (
            any(module.plan is plan_of_truth for plan_of_truth in first)
            and legacy(module.plan) is not None
        )
        asked = [whole, *tested] if vouched else tested
        files[f"test_{plan.name}_{module.name}.py"] = rendered_of_table(
            "tables/test_table.py",
            module.plan,
            inner,
            standalone,
            imports=sections(standalone, [], asked),
            vouched=vouched,
        )
    return files


def _asserted(modules: Sequence[Module]) -> str:
    lines = "\n".join(f"        {text(m.plan.profile.table)}," for m in modules)
    return f"    assert tables == [\n{lines}\n    ]"


def _readme(modules: Sequence[Module], package: str) -> str:
    plan = modules[0].plan
    rows = [
        {
            "table": _name(m),
            "rows": f"{m.plan.profile.rows:,}",
            "module": m.name,
            "key": ", ".join(f"`{sentence(name)}`" for name in m.plan.key),
            "status": f"`{sentence(m.plan.status.column)}`" if m.plan.status else "nothing seen",
        }
        for m in modules
    ]
    unread = [
        f"`{_name(m)}`: {sentence(c.name)}, of type {c.type}"
        for m in modules
        for c in left_out(m.plan.profile)
    ]
    return rendered(
        "tables/README.md",
        plan=plan,
        package=package,
        context=plan.offered.context.name,
        major=MAJOR,
        rows_of_tables=rows,
        left_out_columns=unread,
        shared=list(shared_keys(modules)),
        alike=list(_alike(modules)),
    )


def shared_keys(modules: Sequence[Module]) -> Iterator[str]:
    """Which tables have the columns, by name, that identify a row of another."""
    for module in modules:
        for other in modules:
            columns = [_column_of(other, module, name) for name in module.plan.key]
            if other is not module and None not in columns:
                shown = ", ".join(f"`{sentence(name)}`" for name in columns if name is not None)
                key = ", ".join(f"`{sentence(name)}`" for name in module.plan.key)
                of = f"of `{_name(module)}`"
                columns_of = f"{shown} {of}" if shown == key else f"{shown}, as {key} {of}"
                yield f"`{_name(other)}` has {columns_of}"


def _column_of(table: Module, of: Module, name: str) -> str | None:
    """The column of a table that is named as the key column of another; null where none is.

    `id` says nothing by itself, for every table may have one: `order_id` is that of `orders`.
    """
    plain, whose = words(name), words(of.plan.profile.table)
    fitting = {f"{noun}_{plain}" for noun in _singular_too(whose)}
    if plain not in _SAY_NOTHING:
        fitting.add(plain)
    return next((c.name for c in table.plan.profile.columns if words(c.name) in fitting), None)


def _singular_too(noun: str) -> Iterator[str]:
    yield noun
    for plural, singular in (("ies", "y"), ("es", ""), ("s", "")):
        if noun.endswith(plural):
            yield noun.removesuffix(plural) + singular


def _alike(modules: Sequence[Module]) -> Iterator[str]:
    for aggregate in _first_of_aggregates(modules):
        of_it = [f"`{_name(m)}`" for m in modules if m.plan.aggregate == aggregate]
        if len(of_it) > 1:
            yield f"{aggregate}: {', '.join(of_it)}"


def _first_of_aggregates(modules: Sequence[Module]) -> dict[str, TranslatorPlan]:
    """By aggregate, the first table of it: the one that truth asks."""
    first: dict[str, TranslatorPlan] = {}
    for module in modules:
        first.setdefault(module.plan.aggregate, module.plan)
    return first


def _named(modules: Sequence[Module]) -> list[str]:
    return [_name(module) for module in modules]


def _name(module: Module) -> str:
    return sentence(module.plan.profile.name)


def _meaning(modules: Sequence[Module]) -> str:
    return f"What {', '.join(_named(modules))} mean"


def _truths(modules: Sequence[Module]) -> str:
    """The source of a dictionary with the SQL of each aggregate."""
    names = [text(aggregate) for aggregate in _first_of_aggregates(modules)]
    tuple_of_names = f"({', '.join(names)}{',' if len(names) == 1 else ''})"
    return f"{{name: _sql(name) for name in {tuple_of_names}}}"
