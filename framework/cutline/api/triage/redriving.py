"""A re-drive of exceptions: what it goes on from, what it is called, and its performance."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cutline.api.triage.ids import require_rules, whole_ids
from cutline.control import Control, RunKey, RunRecord, newest_complete
from cutline.errors import ConfigurationError, RunFailed
from cutline.plugins import choose_translation
from cutline.project.loaded import LoadedProject
from cutline.run.base import opened_base
from cutline.run.moved import refuse_moved
from cutline.run.outcome import RunOutcome
from cutline.run.progress import OnEvent
from cutline.run.redrive import (
    base_of_redrive,
    inputs_of_base,
    is_redrive,
    redrive_key,
    refuse_overtaken,
)
from cutline.run.runner import perform_run, refuse_unready
from cutline.spark.session import session
from cutline.stages.redrive import ExceptionSelection, redrive_stages
from cutline.stages.redrive.shapes import refuse_other_shapes
from cutline.stages.redrive.translate import refuse_redrive
from cutline.translator.translation import Translation
from cutline_reconciliation.stage import RECONCILE
from cutline_reports.stage import REPORT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class RedriveOfExceptions:
    """A re-drive of some exceptions of `base`, as the run with this key."""

    project: LoadedProject
    translation: Translation
    base: RunRecord
    key: RunKey
    selection: ExceptionSelection

    @classmethod
    def of(
        cls,
        project: LoadedProject,
        control: Control | None,
        context: str,
        region: str,
        version: str,
        ids: Sequence[str],
        rules: Sequence[str],
    ) -> RedriveOfExceptions:
        """The re-drive of the open exceptions with these ids, which may be cut off, or of these
        rules; of all of them where neither is given. Those that are discarded are left alone.

        ConfigurationError, before anything is started, for another version than the installed one,
        for what is not there, and where they cannot be re-driven by themselves.
        """
        refuse_unready(project)
        translation = _translation(project, context, version)
        refuse_redrive(translation)

        def redrive_from(base: RunRecord) -> RedriveOfExceptions:
            discarded = project.discarded_on(context, region, base.recorded_at)
            chosen = _selection(project, translation, base, ids, rules, tuple(sorted(discarded)))
            key = redrive_key(project, translation, region, base, chosen)
            return cls(project, translation, base, key, chosen)

        newest = newest_complete(control.runs(context, region)) if control else None
        if control is not None and newest is not None and is_redrive(newest):
            # The same again is the same run, which says so.
            earlier = control.run(newest.inputs["redrive"]["from"])
            if earlier is not None and newest.inputs["translators"] == {
                t.name(): t.version for t in translation.translators
            }:
                again = None
                # What only the newest run has, an earlier one does not know.
                with contextlib.suppress(ConfigurationError, RunFailed):
                    again = redrive_from(earlier)
                if again is not None and again.key.run_id == newest.run_id:
                    return again
        return redrive_from(base_of_redrive(control, project, translation, region))

    def perform(self, on_event: OnEvent) -> RunOutcome:
        """Make the run, or go on with it; it is reconciled, decided and reported as any other."""
        extract, *stages_behind = redrive_stages(self.selection)
        stages = (
            dataclasses.replace(extract, check=self._check),
            *stages_behind,
            RECONCILE,
            REPORT,
        )
        region = self.key.region
        with inputs_of_base(self.project, self.translation, region, self.base) as inputs:
            return perform_run(
                self.project,
                self.translation,
                self.key,
                inputs,
                stages,
                (),
                on_event,
                lambda _: self.base,
            )

    def require_possible(self) -> None:
        """What `perform` refuses before it starts; nothing is started here."""
        control = Control.open(self.project.file.control, self.project.folder)
        refuse_moved(control, self.project, self.key.context, self.key.region)
        with inputs_of_base(self.project, self.translation, self.key.region, self.base):
            return

    def _check(
        self, project: LoadedProject, translation: Translation, region: str, spark: SparkSession
    ) -> None:
        del translation, region, spark
        # Under the lease: nobody completes another run from here on.
        control = Control.open(project.file.control, project.folder)
        refuse_overtaken(control, self.key, self.base)


def _translation(project: LoadedProject, context: str, version: str) -> Translation:
    """The installed translation that cutline.yaml chooses, if it has that version."""
    choice = project.file.contexts[context].translation
    translation = choose_translation(choice.use, choice.major, context)
    if translation.version != version:
        raise ConfigurationError(
            f"--translator {version}: cutline.yaml chooses {choice.use} of major {choice.major}, "
            f"and the installed one has version {translation.version}.",
            left_behind="Nothing was started.",
            next_step="Install the version that is meant; for another major, set "
            f"contexts.{context}.translation.major.",
        )
    return translation


def _selection(
    project: LoadedProject,
    translation: Translation,
    base: RunRecord,
    ids: Sequence[str],
    rules: Sequence[str],
    discarded: tuple[str, ...],
) -> ExceptionSelection:
    """What is selected, with whole ids; ConfigurationError where nothing is."""
    spark = session(project.file.spark)
    opened = opened_base(project, base, spark)
    refuse_other_shapes(spark, opened, translation)
    every = ExceptionSelection().exceptions(spark, opened)
    require_rules(every, rules, base.run_id)
    whole = tuple(sorted(whole_ids(every, ids, base.run_id)))
    wanted = ExceptionSelection(tuple(sorted(set(rules))), whole, discarded)
    sources = {contract.source() for contract in translation.contracts()}
    if wanted.rows(spark, opened, sources).isEmpty():
        restriction = " of these rules or ids" if wanted.rules or wanted.ids else ""
        raise ConfigurationError(
            f"Run {base.run_id} has no open exception of a source row{restriction} that is not "
            "discarded.",
            left_behind="Nothing was started.",
            next_step=f"cutline exceptions list {base.context} --region {base.region} shows those "
            "that it has.",
        )
    return wanted
