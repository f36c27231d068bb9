"""A scaffold that was written, as lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cutline.wording import printable

if TYPE_CHECKING:
    from cutline.api import Scaffold


def scaffold_lines(scaffold: Scaffold) -> Iterator[str]:
    """One line per file, then the next steps."""
    yield from (f"wrote  {printable(path)}" for path in scaffold.files)
    yield from (f"next   {step}" for step in scaffold.next_steps)
