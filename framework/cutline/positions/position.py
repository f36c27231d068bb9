"""What all kinds of positions have in common."""

from __future__ import annotations

from dataclasses import astuple
from typing import ClassVar, Self

from cutline.errors import ConfigurationError
from cutline.positions.layout import FIRST_DIGITS, SECOND_DIGITS, numbers_text


class Position:
    """A place in a log. Kinds are frozen, ordered dataclasses of three whole numbers.

    Positions of one kind compare as their numbers do; of two kinds, not at all (TypeError).
    """

    base: ClassVar[int] = 10
    """The base in which the first two numbers are written."""
    commit_parts: ClassVar[int] = 1
    """How many of the three numbers tell which commit it is."""
    example: ClassVar[str]
    """How people write one, for messages."""

    def __post_init__(self) -> None:
        _ = self.text

    @property
    def numbers(self) -> tuple[int, int, int]:
        """The three numbers, the most significant first."""
        first, second, third = astuple(self)  # type: ignore[call-overload]
        return first, second, third

    @property
    def text(self) -> str:
        """Text of fixed width that sorts as positions of the kind do."""
        return numbers_text(self.numbers, self.base)

    @property
    def commit(self) -> str:
        """The beginning of `text` that is the same for all rows of one commit, and no others."""
        widths = (FIRST_DIGITS, FIRST_DIGITS + 1 + SECOND_DIGITS)
        return self.text[: widths[self.commit_parts - 1]]

    @classmethod
    def parse(cls, text: str) -> Self:
        """The position that people write so. ConfigurationError for anything else."""
        raise NotImplementedError

    @classmethod
    def refused(cls, text: str) -> ConfigurationError:
        """The error for a text that is none."""
        return ConfigurationError(
            f"{text!r} is not a log position", next_step=f"Write it as {cls.example}."
        )
