"""The events of a run while it works. What cannot be written or sent never fails the run."""

from __future__ import annotations

from pathlib import Path

from cutline.lineage import datasets
from cutline.lineage.events import EventType, LineageRun
from cutline.lineage.facets import Json, engine_facet, error_facet, facet, tags_facet
from cutline.lineage.file import EventFile
from cutline.lineage.sending import NotTaken, as_body, send, unsent_file
from cutline.logs import logger
from cutline.project.lineage import LineageSection
from cutline.results import ReconcileResult, StageResult
from cutline.workspace import Workspace

_LOG = logger(__name__)


class LineageObserver:
    """Writes the events of one attempt at a run to where `lineage` of cutline.yaml says.

    Once the server did not take an event, it and all that follow are kept in a file, in order.
    """

    def __init__(self, section: LineageSection, workspace: Workspace) -> None:
        project = workspace.project
        self._section = section
        self._file = EventFile(Path(project.path(section.file))) if section.file else None
        self._unsent = unsent_file(project, section)
        self._keeps = section.url is not None and self._unsent.path.is_file()
        # Asked now: where the session dies, that is told as well.
        self._engine = engine_facet(workspace.spark.version)
        namespace = section.namespace or project.file.name
        self._run = LineageRun(
            namespace, workspace.context.name, workspace.region, workspace.run_id
        )

    def run_started(self, workspace: Workspace) -> None:
        """The run begins, or goes on."""
        inputs = datasets.source_datasets(workspace) + datasets.live_datasets(workspace)
        self._emit(self._run.event("START", self._facets(workspace), inputs))

    def stage_started(self, workspace: Workspace, stage: str) -> None:
        """A stage begins."""
        inputs = datasets.inputs_of_stage(workspace, stage)
        self._emit(self._run.stage_event("START", stage, self._facets(workspace), inputs))

    def stage_done(self, workspace: Workspace, stage: str, result: StageResult) -> None:
        """A stage is complete; the workspace has its result."""
        inputs = datasets.inputs_of_stage(workspace, stage)
        if isinstance(result, ReconcileResult):
            inputs = datasets.with_assertions(inputs, workspace)
        outputs = datasets.outputs_of_stage(workspace, result)
        facets = self._facets(workspace)
        self._emit(self._run.stage_event("COMPLETE", stage, facets, inputs, outputs))

    def stage_failed(self, workspace: Workspace, stage: str, error: BaseException) -> None:
        """A stage failed, or was interrupted."""
        facets = self._facets(workspace) | {"errorMessage": error_facet(_reason(stage, error))}
        inputs = datasets.inputs_of_stage(workspace, stage)
        self._emit(self._run.stage_event(_ended(error), stage, facets, inputs))

    def run_done(self, workspace: Workspace) -> None:
        """All stages are complete."""
        inputs = datasets.source_datasets(workspace) + datasets.live_datasets(workspace)
        outputs = [
            dataset
            for result in workspace.done.values()
            for dataset in datasets.outputs_of_stage(workspace, result)
        ]
        self._emit(self._run.event("COMPLETE", self._facets(workspace), inputs, outputs))

    def run_paused(self, workspace: Workspace) -> None:
        """Stages are still to be done: the run has begun, and has not ended."""

    def run_failed(self, workspace: Workspace, error: BaseException) -> None:
        """The run ended before all its stages were complete; the same command goes on with it."""
        facets = self._facets(workspace) | {"errorMessage": error_facet(_reason(None, error))}
        inputs = datasets.source_datasets(workspace) + datasets.live_datasets(workspace)
        self._emit(self._run.event(_ended(error), facets, inputs))

    def _facets(self, workspace: Workspace) -> Json:
        """Facets of a run and of its stages; gates and decision come with reconciliation."""
        reconciled = workspace.done.get(ReconcileResult.stage)
        decided = reconciled if isinstance(reconciled, ReconcileResult) else None
        translation = workspace.translation
        tags = {
            "run": workspace.run_id,
            "context": workspace.context.name,
            "slice": workspace.region,
            "translation": f"{translation.name} {translation.version}",
            "decision": decided.decision if decided else None,
        }
        facets = {
            "tags": tags_facet(tags),
            "processing_engine": self._engine,
        }
        if decided and decided.gates:
            tests = [
                {
                    "name": gate.name,
                    "type": gate.kind,
                    "status": "pass" if gate.passed else "fail",
                    "severity": "error",
                }
                for gate in decided.gates
            ]
            facets["test"] = facet("TestRunFacet", {"tests": tests})
        return facets

    def _emit(self, event: Json) -> None:
        if self._file is not None:
            self._file.append(event)
        if self._section.url is None:
            return
        if not self._keeps:
            try:
                send(self._section, as_body(event))
            except NotTaken as reason:
                self._keeps = True
                _LOG.warning(
                    "lineage kept for later",
                    extra={
                        "run": self._run.run_id,
                        "reason": str(reason),
                        "file": str(self._unsent.path),
                    },
                )
            else:
                return
        self._unsent.append(event)


def _ended(error: BaseException) -> EventType:
    return "ABORT" if isinstance(error, KeyboardInterrupt) else "FAIL"


def _reason(stage: str | None, error: BaseException) -> str:
    """What happened, without the error's own text: that may quote a row."""
    subject = "the run" if stage is None else f"stage {stage}"
    if isinstance(error, KeyboardInterrupt):
        return f"{subject} was interrupted"
    return f"{subject} failed: {type(error).__name__}; `cutline runs` says why"
