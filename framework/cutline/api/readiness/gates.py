"""The gates of a slice before a replay touches production."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from cutline.api.moment import moment_text
from cutline.readiness import GateResult, Readiness
from cutline.secrets import document_as_written


@dataclass(frozen=True)
class ReadinessGate:
    """One gate: `green` (tested), `yellow` (designed, not tested) or `red` (unknown, or failed).

    `says` is why. What it rests on are `command`, `run_id`, `at` (UTC), `made_by` and `figures`,
    null where nothing was measured. `next_command` gives what is missing; null where it is green.
    """

    gate: str
    colour: Literal["green", "yellow", "red"]
    says: str
    command: str | None
    run_id: str | None
    at: dt.datetime | None
    made_by: str | None
    figures: Mapping[str, Any] | None
    next_command: str | None

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """An object of `gates` in `cutline readiness --json`."""
        return asdict(self) | {"at": moment_text(self.at)}


@dataclass(frozen=True)
class SliceReadiness:
    """The gates of a slice. Where cutline.yaml declares none for its context (`declared` is False),
    no switch is refused by them."""

    context: str
    region: str
    declared: bool
    gates: tuple[ReadinessGate, ...]

    @property
    def is_red(self) -> bool:
        """Whether a gate is red."""
        return any(gate.colour == "red" for gate in self.gates)

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline readiness --json`."""
        return {
            "context": self.context,
            "slice": self.region,
            "declared": self.declared,
            "red": self.is_red,
            "gates": [gate.as_json() for gate in self.gates],
        }


def slice_readiness(readiness: Readiness) -> SliceReadiness:
    """What the gates say, as it is shown."""
    return SliceReadiness(
        context=readiness.context,
        region=readiness.region,
        declared=readiness.declared,
        gates=tuple(map(_gate, readiness.gates)),
    )


def _gate(result: GateResult) -> ReadinessGate:
    evidence = result.evidence
    return ReadinessGate(
        gate=result.gate,
        colour=result.colour,
        says=result.says,
        command=evidence.command if evidence else None,
        run_id=evidence.run_id if evidence else None,
        at=evidence.at if evidence else None,
        made_by=evidence.made_by if evidence else None,
        figures=dict(evidence.figures) if evidence else None,
        next_command=result.next_command,
    )
