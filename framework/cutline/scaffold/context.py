"""`cutline new context`: a bounded context that loads, with one aggregate and its first events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cutline.plugins import CONTEXTS
from cutline.scaffold.checkout import checkout, entry_point_lines
from cutline.scaffold.names import class_name, event_name, kebab, plugin_name, unique
from cutline.scaffold.package import Package
from cutline.scaffold.rendering import rendered
from cutline.scaffold.source_text import imported, in_order, several


@dataclass(frozen=True)
class ContextPlan:
    """What is asked for. Without events the first one is `<Aggregate>Recorded`."""

    name: str
    aggregate: str
    events: tuple[str, ...]

    @property
    def constant(self) -> str:
        """The name under which the module offers the context."""
        return self.name.upper()

    @property
    def aggregate_constant(self) -> str:
        """The name of the aggregate's constant, another than the context's."""
        upper = self.aggregate.upper()
        return f"{upper}_AGGREGATE" if upper in (self.constant, *self.events) else upper


def planned_context(name: str, aggregate: str | None, events: Sequence[str]) -> ContextPlan:
    """The plan, after every name was found fit."""
    named_so = plugin_name(name, "context")
    of = plugin_name(aggregate or name, "aggregate")
    named = tuple(dict.fromkeys(event_name(e) for e in events)) or (f"{class_name(of)}Recorded",)
    return ContextPlan(named_so, of, named)


def context_package(plan: ContextPlan, folder: Path | None = None) -> Package:
    """The context as a distribution of its own, in `folder` or `<name>-context`."""
    package = f"{plan.name}_context"
    distribution = package.replace("_", "-")
    source = f"src/{package}"
    target = folder or Path(distribution)
    files = {
        "pyproject.toml": _rendered("pyproject.toml", plan, package),
        "README.md": _rendered("README.md", plan, package, _module(plan)),
        f"{source}/py.typed": "",
        **_modules(plan, source, package),
        f"tests/test_{package}.py": _rendered("test_context.py", plan, package),
    }
    install = (f"pip install --no-deps --editable {target}", f"pytest {target}")
    return Package(target, files, install)


def context_in_repo(plan: ContextPlan, folder: Path | None = None) -> Package:
    """The context in the folders of the checkout that `folder` is in."""
    root = checkout(folder or Path())
    package = f"cutline_domains.{plan.name}"
    lines = entry_point_lines(root, CONTEXTS, plan.name, f"{package}:{plan.constant}")
    test = f"tests/{plan.name}/test_{plan.name}_context.py"
    files = {
        **_modules(plan, f"domains/cutline_domains/{plan.name}", package),
        test: _rendered("test_context.py", plan, package),
    }
    return Package(root, files, (*lines, f"pytest {test}"))


def _modules(plan: ContextPlan, source: str, package: str) -> dict[str, str]:
    module = _module(plan)
    return {
        f"{source}/__init__.py": _rendered("init.py", plan, package, module),
        f"{source}/context.py": _rendered("context.py", plan, package, module),
        f"{source}/{module}.py": _rendered("aggregate.py", plan, package, module),
    }


def _module(plan: ContextPlan) -> str:
    # An aggregate called `context` would be where the context itself is.
    return unique(plan.aggregate, {"context"})


def _rendered(template: str, plan: ContextPlan, package: str, module: str = "") -> str:
    offered = [plan.aggregate_constant, *plan.events]
    modules = {"context": [plan.constant], module or plan.aggregate: offered}
    constants = [plan.constant, plan.aggregate_constant]
    return rendered(
        f"context/{template}",
        plan=plan,
        package=package,
        module=module,
        imports=[imported(f"{package}.{m}", modules[m]) for m in sorted(modules)],
        exported=in_order([plan.constant, *offered]),
        events=several("events=", plan.events, 4),
        steps={event: kebab(event) for event in plan.events},
        tested=imported(package, constants),
        apart="" if "." in package else "\n",
    )
