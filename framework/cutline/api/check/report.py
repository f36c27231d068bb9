"""The result of a check of a project."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from cutline import display
from cutline.secrets import as_written, document_as_written
from cutline.wording import counted


@dataclass(frozen=True, repr=False)
class CheckReport:
    """Sentences of a check: good things, problems, refusals of going live, and unused defects.

    Each sentence is there once. `project` is the cutline.yaml.
    """

    project: str
    good: tuple[str, ...]
    problems: tuple[str, ...]
    refused: tuple[str, ...]
    unused: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether a run can start, and no value is unmapped."""
        return not self.problems and not self.refused

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline check --json`."""
        return {
            "project": self.project,
            "ok": self.ok,
            "good": list(self.good),
            "problems": list(self.problems),
            "refused": list(self.refused),
            "unused": list(self.unused),
        }

    @property
    def summary(self) -> str:
        """`Everything is in order.`, or the number of problems."""
        number = len(self.problems) + len(self.refused)
        return counted(number, "problem") if number else "Everything is in order."

    def __repr__(self) -> str:
        return f"<CheckReport {self.project}: {self.summary.rstrip('.').lower()}>"

    def _repr_html_(self) -> str:
        kinds = {
            "problem": self.problems,
            "refused": self.refused,
            "unused": self.unused,
            "ok": self.good,
        }
        rows = [[kind, sentence] for kind, sentences in kinds.items() for sentence in sentences]
        return display.section(self.summary, display.table(("", self.project), rows))


@dataclass
class CheckLog:
    """Collects the sentences of a check."""

    project: str
    good: dict[str, None] = field(default_factory=dict)
    problems: dict[str, None] = field(default_factory=dict)
    refused: dict[str, None] = field(default_factory=dict)
    unused: dict[str, None] = field(default_factory=dict)

    def add_good(self, sentence: str) -> None:
        """Add a sentence about something in order."""
        self.good[" ".join(sentence.split())] = None

    def add_problems(self, *sentences: str) -> None:
        """Add sentences about what stops a run."""
        self.problems |= dict.fromkeys(sentences)

    def add_refused(self, sentence: str) -> None:
        """Add a sentence about something undecided, which runs but must not go live."""
        self.refused[sentence] = None

    def add_unused(self, sentence: str) -> None:
        """Add a sentence about a defect of something unused."""
        self.unused[sentence] = None

    def report(self) -> CheckReport:
        """The report of all sentences, in the order of their addition."""
        return CheckReport(
            self.project,
            *(
                tuple(map(as_written, sentences))
                for sentences in (self.good, self.problems, self.refused, self.unused)
            ),
        )
