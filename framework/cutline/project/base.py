"""The base of every configuration model: unknown keys are refused, values are frozen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import ConfigDict

from cutline.project.numbers_as_written import NumbersAsWritten
from cutline.secrets import as_written_in


class Section(NumbersAsWritten):
    """One section of cutline.yaml. Its `repr` shows secrets as the file writes them."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        # Its own error, which a traceback of Python shows as a cause, would print values.
        hide_input_in_errors=True,
    )

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        return ((name, as_written_in(value)) for name, value in super().__repr_args__())
