"""The policy of a run, checked against the declarations of its context."""

from __future__ import annotations

from cutline.errors import ConfigurationError, did_you_mean
from cutline.masking import masking
from cutline.project.gates import Gates
from cutline.workspace import Workspace


def gates_of(workspace: Workspace) -> Gates:
    """The context's gates.

    ConfigurationError for a gate of an unknown outcome, aggregate or category, or if categories
    would show personal data.
    """
    context = workspace.context
    gates = workspace.project.file.contexts[context.name].gates
    names = [outcome.name for outcome in context.outcomes]
    for name in gates.outcomes:
        if name not in names:
            raise ConfigurationError(
                f"contexts.{context.name}.gates.outcomes.{name} is about an outcome that context "
                f"{context.name} does not have.{did_you_mean(name, names)}",
                next_step=f"It has: {', '.join(names) or 'none'}.",
            )
    aggregates = [aggregate.name for aggregate in context.aggregates]
    for exemption in gates.uncompared:
        if exemption.aggregate not in aggregates:
            raise ConfigurationError(
                f"contexts.{context.name}.gates.uncompared is about {exemption.aggregate!r}, which "
                f"is no aggregate of context {context.name}."
                + did_you_mean(exemption.aggregate, aggregates),
                next_step=f"It has: {', '.join(aggregates)}.",
            )
    hidden = masking([workspace.translation])
    for aggregate in context.aggregates:
        for column in aggregate.categories:
            if hidden.hides(column, aggregate.name):
                raise ConfigurationError(
                    f"aggregate {aggregate.name}: category {column!r} is personal, and categories "
                    "are shown",
                    next_step="Choose a column that is not.",
                )
    names = [a.name for a in context.aggregates if a.categories]
    for level, gate in (("record", gates.record), ("state", gates.state)):
        if gate.categories and not names:
            raise ConfigurationError(
                f"contexts.{context.name}.gates.{level}.categories asks for categories, and no "
                f"aggregate of context {context.name} declares any",
                next_step="Declare `categories` of an aggregate, or leave these gates out.",
            )
    return gates
