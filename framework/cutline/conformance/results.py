"""Results of the suite, as data."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class PropertyResult:
    """The result of one property for one translator; a property that fails has one per rule.

    `problem` names the class and the rule that are wrong. `example` is a shrunk history that shows
    it, as lines of text; `next_step` is the edit to make. The three are empty where `ok`.
    """

    property: str
    translator: str
    ok: bool = True
    problem: str = ""
    example: str = ""
    next_step: str = ""

    def lines(self) -> list[str]:
        """The result as lines of text."""
        lines = [f"{self.translator}: {self.property}: {'ok' if self.ok else self.problem}"]
        if self.example:
            lines += [f"    {line}" for line in self.example.splitlines()]
        if self.next_step:
            lines.append(f"  next: {self.next_step}")
        return lines


@dataclass(frozen=True)
class TrialSummary:
    """The size of a trial, so that nobody takes the absence of failures for proof.

    `histories` is the number of generated histories, `captures` that of their captures, `seconds`
    the time of the trial. `excluded_rows` counts rows that were quarantined or ignored, by rule:
    facts of such rows are compared with nothing. `facts_never_announced` are names of facts without
    an event in any history.
    """

    translator: str
    histories: int
    captures: int
    seconds: float
    excluded_rows: dict[str, int] = field(default_factory=dict)
    facts_never_announced: tuple[str, ...] = ()

    @property
    def histories_per_minute(self) -> int:
        """Histories tested in a minute, with all their captures; 0 where no time was measured."""
        return round(self.histories * 60 / self.seconds) if self.seconds else 0

    def line(self) -> str:
        """The summary as one line of text."""
        line = (
            f"{self.translator}: {self.histories} histories in {self.captures} worlds, "
            f"{self.seconds:.1f} s, {self.histories_per_minute} histories a minute"
        )
        if self.facts_never_announced:
            line += f"; never came to hold: {', '.join(self.facts_never_announced)}"
        return line


@dataclass(frozen=True)
class Conformance:
    """The results of a translation's properties, and one trial summary per translator."""

    translation: str
    version: str
    results: tuple[PropertyResult, ...]
    trials: tuple[TrialSummary, ...]

    @property
    def ok(self) -> bool:
        """Whether every property holds for every translator."""
        return all(result.ok for result in self.results)

    def failures(self) -> list[PropertyResult]:
        """The results of properties that do not hold."""
        return [result for result in self.results if not result.ok]
