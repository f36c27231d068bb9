"""A project: the front door to all that the command line does with one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from cutline.run.progress import OnEvent, ignore_events

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from cutline.api.check import CheckReport
    from cutline.api.run import Run
    from cutline.project import LoadedProject


@dataclass(frozen=True, repr=False)
class Project:
    """A folder with a cutline.yaml, and the Spark session that works for it.

    The file is read anew by each method, as by each command. What is written wrong is a
    `ConfigurationError`; a run that stopped half-way is a `RunFailed`, and the same call goes on.
    Both say what happened, what was left behind and what comes next; where a message names an
    option of the command line (`--region`), the parameter has the same name (`region`).
    """

    folder: Path
    spark: SparkSession | None = field(default=None, compare=False)

    @classmethod
    def open(cls, folder: str | Path = "", *, spark: SparkSession | None = None) -> Project:
        """The project in a folder; ConfigurationError if it has no cutline.yaml.

        `spark` is used as it is and never stopped; what it must have is checked. Without one,
        Cutline uses the session of this process, and starts one by cutline.yaml if there is none.
        """
        from cutline.project.load import config_of

        config_of(Path(folder))
        project = cls(Path(folder), spark)
        if spark is not None:
            with project.session():
                pass
        return project

    def load(self, region: str | None = None) -> LoadedProject:
        """cutline.yaml with what a region lays over it; ConfigurationError lists what is wrong."""
        from cutline.project import load

        return load(self.folder, region)

    @contextlib.contextmanager
    def session(self) -> Iterator[None]:
        """Meanwhile the project's Spark session is the one that is used in this thread."""
        from cutline.spark.borrowed import borrowed, check_running_session

        if self.spark is None:
            check_running_session()
            yield
        else:
            with borrowed(self.spark):
                yield

    def check(self, *, strict: bool = False, conformance: bool = False) -> CheckReport:
        """What would stop a run, found without running: in the file, the plugins and the sources.

        With `strict` translators are compiled, and say what they make of what is there; with
        `conformance` they are tried on generated histories, which takes minutes.
        """
        from cutline.api.check.inspection import check_project

        with self.session():
            return check_project(self.folder, strict=strict, conformance=conformance)

    def run(
        self,
        context: str,
        *,
        region: str,
        stages: Sequence[str] = (),
        on_event: OnEvent = ignore_events,
    ) -> Run:
        """Carry one slice through: read, translate, merge, project, reconcile, report, decide.

        The same call continues an interrupted run, and says so if the run is already complete. Of
        `stages` only these are performed, if any are named. A NO-GO is a result, not an error.
        `on_event` is called with each event of the run; `print` shows them as lines.
        """
        from cutline.api.choice import known_context
        from cutline.api.run import Run

        project = self.load(region)
        known_context(project, context)

        from cutline.api.stages import STAGES
        from cutline.run.runner import run

        with self.session():
            return Run(self, run(project, context, region, STAGES, tuple(stages), on_event))

    def command(self, words: str) -> str:
        """A command to type next, for the same project."""
        from cutline.api.choice import command

        return command(words, self.folder)

    def __repr__(self) -> str:
        return f"<Project {self.folder.absolute()}>"
