"""Who is told of a run besides people: lineage and traces, where cutline.yaml asks for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from cutline.logs import logger
from cutline.results import StageResult
from cutline.workspace import Workspace

_LOG = logger(__name__)


class Observer(Protocol):
    """What is told of one attempt at a run. Workspaces are as they are at that moment."""

    def run_started(self, workspace: Workspace) -> None:
        """The run begins, or goes on."""

    def stage_started(self, workspace: Workspace, stage: str) -> None:
        """A stage begins."""

    def stage_done(self, workspace: Workspace, stage: str, result: StageResult) -> None:
        """A stage is complete."""

    def stage_failed(self, workspace: Workspace, stage: str, error: BaseException) -> None:
        """A stage failed, or was interrupted."""

    def run_done(self, workspace: Workspace) -> None:
        """All stages are complete."""

    def run_paused(self, workspace: Workspace) -> None:
        """The attempt ends well, and stages that nobody asked for are still to be done."""

    def run_failed(self, workspace: Workspace, error: BaseException) -> None:
        """The run ended before that."""


class Observers:
    """All observers of an attempt. What one of them raises is logged, and fails nothing."""

    def __init__(self, make: Sequence[Callable[[], Observer]] = ()) -> None:
        self._observers: list[Observer] = []
        for observer in make:
            self._safely(partial(self._add, observer))

    def tell(self, event: Callable[[Observer], None]) -> None:
        """Each observer is told, in order."""
        for observer in self._observers:
            self._safely(partial(event, observer))

    def _add(self, make: Callable[[], Observer]) -> None:
        self._observers.append(make())

    def _safely(self, act: Callable[[], None]) -> None:
        try:
            act()
        except Exception as error:
            _LOG.warning("run not observed", extra={"error": type(error).__name__})


def observers_of(workspace: Workspace) -> Observers:
    """The observers that cutline.yaml asks for; usually none."""
    make: list[Callable[[], Observer]] = []
    if (lineage := workspace.project.file.lineage) is not None:
        from cutline.lineage import LineageObserver

        make.append(lambda: LineageObserver(lineage, workspace))
    telemetry = workspace.project.file.telemetry
    if telemetry is not None and telemetry.traces:
        from cutline.telemetry import TraceObserver

        make.append(lambda: TraceObserver(telemetry, workspace))
    return Observers(make)
