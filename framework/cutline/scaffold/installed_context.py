"""An installed context: its module, constant and distribution, for imports and dependencies."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points

from cutline import plugins
from cutline.context import Aggregate, Context
from cutline.errors import ConfigurationError, did_you_mean
from cutline.plugin_groups import CONTEXTS


@dataclass(frozen=True)
class InstalledContext:
    """A context, the module and the constant to import it by, and the name of its distribution."""

    context: Context
    module: str
    constant: str
    distribution: str

    def aggregate(self, name: str | None) -> Aggregate:
        """The aggregate of that name; without a name, the only aggregate.

        ConfigurationError for an unknown name, or where several aggregates need one.
        """
        by_name = {a.name: a for a in self.context.aggregates}
        if name is None and len(by_name) == 1:
            return self.context.aggregates[0]
        if name in by_name:
            return by_name[name]
        problem = f"has no aggregate {name!r}" if name else "has several aggregates"
        raise ConfigurationError(
            f"context {self.context.name} {problem}: {', '.join(by_name)}."
            + did_you_mean(name or "", by_name),
            next_step="Name the one that a row of the table belongs to, with --aggregate NAME.",
        )


def installed_context(name: str) -> InstalledContext:
    """The installed context of that name; ConfigurationError with the way to write one."""
    try:
        context = plugins.choose_context(name)
    except ConfigurationError as error:
        raise ConfigurationError(
            error.what,
            next_step=f"Write it with: cutline new context {name}, then install it.",
        ) from error
    for entry in entry_points(group=CONTEXTS):
        if plugins.contexts().loaded.get(entry.name) is context:
            distribution = entry.dist.name if entry.dist else "cutline"
            return InstalledContext(context, entry.module, entry.attr, distribution)
    raise ConfigurationError(f"context {name} is offered under two entry points of one name")


def refuse_installed_context(name: str) -> None:
    """ConfigurationError if a context of that name is installed."""
    for entry, context in plugins.contexts().loaded.items():
        if context.name == name:
            raise ConfigurationError(
                f"context {name} is installed already, as entry point {entry}.",
                next_step="Choose another name, or write a translator for it: "
                f"cutline new translator NAME --context {name} --from SOURCE.TABLE",
            )


def refuse_installed_translation(name: str, major: int) -> None:
    """ConfigurationError if a translation of that name and major is installed."""
    for entry, translation in plugins.translations().loaded.items():
        if (translation.name, translation.major) == (name, major):
            raise ConfigurationError(
                f"translation {name} {major} is installed already, as entry point {entry}.",
                next_step="Choose another name.",
            )
