"""What a re-drive of exceptions would do, tried without a trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from cutline.secrets import document_as_written

Counts = Mapping[str, int]


@dataclass(frozen=True)
class ExceptionChanges:
    """Exceptions by rule."""

    selected: Counts
    """Those that are re-driven."""
    settled: Counts
    """Those of the slice that would be gone."""
    left: Counts
    """Those of the selected that would stay."""
    new: Counts
    """Those that would come."""


@dataclass(frozen=True)
class EventChanges:
    """Events by type, of the subjects that are translated anew."""

    released: Counts
    """Those of facts that the base's timeline does not have."""
    corrected: Counts
    """Those that take the place of an event of the base: `migsupersedes` names it."""
    differing: Counts
    """Those that say something else under the id that the base's event has: a topic that holds that
    one is not sent them. Raise the translator's major to correct what was published."""
    withdrawn: Counts
    """Those of the base that would stand on the timeline no more; topics keep them."""
    behind: int
    """How many of the released are of a time before the last event of their subject on the base's
    timeline: where that was published, they come behind it."""


@dataclass(frozen=True)
class RedrivePlan:
    """What a re-drive of the exceptions of run `base_run` would change; nothing was.

    `translators` has by name the version then and now; `rows` and `subjects` are so many as would
    be translated anew.
    """

    run_id: str
    base_run: str
    translators: Mapping[str, tuple[str, str]]
    rows: int
    subjects: int
    exceptions: ExceptionChanges
    events: EventChanges

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline exceptions redrive --dry-run --json`."""
        return asdict(self) | {
            "translators": {n: {"then": a, "now": b} for n, (a, b) in self.translators.items()}
        }
