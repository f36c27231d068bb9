"""What `cutline check` found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from cutline.errors import EXIT_GOOD, EXIT_NO_GO, EXIT_USAGE
from cutline.wording import counted


@dataclass
class Found:
    """What is in order, what stops a run, what must not go live, what is broken but not used.

    Each thing once.
    """

    project: str
    good: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)

    def is_good(self, text: str) -> None:
        """Something is in order."""
        _add(self.good, " ".join(text.split()))

    def is_wrong(self, *texts: str) -> None:
        """Something stops a run."""
        for text in texts:
            _add(self.problems, text)

    def is_refused(self, text: str) -> None:
        """Something runs, and is not decided: it must not go live."""
        _add(self.refused, text)

    @property
    def exit_code(self) -> int:
        """Of the command: 2 where a run would stop, 1 where a gate says no, else 0."""
        if self.problems:
            return EXIT_USAGE
        return EXIT_NO_GO if self.refused else EXIT_GOOD

    def is_unused(self, text: str) -> None:
        """Something is broken, and no matter."""
        _add(self.unused, text)

    def as_json(self) -> dict[str, Any]:
        """The same as one JSON document."""
        return {
            "project": self.project,
            "ok": self.exit_code == EXIT_GOOD,
            "good": self.good,
            "problems": self.problems,
            "refused": self.refused,
            "unused": self.unused,
        }

    def lines(self) -> Iterator[str]:
        """One line per thing found, and the sum."""
        yield from (f"ok       {text}" for text in self.good)
        yield from (f"unused   {text}" for text in self.unused)
        yield from (f"refused  {text}" for text in self.refused)
        yield from (f"problem  {text}" for text in self.problems)
        n = len(self.problems) + len(self.refused)
        yield counted(n, "problem") if n else "Everything is in order."


def _add(texts: list[str], text: str) -> None:
    if text not in texts:
        texts.append(text)
