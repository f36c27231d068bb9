"""The gates of a slice, looked at one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cutline.control import Control
from cutline.project.loaded import LoadedProject
from cutline.project.readiness import GATES, GateName
from cutline.readiness.gates.compatibility import compatibility
from cutline.readiness.gates.cost import cost
from cutline.readiness.gates.governance import governance
from cutline.readiness.gates.observability import observability
from cutline.readiness.gates.offsets import offsets
from cutline.readiness.gates.rollback import rollback
from cutline.readiness.gates.storage import storage
from cutline.readiness.result import GateResult, Readiness
from cutline.readiness.slice import ReadinessWork, readiness_work

_LOOK: Mapping[GateName, Callable[[ReadinessWork], GateResult]] = {
    "compatibility": compatibility,
    "offsets": offsets,
    "storage": storage,
    "cost": cost,
    "governance": governance,
    "rollback": rollback,
    "observability": observability,
}


def readiness_of(
    project: LoadedProject, control: Control | None, context: str, region: str
) -> Readiness:
    """What the gates of a slice say now; `project` is as its region sees it. Nothing is changed."""
    work = readiness_work(project, control, context, region)
    return Readiness(
        context=context,
        region=region,
        declared=context in project.file.readiness,
        gates=tuple(_LOOK[gate](work) for gate in GATES),
    )
