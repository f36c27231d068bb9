"""Jinja templates of source files."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


def render(template: str, **variables: Any) -> str:
    """The text of `templates/<template>.j2`, with one line end at its end.

    An undefined variable in the template is an error.
    """
    return _environment().get_template(f"{template}.j2").render(**variables).strip() + "\n"


@lru_cache(maxsize=1)
def _environment() -> Environment:
    # What comes out is Python, TOML and SQL; every text from outside is made a literal first.
    return Environment(  # noqa: S701
        loader=PackageLoader("cutline.scaffold"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
