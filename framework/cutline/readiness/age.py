"""Until when evidence holds."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from cutline.control import Evidence
from cutline.project.readiness import GateName
from cutline.readiness.slice import ReadinessWork, translators_of


@dataclass(frozen=True)
class Measurement:
    """What something was measured on: the run, with the versions of its translators, and when."""

    at: dt.datetime
    run_id: str
    translators: Mapping[str, str]


def measurement_of(evidence: Evidence) -> Measurement:
    """That of a rehearsal."""
    at = evidence.finished_at or evidence.begun_at
    return Measurement(at, evidence.run_id, evidence.translators)


def why_expired(work: ReadinessWork, gate: GateName, measurement: Measurement) -> str | None:
    """Why a measurement no longer holds for a gate, with what it was made of; null while it does.

    It holds for so many days, as long as the newest run that is GO has the same versions of
    translators, and until a release of another run is staged.
    """
    ended = measurement.at + dt.timedelta(days=work.section.days_of(gate))
    if work.now >= ended:
        return f"expired on {ended:%Y-%m-%d}"
    if work.newest_go is None:
        return "no run is GO any more"
    now = translators_of(work.newest_go)
    for name in sorted({*now, *measurement.translators}):
        if now.get(name) != measurement.translators.get(name):
            was, is_ = measurement.translators.get(name, "none"), now.get(name, "none")
            return (
                f"expired: it was measured with version {was} of {name}, and run "
                f"{work.newest_go.run_id} has {is_}"
            )
    for release in work.releases:
        if release.staged_at > measurement.at and release.run_id != measurement.run_id:
            return (
                f"expired on {release.staged_at:%Y-%m-%d}: release {release.release}, of run "
                f"{release.run_id}, was staged since"
            )
    return None
