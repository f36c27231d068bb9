"""The runner: performs the stages of a run that are not done yet, and records what they did."""

from __future__ import annotations

import dataclasses
import hashlib
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cached_property, partial
from typing import TYPE_CHECKING

from cutline.control import Control, Lease, RunKey, RunRecord
from cutline.cut import live_until
from cutline.errors import ConfigurationError, CutlineError, RunFailed, did_you_mean
from cutline.lake.lake import Lake, run_folder
from cutline.lake.unchanged import LakeCheck
from cutline.logs import logger
from cutline.plugins import choose_translation
from cutline.project.loaded import LoadedProject
from cutline.quotas import declared_quotas, limited, refuse_unset, slice_job
from cutline.results import EXTRACT, ReconcileResult, StageResult, read_back
from cutline.run import announce
from cutline.run.again import overtaken_by
from cutline.run.base import Beginning, ChooseBase, no_base, opened_base
from cutline.run.before import run_before, trend_of
from cutline.run.disk import DiskWatch, disk_places, refuse_small_disks
from cutline.run.earlier import earlier_extract
from cutline.run.inputs import frozen_run
from cutline.run.knowledge import extract_times, recorded_at
from cutline.run.meaning import check_fingerprints, meanings_of
from cutline.run.moved import refuse_moved, refuse_moved_subjects
from cutline.run.observers import Observers, observers_of
from cutline.run.on_cluster import refuse_local_control, refuse_unshared
from cutline.run.outcome import RunOutcome, outcome_of
from cutline.run.progress import Note, OnEvent, StageDone, StageStarted
from cutline.run.sizing import size_session
from cutline.run.watch import expected_seconds, progress_of_stage
from cutline.spark.causes import SparkSetup, cause_of
from cutline.spark.machine import memory
from cutline.spark.python_workers import reason_of
from cutline.spark.session import session, starts_anew
from cutline.stage import Stage
from cutline.telemetry import refuse_without_extra
from cutline.translator.translation import Translation
from cutline.workspace import Workspace

if TYPE_CHECKING:
    from cutline.sources.frozen import FrozenInputs

_LOG = logger(__name__)


def run(
    project: LoadedProject,
    context_name: str,
    region: str,
    stages: Sequence[Stage],
    only: Sequence[str],
    on_event: OnEvent,
    choose_base: ChooseBase = no_base,
    *,
    again: bool = False,
) -> RunOutcome:
    """The run that the project, as it stands, makes of a slice.

    Stages that are done are not done again: a run that was interrupted goes on where it was, and
    one that is complete says so. With `only`, just these stages are performed. `choose_base` says
    from which run of the slice it goes on; by default it reads everything. With `again` a run
    that another of the slice overtook is made again, as a run of its own. Raises
    ConfigurationError before anything is started, or RunFailed: then the same command goes on.
    """
    _refuse_unknown_stages(only, [stage.name for stage in stages])
    section = project.file.contexts.get(context_name)
    if section is None:
        contexts = project.file.contexts
        raise ConfigurationError(
            f"{project.config}: there is no context {context_name!r}."
            f"{did_you_mean(context_name, contexts)}",
            next_step=f"Its contexts are: {', '.join(sorted(contexts))}.",
        )
    chosen = section.translation
    translation = choose_translation(chosen.use, chosen.major, context_name)
    refuse_unready(project)
    goes_on = choose_base is not no_base
    with frozen_run(project, translation, region, goes_on=goes_on, again=again) as (key, inputs):
        return perform_run(project, translation, key, inputs, stages, only, on_event, choose_base)


def refuse_unready(project: LoadedProject) -> None:
    """ConfigurationError where a run cannot be made with what is here; asked before any input is
    looked at."""
    refuse_local_control(project)
    refuse_without_extra(project)
    refuse_unset(declared_quotas(project, ""))


def perform_run(
    project: LoadedProject,
    translation: Translation,
    key: RunKey,
    inputs: FrozenInputs,
    stages: Sequence[Stage],
    only: Sequence[str],
    on_event: OnEvent,
    choose_base: ChooseBase,
) -> RunOutcome:
    """As `run`, of the run with this key over these inputs, which stay as they are until read."""
    from cutline.sources import input_files, unpacked_bytes
    from cutline.sources.frozen import with_captured_cuts

    context_name, region, positions = key.context, key.region, inputs.positions
    project = with_captured_cuts(project, positions)
    _LOG.info(
        "run named",
        extra={
            "run": key.run_id,
            "context": context_name,
            "region": region,
            "translation": f"{translation.name} {translation.version}",
            "positions": dict(positions),
        },
    )
    input_bytes = unpacked_bytes(input_files(project, translation, region))
    project = _sized(project, key, input_bytes, on_event)
    places = disk_places(project.lake, project.file.spark, input_bytes)
    control = Control.open(project.file.control, project.folder)
    recorded = control.run(key.run_id)
    base = choose_base(Beginning(control, project, translation, key, inputs.files, on_event))
    if recorded is None or not recorded.results():
        refuse_small_disks(places)
    with control.lease(context_name, region) as lease:
        refuse_moved(control, project, context_name, region)
        lake = Lake(
            run_folder(project.lake, context_name, region, key.run_id),
            attempt=str(lease.epoch),
            check_lease=partial(control.confirm, lease),
        )
        unchanged = LakeCheck()
        # Also for a run that is complete: what it told may not mean something else by now.
        spark = session(project.file.spark)
        refuse_unshared(project, translation, region, spark)
        for stage in stages:
            if stage.check is not None:
                stage.check(project, translation, region, spark)
        check_fingerprints(control, context_name, meanings_of(spark, translation, key.run_id))
        times = extract_times(project, control, context_name, region, positions)
        record = control.begin(key, recorded_at(times, live_until(project, context_name)), lease)
        workspace = Workspace(
            run_id=key.run_id,
            region=region,
            project=project,
            context=translation.context,
            translation=translation,
            lake=lake,
            recorded_at=record.recorded_at,
            positions=positions,
            done={},
            extract_times=times,
            earlier=partial(earlier_extract, project, control, key),
            before=partial(run_before, project, control, key, spark, unchanged),
            base=None if base is None else opened_base(project, base, spark),
            tenures=control.tenures(context_name, region),
            note=partial(_note, on_event),
            frozen=inputs.files,
            handles=inputs.handles,
            epoch=lease.epoch,
            remember_publications=partial(control.remember_publications, lease=lease),
            confirm_authority=partial(
                refuse_moved_subjects, control, project, translation.context, region, lake
            ),
            limited=partial(_limited, control, project, context_name, region, on_event),
        )
        attempt = _Attempt(
            control, lease, key, workspace, on_event, unchanged, DiskWatch(places), inputs.close
        )
        if record.status == "complete" and attempt.is_intact(record):
            _LOG.info("run already complete", extra={"run": key.run_id})
            by = overtaken_by(control, record)
            return outcome_of(record, lake, already_complete=True, overtaken_by=by)
        attempt.perform_observed(record, stages, only)
    ended = control.run(key.run_id)
    assert ended is not None
    return outcome_of(ended, lake, overtaken_by=overtaken_by(control, ended))


def _limited(
    control: Control, project: LoadedProject, context: str, region: str, on_event: OnEvent
) -> AbstractContextManager[None]:
    quotas = declared_quotas(project, slice_job(project, context, region))
    return limited(project, control, quotas, partial(_note, on_event))


def _note(on_event: OnEvent, text: str) -> None:
    on_event(Note(text))


def _sized(project: LoadedProject, key: RunKey, inputs: int, on_event: OnEvent) -> LoadedProject:
    """The project with Spark as it is set up for these inputs, and said so; as it is where a
    session is there already."""
    if not starts_anew():
        return project
    sizing = size_session(project.file.spark, inputs, memory())
    section = sizing.section
    if sizing.choices:
        on_event(Note(sizing.choices))
        _LOG.info(
            "Spark sized",
            extra={
                "run": key.run_id,
                "inputs": inputs,
                "memory": section.memory,
                "quick_start": section.quick_start,
                "partitions": section.shuffle_partitions,
            },
        )
    if sizing.warning:
        on_event(Note(sizing.warning))
        _LOG.warning(
            "little memory", extra={"run": key.run_id, "inputs": inputs, "memory": section.memory}
        )
    file = project.file.model_copy(update={"spark": section})
    return dataclasses.replace(project, file=file)


class _Attempt:
    """One attempt at a run, by one process, under one lease."""

    def __init__(
        self,
        control: Control,
        lease: Lease,
        key: RunKey,
        workspace: Workspace,
        on_event: OnEvent,
        unchanged: LakeCheck,
        disks: DiskWatch,
        close_inputs: Callable[[], None],
    ) -> None:
        self._control, self._lease, self._key = control, lease, key
        self._workspace, self._on_event = workspace, on_event
        self._unchanged, self._disks = unchanged, disks
        self._close_inputs = close_inputs
        self._observers = Observers()

    @cached_property
    def _other_runs(self) -> list[RunRecord]:
        """The other runs of the slice, newest first, as they were when a stage first asked."""
        runs = self._control.runs(self._key.context, self._key.region)
        return [record for record in runs if record.run_id != self._key.run_id]

    def is_intact(self, record: RunRecord) -> bool:
        """Whether all that the run wrote is still in the lake.

        RunFailed if it is there, and not as it was written.
        """
        results = record.results()
        if not all(self._seems_whole(result) for result in results.values()):
            return False
        for name, result in results.items():
            self._refuse_changed(name, result)
        return True

    def perform_observed(
        self, record: RunRecord, stages: Sequence[Stage], only: Sequence[str]
    ) -> None:
        """As `perform`, while those are told whom cutline.yaml names."""
        self._observers = observers_of(self._workspace)
        self._observers.tell(lambda o: o.run_started(self._workspace))
        try:
            self.perform(record, stages, only)
        except BaseException as error:
            failure = error
            self._observers.tell(lambda o: o.run_failed(self._workspace, failure))
            raise
        if all(stage.name in self._workspace.done for stage in stages):
            self._observers.tell(lambda o: o.run_done(self._workspace))
        else:
            self._observers.tell(lambda o: o.run_paused(self._workspace))

    def perform(self, record: RunRecord, stages: Sequence[Stage], only: Sequence[str]) -> None:
        """Performs what is asked for and not done, in order."""
        before = {s.name: s for s in record.stages if s.status == "done" and s.result is not None}
        announce.announce_start(self._workspace)
        for stage in stages:
            earlier = before.get(stage.name)
            if earlier is not None and earlier.result is not None:
                if self._seems_whole(earlier.result):
                    self._refuse_changed(stage.name, earlier.result)
                    self._record_stage(stage.name, earlier.result, earlier.seconds or 0.0)
                    if not only or stage.name in only:
                        self._stage_done(stage.name, earlier.result, earlier.seconds or 0.0, True)
                    _LOG.info(
                        "stage kept from before",
                        extra={"run": self._key.run_id, "stage": stage.name},
                    )
                    continue
                _LOG.warning(
                    "stage made again", extra={"run": self._key.run_id, "stage": stage.name}
                )
                self._on_event(Note(f"what {stage.name} wrote is gone from the lake: made again"))
            if only and stage.name not in only:
                if any(s.name in only for s in stages[stages.index(stage) :]):
                    raise self._missing_stages_error(stage.name, only)
                return
            again = None if earlier is None else earlier.digest
            self._perform(stage, again)
        if all(stage.name in self._workspace.done for stage in stages):
            self._control.complete(self._key.run_id, self._lease)
            _LOG.info("run complete", extra={"run": self._key.run_id})

    def _perform(self, stage: Stage, expected: str | None) -> None:
        run_id, workspace = self._key.run_id, self._workspace
        self._lease.check()
        for name, result in workspace.done.items():
            self._refuse_changed(name, result)
        _LOG.info("stage started", extra={"run": run_id, "stage": stage.name})
        self._on_event(StageStarted(stage.name))
        self._control.stage_started(run_id, stage.name, self._lease)
        self._observers.tell(lambda o: o.stage_started(workspace, stage.name))
        likely = expected_seconds(self._other_runs, stage.name, workspace.done)
        began = time.monotonic()
        try:
            with (
                self._disks.watching(workspace.spark, stage.name),
                progress_of_stage(workspace.spark, run_id, stage.name, likely, self._on_event),
                workspace.lake.scratch_space(workspace.spark),
            ):
                result = read_back(stage.perform(workspace))
            digest = stage_digest(result)
            if expected is not None and digest != expected:
                raise RunFailed(
                    f"stage {stage.name} gave other rows than when it was first done",
                    left_behind=f"Digest {digest} now, {expected} then.",
                    next_step="An input or a plugin changed without a new version: find out which.",
                )
        except BaseException as raised:
            error = raised
            failure = _stage_error(stage.name, error, workspace.lake.root)
            # The error's own text may quote a row; whoever catches it decides who sees that.
            _LOG.error(
                "stage failed",
                extra={
                    "run": run_id,
                    "stage": stage.name,
                    "error": type(error).__name__,
                    "seconds": round(time.monotonic() - began, 3),
                },
            )
            if isinstance(error, KeyboardInterrupt):
                complete = ", ".join(workspace.done) or "no stage"
                error.add_note(
                    f"Run {run_id}: stage {stage.name} was interrupted, and nothing of it is "
                    f"visible. Done and kept: {complete}."
                )
            self._control.stage_failed(run_id, stage.name, failure.what, self._lease)
            self._control.fail(run_id, failure.what, self._lease)
            self._observers.tell(lambda o: o.stage_failed(workspace, stage.name, error))
            if isinstance(error, Exception) and failure is not error:
                raise failure from error
            raise
        seconds = time.monotonic() - began
        self._lease.check()
        if trend := trend_of(run_id, result):
            self._control.remember_trend(trend, self._lease)
        self._control.stage_done(run_id, stage.name, result, digest, seconds, self._lease)
        self._unchanged.written(workspace.lake, result.tables)
        self._record_stage(stage.name, result, seconds)
        if stage.name == EXTRACT:
            self._close_inputs()
        announce.announce_stage(workspace, stage.name, result, digest)
        _LOG.info(
            "stage done",
            extra={
                "run": run_id,
                "stage": stage.name,
                "rows_in": result.rows_in,
                "rows_out": result.rows_out,
                "tables": len(result.tables),
                "digest": digest,
                "seconds": round(seconds, 3),
            },
        )
        if isinstance(result, ReconcileResult):
            decision, by = result.decision, result.decided_by
            self._control.decide(run_id, decision, by, self._lease)
            announce.announce_decision(workspace, decision, by)
            _LOG.info("run decided", extra={"run": run_id, "decision": decision})
        self._observers.tell(lambda o: o.stage_done(self._workspace, stage.name, result))
        self._stage_done(stage.name, result, seconds, False)

    def _record_stage(self, name: str, result: StageResult, seconds: float) -> None:
        self._workspace = dataclasses.replace(
            self._workspace,
            done={**self._workspace.done, name: result},
            seconds={**self._workspace.seconds, name: seconds},
        )

    def _stage_done(
        self, name: str, result: StageResult, seconds: float, complete_before: bool
    ) -> None:
        self._on_event(StageDone.of(name, result, seconds, complete_before=complete_before))

    def _seems_whole(self, result: StageResult) -> bool:
        names = [*(t.name for t in result.tables), *result.files_beside()]
        return all(self._workspace.lake.seems_whole(name) for name in names)

    def _refuse_changed(self, stage: str, result: StageResult) -> None:
        lake, run_id = self._workspace.lake, self._key.run_id
        self._unchanged.check_tables(lake, run_id, stage, result.tables)
        self._unchanged.check_files(lake, run_id, stage, result.files_beside())

    def _missing_stages_error(self, needed: str, only: Sequence[str]) -> ConfigurationError:
        run_id = self._key.run_id
        options = " ".join(f"--stage {name}" for name in [needed, *only])
        return ConfigurationError(
            f"stage {needed} of run {run_id} is not done, and a later stage builds on it",
            left_behind="Nothing was changed.",
            next_step=f"cutline run {self._key.context} --region {self._key.region} {options}",
        )


def stage_digest(result: StageResult) -> str:
    """One digest over the tables of a stage, 32 hexadecimal digits."""
    text = ";".join(f"{t.name}={t.digest}" for t in sorted(result.tables, key=lambda t: t.name))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _refuse_unknown_stages(only: Sequence[str], names: Sequence[str]) -> None:
    for name in only:
        if name not in names:
            raise ConfigurationError(
                f"there is no stage {name!r}.{did_you_mean(name, names)}",
                next_step=f"The stages are: {', '.join(names)}.",
            )


def _stage_error(stage: str, error: BaseException, lake: str) -> CutlineError:
    """What went wrong, by its true cause, as an error that says which command comes next."""
    if isinstance(error, CutlineError):
        return error
    if isinstance(error, KeyboardInterrupt):
        sentence, mend = f"stage {stage} was interrupted", ""
    elif cause := cause_of(error, SparkSetup.of_process(lake=lake)):
        sentence, mend = f"stage {stage} failed: {cause.sentence}", f"{cause.next_step} Then: "
    else:
        sentence, mend = f"stage {stage} failed: {type(error).__name__}: {reason_of(error)}", ""
    again = "Run the same command again; it goes on with this stage."
    return RunFailed(
        sentence,
        left_behind="The stages before it are kept; nothing of this one is visible.",
        next_step=f"{mend}{again[0].lower()}{again[1:]}" if mend else again,
    )
