"""`cutline new translator` of one table: a translation of to-do rules."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cutline.plugin_groups import TRANSLATORS
from cutline.scaffold.checkout import checkout_root, entry_point_lines
from cutline.scaffold.contract import undeclared_columns
from cutline.scaffold.examples import legacy_table, sample_row, specification_cases
from cutline.scaffold.package import Package
from cutline.scaffold.rendering import render
from cutline.scaffold.rules import column_access
from cutline.scaffold.source_text import (
    call,
    comment,
    import_statement,
    printable_text,
    text_literal,
)
from cutline.scaffold.translator_plan import MAJOR, TranslatorPlan
from cutline.scaffold.truth import truth_sql


def translator_package(plan: TranslatorPlan, folder: Path | None = None) -> Package:
    """The files of a distribution of its own, in `folder` or `<name>-translator`."""
    package = f"{plan.name}_translator"
    target = folder or Path(package.replace("_", "-"))
    files = {
        "pyproject.toml": _render("pyproject.toml", plan, package),
        "README.md": _render("README.md", plan, package),
        f"src/{package}/py.typed": "",
        **_modules(plan, f"src/{package}", package),
        "tests/conftest.py": _render("conftest.py", plan, package),
        f"tests/test_{package}.py": _render("test_translator.py", plan, package),
    }
    install = f"pip install --no-deps --editable {target}"
    return Package(target, files, (install, f"pytest {target}", *next_steps_in_project(plan)))


def translator_in_repo(plan: TranslatorPlan, folder: Path | None = None) -> Package:
    """The files of the translation in the Cutline checkout that contains `folder`."""
    root = checkout_root(folder or Path())
    package = f"cutline_translators.{plan.name}"
    entry = f"{plan.name}-{MAJOR}"
    lines = entry_point_lines(root, TRANSLATORS, entry, f"{package}:{plan.constant}")
    test = f"tests/{plan.name}/test_{plan.name}_translator.py"
    files = {
        **_modules(plan, f"translators/cutline_translators/{plan.name}", package),
        test: _render("test_translator.py", plan, package),
    }
    return Package(root, files, (*lines, f"pytest {test}", *next_steps_in_project(plan)))


def next_steps_in_project(plan: TranslatorPlan) -> tuple[str, ...]:
    """The next steps in a project once the translation is installed, as lines of text."""
    context = plan.installed_context.context.name
    return (
        f"in cutline.yaml, contexts.{context}: translation: {{use: {plan.name}, major: {MAJOR}}}",
        f"see what is not decided yet: cutline coverage {context} --region REGION",
    )


def _modules(plan: TranslatorPlan, source: str, package: str) -> dict[str, str]:
    files = {
        f"{source}/{module}.py": _render(f"{module}.py", plan, package)
        for module in ("__init__", "contract", "translator", "translation")
    }
    profile = plan.profile
    return files | {
        f"{source}/truth/__init__.py": _render("truth.py", plan, package),
        f"{source}/truth/{plan.aggregate}.sql": truth_sql(
            plan.project, profile.source, profile.table, plan.key
        ),
    }


_LIFECYCLE = (
    "To do: `lifecycle=lifecycle({}, start=[…], follows={{…: […]}})` says which status may follow "
    "which, as the business has it, and not as the data happens to look."
)


def _render(template: str, plan: TranslatorPlan, package: str) -> str:
    aggregate = text_literal(plan.aggregate)
    return render_for_table(
        f"translator/{template}",
        plan,
        package,
        "." not in package,
        meaning=f"What {plan.profile.name} means",
        aggregates=f"{{{aggregate}: _sql({aggregate})}}",
    )


def render_for_table(
    template: str, plan: TranslatorPlan, package: str, standalone: bool, **variables: Any
) -> str:
    """A template rendered with the variables of a table, whose modules are in `package`.

    `standalone` says that the package is a distribution of its own; `variables` are further ones.
    """
    profile, context = plan.profile, plan.installed_context
    context_root = context.constant.partition(".")[0]
    status = plan.status.column if plan.status else ""
    undeclared = [
        f"{printable_text(c.name)}, of type {c.type}" for c in undeclared_columns(profile)
    ]
    contract_import = import_statement(f"{package}.contract", [plan.contract])
    context_import = import_statement(context.module, [context_root])
    return render(
        template,
        plan=plan,
        package=package,
        distribution=package.replace("_", "-"),
        major=MAJOR,
        table=profile.name,
        context=context.context.name,
        context_name=context.constant,
        imports_of_translator=import_sections(
            standalone,
            [import_statement("cutline.translator", ["Translator", "todo"]), context_import],
            [contract_import],
        ),
        imports_of_translation=import_sections(
            standalone,
            [import_statement("cutline.translator", ["Translation"]), context_import],
            [
                import_statement(f"{package}.translator", [plan.translator]),
                import_statement(f"{package}.truth", ["TRUTH"]),
            ],
        ),
        imports_of_test=import_sections(
            standalone,
            [],
            [
                import_statement(package, [plan.constant]),
                contract_import,
                import_statement(f"{package}.translator", [plan.translator]),
            ],
        ),
        every_row=f"{column_access(plan.key[0])}.isNotNull()",
        sized=any(f.has_size for f in plan.columns),
        metadata=_metadata(plan),
        subject=_subject(plan.key),
        status_words=printable_text(status),
        gap="" if standalone else "\n",
        lifecycle=comment(_LIFECYCLE.format(text_literal(status)), 8),
        left_out=[comment(f"Left out: {column}.", 4) for column in undeclared],
        left_out_columns=undeclared,
        rows=f"{profile.rows:,}",
        sample=sample_row(plan),
        cases=specification_cases(plan),
        legacy=legacy_table(plan),
        **variables,
    )


def import_sections(standalone: bool, third_party: list[str], first_party: list[str]) -> str:
    """Import statements in the blocks and the order of import sorters.

    In a distribution of its own, imports of Cutline and of the context are third-party.
    """
    if standalone:
        return "\n".join([*_by_module(third_party), "", *_by_module(first_party)])
    return "\n".join(_by_module([*third_party, *first_party]))


def _by_module(lines: Sequence[str]) -> list[str]:
    return sorted(lines, key=lambda line: line.split()[1])


def _metadata(plan: TranslatorPlan) -> str:
    profile = plan.profile
    key = ("key=", [text_literal(name) for name in plan.key])
    return call(
        "metadata = table", [text_literal(profile.source), text_literal(profile.table), key], 8
    )


def _subject(key: Sequence[str]) -> str:
    return text_literal(key[0]) if len(key) == 1 else f"({', '.join(map(text_literal, key))})"
