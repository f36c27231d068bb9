"""Arguments of the Python API, refused by their names where they are of another kind."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cutline.errors import ArgumentRefused, ConfigurationError

_MOST = 1_000_000


def require_text(**arguments: object) -> None:
    """ConfigurationError that names the first argument that is no text."""
    for name, value in arguments.items():
        if not isinstance(value, str):
            raise ArgumentRefused(name, f"{_shown(value)} is no name.", example='"…"')


def require_words(**arguments: object) -> None:
    """ConfigurationError that names the first argument that is no text, or a blank one."""
    for name, value in arguments.items():
        if not isinstance(value, str) or not value.strip():
            raise ArgumentRefused(name, f"{_shown(value)} says nothing.", example='"…"')


def require_text_if_given(**arguments: object) -> None:
    """As `require_text`, of those that are not None."""
    require_text(**{name: value for name, value in arguments.items() if value is not None})


def require_path(**arguments: object) -> None:
    """ConfigurationError that names the first argument that is no path."""
    for name, value in arguments.items():
        if not isinstance(value, str | Path) or not str(value):
            raise ArgumentRefused(name, f"{_shown(value)} is no path.", example='"…"')


def require_count(**arguments: object) -> None:
    """ConfigurationError that names the first argument that is no whole number of at least 1."""
    for name, value in arguments.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            says = f"{_shown(value)} is no whole number of at least 1."
            raise ArgumentRefused(name, says, example="20", optional=True)


def require_limit(**arguments: object) -> None:
    """As `require_count`, of what may not be more than a million either."""
    require_count(**arguments)
    for name, value in arguments.items():
        if isinstance(value, int) and value > _MOST:
            says = f"{value} is more than {_MOST:,}."
            raise ArgumentRefused(name, says, example="20", optional=True)


def require_share(**arguments: object) -> None:
    """ConfigurationError that names the first argument that is no number above 0 and up to 1."""
    for name, value in arguments.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 < float(str(value)) <= 1:
            says = f"{_shown(value)} is no number above 0 and up to 1."
            raise ArgumentRefused(name, says, example="0.01", optional=True)


def names(argument: str, value: Iterable[str], *, required: bool = False) -> tuple[str, ...]:
    """The names of an argument that takes several; a text is one name.

    ConfigurationError if it is anything else, or if there is none where one is `required`.
    """
    several = (value,) if isinstance(value, str) else value
    listed = tuple(several) if isinstance(several, Iterable) else None
    if listed is None or not all(isinstance(name, str) for name in listed):
        raise ConfigurationError(
            f"{argument}: {_shown(value)} is no list of names.",
            next_step=f'Write {argument}=["…", "…"], or {argument}="…" for one.',
        )
    if required and not listed:
        raise ArgumentRefused(argument, "there is no name in it.", example='["…"]')
    return listed


def chosen_names(argument: str, value: Iterable[str] | None) -> tuple[str, ...]:
    """The names that an argument chooses by; none chooses all.

    ConfigurationError as `names` says, and for a list without names: whoever chooses by a list that
    turns out empty does not mean all.
    """
    if value is None:
        return ()
    listed = names(argument, value)
    if not listed:
        says = "there is no name in it."
        raise ArgumentRefused(argument, says, example='["…"]', optional=True)
    return listed


def _shown(value: object) -> str:
    """A value of a few characters as Python writes it, else its type."""
    if value is None or isinstance(value, str | int | float | list | tuple):
        text = repr(value)
        if len(text) <= 60:
            return text
    return f"a {type(value).__module__}.{type(value).__name__}".replace("a builtins.", "a ")
