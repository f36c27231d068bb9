"""Commands as a person would type them."""

from __future__ import annotations

import shlex

import typer

from support.command_line import parser

RUN = "run-1"
UsageError = typer.BadParameter.__mro__[1]
"""What the parser raises for words that it cannot read."""


def check_typed(command: str) -> None:
    """Parse a command as the command line does, without running it."""
    context = parser().make_context("cutline", [], resilient_parsing=True)
    context.resilient_parsing = False
    words = shlex.split(command.replace("RUN", RUN))
    assert words[0] == "cutline"
    group, arguments = context.command, words[1:]
    while hasattr(group, "resolve_command"):
        name, group, arguments = group.resolve_command(context, arguments)
        if hasattr(group, "resolve_command"):
            context = group.make_context(name, arguments, parent=context)
    group.make_context(name, arguments, parent=context)
