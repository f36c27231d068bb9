"""What the suite found, as data."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Finding:
    """One property of one translator: whether it holds, and if not, what shows it.

    `what` says what is wrong, naming class and rule; `example` is a history that shows it, with as
    few steps as could be found; `next_step` is the edit that comes next.
    """

    property: str
    translator: str
    ok: bool = True
    what: str = ""
    example: str = ""
    next_step: str = ""

    def lines(self) -> list[str]:
        """The finding for people."""
        told = [f"{self.translator}: {self.property}: {'ok' if self.ok else self.what}"]
        if self.example:
            told += [f"    {line}" for line in self.example.splitlines()]
        if self.next_step:
            told.append(f"  next: {self.next_step}")
        return told


@dataclass(frozen=True)
class Judged:
    """How much a translator was tried on, so that nobody takes silence for proof.

    `histories` were generated and told in `worlds` ways; `seconds` is the time of judging them.
    `put_aside` counts rows of the histories by the rule that put them aside or ignored them: facts
    of such rows are compared with nothing. `unseen` are facts that no history made come to hold.
    """

    translator: str
    histories: int
    worlds: int
    seconds: float
    put_aside: dict[str, int] = field(default_factory=dict)
    unseen: tuple[str, ...] = ()

    @property
    def per_minute(self) -> int:
        """Histories judged in a minute, each in all its worlds."""
        return round(self.histories * 60 / self.seconds) if self.seconds else 0

    def line(self) -> str:
        """The same for people."""
        told = (
            f"{self.translator}: {self.histories} histories in {self.worlds} worlds, "
            f"{self.seconds:.1f} s, {self.per_minute} histories a minute"
        )
        if self.unseen:
            told += f"; never came to hold: {', '.join(self.unseen)}"
        return told


@dataclass(frozen=True)
class Conformance:
    """What the suite found of a translation."""

    translation: str
    version: str
    findings: tuple[Finding, ...]
    judged: tuple[Judged, ...]

    @property
    def ok(self) -> bool:
        """Whether every property holds of every translator."""
        return all(finding.ok for finding in self.findings)

    def failures(self) -> list[Finding]:
        """What does not hold."""
        return [finding for finding in self.findings if not finding.ok]
