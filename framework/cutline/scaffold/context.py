"""`cutline new context`: a bounded context with one aggregate and its first events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cutline.plugin_groups import CONTEXTS
from cutline.scaffold.checkout import checkout_root, entry_point_lines
from cutline.scaffold.names import class_name, event_name, kebab_case, plugin_name, unique_name
from cutline.scaffold.package import Package
from cutline.scaffold.rendering import render
from cutline.scaffold.source_text import collection, import_statement, sorted_names


@dataclass(frozen=True)
class ContextPlan:
    """The names of a context, its aggregate and its events."""

    name: str
    aggregate: str
    events: tuple[str, ...]

    @property
    def constant(self) -> str:
        """The name of the constant of the context."""
        return self.name.upper()

    @property
    def aggregate_constant(self) -> str:
        """The name of the aggregate's constant; it differs from those of context and events."""
        upper = self.aggregate.upper()
        return f"{upper}_AGGREGATE" if upper in (self.constant, *self.events) else upper


def plan_context(name: str, aggregate: str | None, events: Sequence[str]) -> ContextPlan:
    """The plan; ConfigurationError for a name that Python or an entry point cannot have.

    Without an aggregate it has the context's name; without events there is one,
    `<Aggregate>Recorded`.
    """
    context_name = plugin_name(name, "context")
    aggregate_name = plugin_name(aggregate or name, "aggregate")
    event_names = tuple(dict.fromkeys(event_name(event) for event in events))
    default = f"{class_name(aggregate_name)}Recorded"
    return ContextPlan(context_name, aggregate_name, event_names or (default,))


def context_package(plan: ContextPlan, folder: Path | None = None) -> Package:
    """The files of the context as a distribution of its own, in `folder` or `<name>-context`."""
    package = f"{plan.name}_context"
    distribution = package.replace("_", "-")
    source = f"src/{package}"
    target = folder or Path(distribution)
    files = {
        "pyproject.toml": _render("pyproject.toml", plan, package),
        "README.md": _render("README.md", plan, package, _module(plan)),
        f"{source}/py.typed": "",
        **_modules(plan, source, package),
        f"tests/test_{package}.py": _render("test_context.py", plan, package),
    }
    install = (f"pip install --no-deps --editable {target}", f"pytest {target}")
    return Package(target, files, install)


def context_in_repo(plan: ContextPlan, folder: Path | None = None) -> Package:
    """The files of the context in the Cutline checkout that contains `folder`."""
    root = checkout_root(folder or Path())
    package = f"cutline_domains.{plan.name}"
    lines = entry_point_lines(root, CONTEXTS, plan.name, f"{package}:{plan.constant}")
    test = f"tests/{plan.name}/test_{plan.name}_context.py"
    files = {
        **_modules(plan, f"domains/cutline_domains/{plan.name}", package),
        test: _render("test_context.py", plan, package),
    }
    return Package(root, files, (*lines, f"pytest {test}"))


def _modules(plan: ContextPlan, source: str, package: str) -> dict[str, str]:
    module = _module(plan)
    return {
        f"{source}/__init__.py": _render("init.py", plan, package, module),
        f"{source}/context.py": _render("context.py", plan, package, module),
        f"{source}/{module}.py": _render("aggregate.py", plan, package, module),
    }


def _module(plan: ContextPlan) -> str:
    # The module of an aggregate called `context` must not be that of the context.
    return unique_name(plan.aggregate, {"context"})


def _render(template: str, plan: ContextPlan, package: str, module: str = "") -> str:
    of_aggregate = [plan.aggregate_constant, *plan.events]
    modules = {"context": [plan.constant], module or plan.aggregate: of_aggregate}
    constants = [plan.constant, plan.aggregate_constant]
    return render(
        f"context/{template}",
        plan=plan,
        package=package,
        module=module,
        imports=[import_statement(f"{package}.{m}", modules[m]) for m in sorted(modules)],
        exported=sorted_names([plan.constant, *of_aggregate]),
        events=collection("events=", plan.events, 4),
        steps={event: kebab_case(event) for event in plan.events},
        tested=import_statement(package, constants),
        apart="" if "." in package else "\n",
    )
