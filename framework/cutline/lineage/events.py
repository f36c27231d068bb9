"""OpenLineage's run events: of a run, and of each stage as a run below it."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from cutline.lineage.facets import EVENT_SCHEMA, PRODUCER, Json, facet, job_facets
from cutline.secrets import as_written_in

EventType = Literal["START", "COMPLETE", "FAIL", "ABORT"]

_SAYS = {
    "extract": "Reads the rows that the sources hold for the slice.",
    "translate": "Says what each row means: candidate events, and one end for each row.",
    "merge": "Merges candidate and live events into one history of each subject.",
    "project": "Projects the history to states.",
    "reconcile": "Compares states and decisions with the legacy's truth, and decides.",
    "report": "Reports, and publishes what may be published.",
}


@dataclass(frozen=True)
class LineageRun:
    """A run of a slice as OpenLineage knows it: the same one, however often it is resumed.

    Ids are UUIDv5 of the namespace and the run's id, so they can be recomputed.
    """

    namespace: str
    context: str
    region: str
    run_id: str

    @property
    def id(self) -> str:
        """The id of the run."""
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"urn:cutline:{self.namespace}:{self.run_id}"))

    def stage_id(self, stage: str) -> str:
        """The id of one of its stages."""
        return str(uuid.uuid5(uuid.UUID(self.id), stage))

    @property
    def job(self) -> Json:
        """The job that all runs of the slice are of."""
        return {"namespace": self.namespace, "name": f"{self.context}.{self.region}"}

    def event(
        self,
        type: EventType,
        facets: Json,
        inputs: Sequence[Json] = (),
        outputs: Sequence[Json] = (),
    ) -> Json:
        """An event of the run."""
        description = f"Moves {self.context} of {self.region} from the legacy system to its events."
        job = self.job | {"facets": job_facets("RUN", description)}
        return _event(type, {"runId": self.id, "facets": facets}, job, inputs, outputs)

    def stage_event(
        self,
        type: EventType,
        stage: str,
        facets: Json,
        inputs: Sequence[Json] = (),
        outputs: Sequence[Json] = (),
    ) -> Json:
        """An event of one of its stages."""
        above: dict[str, Any] = {"run": {"runId": self.id}, "job": self.job}
        parent = facet("ParentRunFacet", {**above, "root": above})
        job = {
            "namespace": self.namespace,
            "name": f"{self.context}.{self.region}.{stage}",
            "facets": job_facets("STAGE", _SAYS.get(stage, f"The stage {stage}.")),
        }
        run = {"runId": self.stage_id(stage), "facets": {**facets, "parent": parent}}
        return _event(type, run, job, inputs, outputs)


def _event(
    type: EventType, run: Json, job: Json, inputs: Sequence[Json], outputs: Sequence[Json]
) -> Json:
    event = {
        "eventType": type,
        "eventTime": dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds"),
        "run": run,
        "job": job,
        "inputs": list(inputs),
        "outputs": list(outputs),
        "producer": PRODUCER,
        "schemaURL": EVENT_SCHEMA,
    }
    masked: Json = as_written_in(event)
    return masked
