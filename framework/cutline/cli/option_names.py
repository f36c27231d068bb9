"""What an argument of a call is called on the command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_type_hints

from typer.models import ArgumentInfo, OptionInfo

from cutline.errors import ArgumentRefused


def in_options(error: ArgumentRefused, command: Callable[..., object]) -> tuple[str, str]:
    """What is wrong and what comes next, with the argument called as the command's option; as in
    Python where it has none."""
    option = option_of(command, error.argument)
    if option is None:
        return error.what, error.next_step
    sentence = f"{option}{error.what.removeprefix(error.argument)}"
    return sentence, error.next_step.replace(f"{error.argument}=", f"{option} ")


def option_of(command: Callable[..., object], argument: str) -> str | None:
    """The option, such as `--older-than` of `older_than_days`, or what the help calls a word that
    stands without one; None where the command has nothing of that name."""
    hints = get_type_hints(command, include_extras=True)
    named = [name for name in hints if f"{argument}_".startswith(f"{name}_")]
    if not named:
        return None
    name = max(named, key=len)
    for declaration in getattr(hints[name], "__metadata__", ()):
        if isinstance(declaration, OptionInfo | ArgumentInfo):
            return _written(name, declaration)
    return None


def _written(name: str, declaration: OptionInfo | ArgumentInfo) -> str:
    declared: tuple[Any, ...] = tuple(declaration.param_decls or ())
    if isinstance(declaration, ArgumentInfo):
        return declaration.metavar or name.upper()
    return str(max(declared, key=len)) if declared else f"--{name.replace('_', '-')}"
