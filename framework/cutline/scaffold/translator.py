"""`cutline new translator`: what a table holds, as a translation that decides nothing yet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cutline.plugins import TRANSLATORS
from cutline.scaffold.checkout import checkout, entry_point_lines
from cutline.scaffold.contract import left_out
from cutline.scaffold.examples import cases, legacy, sample
from cutline.scaffold.package import Package
from cutline.scaffold.rendering import rendered
from cutline.scaffold.rules import row_column
from cutline.scaffold.source_text import call, comment, imported, sentence, text
from cutline.scaffold.translator_plan import MAJOR, TranslatorPlan
from cutline.scaffold.truth import truth_sql


def translator_package(plan: TranslatorPlan, folder: Path | None = None) -> Package:
    """The translation as a distribution of its own, in `folder` or `<name>-translator`."""
    package = f"{plan.name}_translator"
    target = folder or Path(package.replace("_", "-"))
    files = {
        "pyproject.toml": _rendered("pyproject.toml", plan, package),
        "README.md": _rendered("README.md", plan, package),
        f"src/{package}/py.typed": "",
        **_modules(plan, f"src/{package}", package),
        "tests/conftest.py": _rendered("conftest.py", plan, package),
        f"tests/test_{package}.py": _rendered("test_translator.py", plan, package),
    }
    install = f"pip install --no-deps --editable {target}"
    return Package(target, files, (install, f"pytest {target}", *next_in_project(plan)))


def translator_in_repo(plan: TranslatorPlan, folder: Path | None = None) -> Package:
    """The translation in the folders of the checkout that `folder` is in."""
    root = checkout(folder or Path())
    package = f"cutline_translators.{plan.name}"
    entry = f"{plan.name}-{MAJOR}"
    lines = entry_point_lines(root, TRANSLATORS, entry, f"{package}:{plan.constant}")
    test = f"tests/{plan.name}/test_{plan.name}_translator.py"
    files = {
        **_modules(plan, f"translators/cutline_translators/{plan.name}", package),
        test: _rendered("test_translator.py", plan, package),
    }
    return Package(root, files, (*lines, f"pytest {test}", *next_in_project(plan)))


def next_in_project(plan: TranslatorPlan) -> tuple[str, ...]:
    """What comes next once the translation is installed."""
    context = plan.offered.context.name
    return (
        f"in cutline.yaml, contexts.{context}: translation: {{use: {plan.name}, major: {MAJOR}}}",
        f"see what is not decided yet: cutline coverage {context} --region REGION",
    )


def _modules(plan: TranslatorPlan, source: str, package: str) -> dict[str, str]:
    files = {
        f"{source}/{module}.py": _rendered(f"{module}.py", plan, package)
        for module in ("__init__", "contract", "translator", "translation")
    }
    profile = plan.profile
    return files | {
        f"{source}/truth/__init__.py": _rendered("truth.py", plan, package),
        f"{source}/truth/{plan.aggregate}.sql": truth_sql(
            plan.project, profile.source, profile.table, plan.key
        ),
    }


_LIFECYCLE = (
    "To do: `lifecycle=lifecycle({}, start=[…], follows={{…: […]}})` says which status may follow "
    "which, as the business has it, and not as the data happens to look."
)


def _rendered(template: str, plan: TranslatorPlan, package: str) -> str:
    aggregate = text(plan.aggregate)
    return rendered_of_table(
        f"translator/{template}",
        plan,
        package,
        "." not in package,
        meaning=f"What {plan.profile.name} means",
        aggregates=f"{{{aggregate}: _sql({aggregate})}}",
    )


def rendered_of_table(
    template: str, plan: TranslatorPlan, package: str, standalone: bool, **more: Any
) -> str:
    """A template filled with what is known of a table, whose modules are in `package`.

    `standalone` says that it is a distribution of its own, `more` what the template takes besides.
    """
    profile, offered = plan.profile, plan.offered
    root = offered.constant.partition(".")[0]
    status = plan.status.column if plan.status else ""
    others = [f"{sentence(c.name)}, of type {c.type}" for c in left_out(profile)]
    ours = imported(f"{package}.contract", [plan.contract])
    context = imported(offered.module, [root])
    return rendered(
        template,
        plan=plan,
        package=package,
        distribution=package.replace("_", "-"),
        major=MAJOR,
        table=profile.name,
        context=offered.context.name,
        context_name=offered.constant,
        imports_of_translator=sections(
            standalone, [imported("cutline.translator", ["Translator", "todo"]), context], [ours]
        ),
        imports_of_translation=sections(
            standalone,
            [imported("cutline.translator", ["Translation"]), context],
            [
                imported(f"{package}.translator", [plan.translator]),
                imported(f"{package}.truth", ["TRUTH"]),
            ],
        ),
        imports_of_test=sections(
            standalone,
            [],
            [
                imported(package, [plan.constant]),
                ours,
                imported(f"{package}.translator", [plan.translator]),
            ],
        ),
        every_row=f"{row_column(plan.key[0])}.isNotNull()",
        sized=any(f.has_size for f in plan.fields),
        metadata=_metadata(plan),
        subject=_subject(plan.key),
        status_words=sentence(status),
        gap="" if standalone else "\n",
        lifecycle=comment(_LIFECYCLE.format(text(status)), 8),
        left_out=[comment(f"Left out: {told}.", 4) for told in others],
        left_out_columns=others,
        rows=f"{profile.rows:,}",
        sample=sample(plan),
        cases=cases(plan),
        legacy=legacy(plan),
        **more,
    )


def sections(standalone: bool, others: list[str], own: list[str]) -> str:
    """Imports as import sorters part and order them, whatever the context's package is called."""
    if standalone:
        # The others come from other distributions than ours: in one block, by name.
        return "\n".join([*_by_module(others), "", *_by_module(own)])
    return "\n".join(_by_module([*others, *own]))


def _by_module(lines: Sequence[str]) -> list[str]:
    return sorted(lines, key=lambda line: line.split()[1])


def _metadata(plan: TranslatorPlan) -> str:
    profile = plan.profile
    key = ("key=", [text(name) for name in plan.key])
    return call("metadata = table", [text(profile.source), text(profile.table), key], 8)


def _subject(key: Sequence[str]) -> str:
    return text(key[0]) if len(key) == 1 else f"({', '.join(map(text, key))})"
