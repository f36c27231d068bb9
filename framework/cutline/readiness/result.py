"""What the gates of a slice say."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from cutline.project.readiness import GateName

Colour = Literal["green", "yellow", "red"]


@dataclass(frozen=True)
class GateEvidence:
    """What a gate rests on: the command that measured it, of which run, when, and its figures."""

    command: str
    run_id: str
    at: dt.datetime
    made_by: str
    figures: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class GateResult:
    """One gate: its colour, in words why, what it rests on, and what gives what is missing.

    `next_command` is a command or an edit; null where the gate is green.
    """

    gate: GateName
    colour: Colour
    says: str
    evidence: GateEvidence | None = None
    next_command: str | None = None


@dataclass(frozen=True)
class Readiness:
    """The gates of a slice, in their order; `declared` says whether cutline.yaml has a section of
    its context, without which no switch is refused."""

    context: str
    region: str
    declared: bool
    gates: tuple[GateResult, ...]

    @property
    def red(self) -> tuple[GateResult, ...]:
        """The gates that are red."""
        return tuple(gate for gate in self.gates if gate.colour == "red")

    @property
    def summary(self) -> str:
        """How many gates have which colour, such as `5 green, 2 yellow`."""
        counts = {c: sum(g.colour == c for g in self.gates) for c in ("green", "yellow", "red")}
        return ", ".join(f"{count} {colour}" for colour, count in counts.items() if count)
