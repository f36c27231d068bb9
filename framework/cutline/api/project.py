"""A project: the front door to all that the command line does with one."""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from cutline.display import ResultList
from cutline.run.progress import OnEvent, ignore_events

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from cutline.advice import Advice
    from cutline.api.backfills import Backfills
    from cutline.api.blocked import BlockedConsumer
    from cutline.api.check import CheckReport
    from cutline.api.cleaning import CleanedRun
    from cutline.api.coverage import SliceCoverage
    from cutline.api.cut_lines import SliceCut
    from cutline.api.explain import ClusterHistory, SubjectHistory
    from cutline.api.handovers import GroupHandover
    from cutline.api.metrics import Metrics
    from cutline.api.publications import PlannedPublication, Publication
    from cutline.api.quotas import ClientQuota
    from cutline.api.readiness import Rehearsal, ReplayRehearsal, SliceReadiness
    from cutline.api.rebuilding import Rebuild
    from cutline.api.reconsuming import GroupReconsume
    from cutline.api.repairs import TableRepair
    from cutline.api.replays import Replay
    from cutline.api.reports_index import ReportsIndex
    from cutline.api.resends import Resend
    from cutline.api.rollouts import FedVersion, RolloutOverview, SliceRollout
    from cutline.api.run import Run
    from cutline.api.run_comparison import RunComparison
    from cutline.api.runs.listing import RunSummary
    from cutline.api.runs.status import SliceOverview
    from cutline.api.scaffolding import Scaffold
    from cutline.api.snapshots import SliceSnapshots
    from cutline.api.triage import SliceTriage
    from cutline.api.waivers import WaiverDraft
    from cutline.lineage import SentLineage
    from cutline.profile import TableProfile
    from cutline.project import LoadedProject


@dataclass(frozen=True, repr=False)
class Project:
    """A folder with a cutline.yaml, and the Spark session that works for it.

    The file is read anew by each method, as by each command. What is written wrong is a
    `ConfigurationError`; a run that stopped half-way is a `RunFailed`, and the same call goes on.
    Both say what happened, what was left behind and what comes next; where a message names an
    option of the command line (`--region`), the parameter has the same name (`region`), but that
    `--project` is `folder`, `--stage` is `stages` and `--from` is `tables`.
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
        """Meanwhile the project's Spark session is the one that is used in this thread.

        What fails in Spark is raised as a CutlineError that tells its cause, where that is known.
        """
        from cutline.spark.borrowed import borrowed, check_running_session
        from cutline.spark.causes import SparkSetup, explained
        from cutline.spark.workers import ready_workers

        try:
            if self.spark is None:
                if (running := check_running_session()) is not None:
                    ready_workers(running)
                yield
            else:
                with borrowed(self.spark):
                    ready_workers(self.spark)
                    yield
        except Exception as error:
            cause = explained(error, SparkSetup.of_process(is_own=self.spark is None))
            if cause is None:
                raise
            raise cause from error

    def check(self, *, strict: bool = False, conformance: bool = False) -> CheckReport:
        """What would stop a run, found without running: in the file, the plugins and the sources.

        With `strict` translators and the SQL of outcomes and waivers are compiled, and translators
        say what they make of what is there; with `conformance` they are tried on generated
        histories, which takes minutes.
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
        master: str | None = None,
        again: bool = False,
        on_event: OnEvent = ignore_events,
    ) -> Run:
        """Carry one slice through: read, translate, merge, project, reconcile, report, decide.

        The same call continues an interrupted run, and says so if the run is already complete. With
        `again` one that a run of other inputs overtook is made again, and is the slice's newest. Of
        `stages` only these are performed, if any are named. A NO-GO is a result, not an error.
        `master` is a Spark master for this run, such as `spark://HOST:PORT`, instead of that of
        cutline.yaml; a session that is there already must have it. `on_event` is called with each
        event of the run; `print` shows them as lines.
        """
        return self._run_slice(context, region, stages, master, on_event, again=again)

    def advance(
        self,
        context: str,
        *,
        region: str,
        master: str | None = None,
        on_event: OnEvent = ignore_events,
    ) -> Run:
        """Carry one slice on from its newest complete run: only what is new is read.

        The result is that of one run over everything. What cannot be understood by itself is done
        whole, and an event says why; the first run of a slice reads everything. ConfigurationError
        where rules or settings are others than those of that run, or a file was rewritten. A run
        that was killed is continued by the same call.
        """
        return self._run_slice(context, region, (), master, on_event, advance=True)

    def status(self) -> ResultList[SliceOverview]:
        """Where every slice stands: its newest run, who decides for it, who works on it now."""
        from cutline.api.choice import control_of
        from cutline.api.runs.status import slice_overviews
        from cutline.project import load_shared, slices

        control = control_of(load_shared(self.folder))
        return slice_overviews(slices(self.folder), control.slices() if control else ())

    def runs(self, context: str, *, region: str) -> ResultList[RunSummary]:
        """The runs of one slice, newest first, with what became of the breaks in each."""
        from cutline.api.arguments import require_text

        require_text(context=context, region=region)

        from cutline.api.choice import control_of, require_context
        from cutline.api.runs.listing import list_runs

        project = self.load(region)
        require_context(project, context)
        control = control_of(project)
        return list_runs(control, context, region) if control else ResultList()

    def publications(
        self, context: str | None = None, *, region: str | None = None
    ) -> ResultList[Publication]:
        """What runs published to Kafka, partition by partition, newest run of each context first.

        Of one context or one region, only that. Nothing is read from Kafka.
        """
        from cutline.api.arguments import require_text_if_given

        require_text_if_given(context=context, region=region)

        from cutline.api.choice import control_of, require_declared
        from cutline.api.publications import list_publications
        from cutline.project import load_shared, slices

        declared = slices(self.folder)
        require_declared(declared, context, region)
        contexts = dict.fromkeys(n for n, _ in declared) if context is None else (context,)
        control = control_of(load_shared(self.folder))
        return list_publications(control, contexts, region) if control else ResultList()

    def planned_publications(
        self,
        context: str | None = None,
        *,
        region: str | None = None,
        run: str | None = None,
    ) -> ResultList[PlannedPublication]:
        """What a run would send to Kafka now; nothing is sent, and no topic is made.

        The run is chosen as by `explain`. Topics that are there are checked as for a publication.
        """
        from cutline.api.arguments import require_text_if_given

        require_text_if_given(context=context, region=region, run=run)

        from cutline.api.publications import planned_publications
        from cutline.api.runs.choose import choose_run
        from cutline.project import load_recorded, load_shared

        record = choose_run(load_shared(self.folder), self.folder, context, region, run)
        project = load_recorded(self.folder, record.region)
        with self.session():
            return planned_publications(project, record)

    def reports_index(self, folder: str | Path) -> ReportsIndex:
        """Write a site into a folder: every slice and run by day, with decision, trend and report.

        It works from `file://`, and can be sent as it is. The folder is new, empty, or a site that
        is written again; ConfigurationError if it is none of these. Nothing is read of tables, and
        a report that is not what its run wrote is left out, with the reason.
        """
        from cutline.api.arguments import require_path

        require_path(folder=folder)

        from cutline.api.reports_index import write_index

        return write_index(self.folder, Path(folder))

    def compare_runs(
        self, left: str, right: str, *, index: str | Path | None = None
    ) -> RunComparison:
        """Which events, states and breaks differ between two runs of a slice, by cluster.

        Each run is that whose id is, or begins with, the text; the earlier one is named first.
        Counts are exact, examples few, and personal values masked. With `index`, a page is written
        into that site of reports. ConfigurationError for runs of two slices, or without breaks yet;
        RunFailed if a table is no longer what its stage wrote.
        """
        from cutline.api.arguments import require_path, require_text

        require_text(left=left, right=right)
        if index is not None:
            require_path(index=index)

        from cutline.api.choice import control_of
        from cutline.api.run_comparison import compare_two_runs
        from cutline.api.runs.find import find_run
        from cutline.project import load_recorded, load_shared

        control = control_of(load_shared(self.folder))
        before, after = (find_run(control, run, self.folder) for run in (left, right))
        project = load_recorded(self.folder, before.region)
        with self.session():
            compared = compare_two_runs(project, before, after)
        if index is None:
            return compared

        from cutline.api.run_comparison.written import write_comparison

        return write_comparison(self.folder, Path(index), before, after, compared)

    def metrics(self) -> Metrics:
        """Every slice in numbers, as the control database has them: runs, exceptions, breaks,
        rollout. Nothing of a slice that was never run.

        Of one whose read model is fed, that database and the live topics are asked as well; what
        does not answer is left out.
        """
        from cutline.api.choice import control_of
        from cutline.api.metrics import Metrics
        from cutline.api.metrics.collect import collect_metrics
        from cutline.feed import FeedStanding, feed_standings
        from cutline.project import load_shared, slices

        control = control_of(load_shared(self.folder))
        if control is None:
            return Metrics()

        def feed_of(context: str, region: str) -> list[FeedStanding]:
            return feed_standings(self.load(region), control, context, region)

        return collect_metrics(control, slices(self.folder), feed_of)

    def send_metrics(self) -> int:
        """Send these numbers to the collector that `telemetry` of cutline.yaml names; how many.

        RunFailed where it does not take them. ConfigurationError, once they are sent, where a slice
        was left out of which a row cannot be read.
        """
        from cutline.api.metrics.sending import send_metrics
        from cutline.project import load_shared

        numbers = self.metrics()
        sent = send_metrics(load_shared(self.folder), numbers)
        if numbers.damages:
            raise numbers.damages[0]
        return sent

    def send_lineage(self) -> SentLineage:
        """Send the OpenLineage events that the server did not take, oldest first.

        RunFailed at the first that it does not take: that and what follows are kept.
        """
        from cutline.lineage import send_unsent

        return send_unsent(self.load())

    def rollouts(
        self, context: str | None = None, *, region: str | None = None
    ) -> ResultList[RolloutOverview]:
        """Where the rollout of every slice stands, and what can be done next; of a context or a
        region, only those. Slices with a rollout that are declared no more are last."""
        from cutline.api.arguments import require_text_if_given

        require_text_if_given(context=context, region=region)

        from cutline.api.choice import control_of, require_declared
        from cutline.api.rollouts.board import board, undeclared_rollouts
        from cutline.project import load_shared, slices

        declared, control = slices(self.folder), control_of(load_shared(self.folder))
        undeclared = undeclared_rollouts(control, declared)
        wanted = require_declared([*declared, *undeclared], context, region)
        return board(control, wanted, self.load, undeclared)

    def rollout(self, context: str, *, region: str) -> SliceRollout:
        """The rollout of one slice: its plans are made, looked at and performed by what this
        returns."""
        from cutline.api.arguments import require_text

        require_text(context=context, region=region)

        from cutline.api.choice import require_context
        from cutline.api.rollouts import SliceRollout

        require_context(self.load(region), context)
        return SliceRollout(self, context, region)

    def triage(self, context: str, *, region: str) -> SliceTriage:
        """The exceptions of one slice as a list of work: they are listed, given to people,
        discarded and driven anew by what this returns."""
        from cutline.api.arguments import require_text

        require_text(context=context, region=region)

        from cutline.api.choice import require_context
        from cutline.api.triage import SliceTriage

        require_context(self.load(region), context)
        return SliceTriage(self, context, region)

    def readiness(self, context: str, *, region: str) -> SliceReadiness:
        """What is known of a slice before a replay touches production, gate by gate.

        Nothing is measured, and nothing of the lake or the topics is read.
        """
        from cutline.api.arguments import require_text

        require_text(context=context, region=region)

        from cutline.api.choice import control_of, require_context
        from cutline.api.readiness.gates import slice_readiness
        from cutline.readiness import readiness_of

        project = self.load(region)
        require_context(project, context)
        return slice_readiness(readiness_of(project, control_of(project), context, region))

    def rehearse(
        self,
        context: str,
        *,
        region: str,
        run: str | None = None,
        share: float = 0.01,
        rate: int | None = None,
        group: str | None = None,
        made_by: str | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> Rehearsal:
        """Publish a share of a run's history into a namespace of its own beside live traffic,
        measure that, read it back, remove it, and file what was measured as evidence. Before, the
        legacy's statements are tried under the trial region that cutline.yaml declares.

        The run is named by its id or how that begins; without one it is the newest GO. Never more
        is sent, nor faster, than `readiness.<context>.rehearsal` of cutline.yaml allows. `group` is
        one of its live groups, else all are looked at. `say` is called with what is done.
        """
        from cutline.api.arguments import require_count, require_share, require_text
        from cutline.api.arguments import require_text_if_given as if_given

        require_text(context=context, region=region)
        if_given(run=run, group=group, made_by=made_by)
        require_share(share=share)
        if rate is not None:
            require_count(rate=rate)

        from cutline.api.choice import control_of, require_context
        from cutline.api.readiness.rehearsing import choose_run_to_rehearse, rehearse_run
        from cutline.api.user import user_of_process

        project = self.load(region)
        require_context(project, context)
        control = control_of(project)
        record = choose_run_to_rehearse(project, control, context, region, run)
        assert control is not None
        with self.session():
            return rehearse_run(
                project,
                control,
                record,
                self.metrics,
                share=share,
                rate=rate,
                group=group,
                made_by=made_by or user_of_process(),
                say=say,
            )

    def clean_rehearsals(self, context: str, *, region: str) -> dict[str, int]:
        """Remove what killed rehearsals of a slice left; by namespace, how many topics.

        The denial of the trial region is released, where cutline.yaml declares one.
        """
        from cutline.api.arguments import require_text

        require_text(context=context, region=region)

        from cutline.api.choice import control_of, require_context
        from cutline.api.readiness.rehearsing import clean_rehearsals

        project = self.load(region)
        require_context(project, context)
        control = control_of(project)
        return clean_rehearsals(project, control, context, region) if control else {}

    def rehearse_replay(
        self,
        name: str,
        *,
        to: str,
        share: float = 0.01,
        rate: int | None = None,
        group: str | None = None,
        made_by: str | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> ReplayRehearsal:
        """Read and evolve what a replay of `replays` in cutline.yaml would send to the topic `to`,
        publish a share of it into a namespace of its own beside live traffic, measure that, read it
        back, remove it, and file what was measured.

        Whole keys are chosen. Never more is sent, nor faster, than `replays.<name>.rehearsal`
        allows. `group` is one of the live groups of `readiness` or of `topics.throttle`, else all
        are looked at. `say` is
        called with what is done.
        """
        from cutline.api.arguments import require_count, require_share, require_text
        from cutline.api.arguments import require_text_if_given as if_given

        require_text(name=name, to=to)
        if_given(group=group, made_by=made_by)
        require_share(share=share)
        if rate is not None:
            require_count(rate=rate)

        from cutline.api.choice import require
        from cutline.api.readiness.rehearsing import rehearse_replay_records
        from cutline.api.user import user_of_process
        from cutline.control import Control
        from cutline.project import load_shared

        project = load_shared(self.folder)
        require("replay", name, project.file.replays)
        control = Control.open(project.file.control, project.folder)
        with self.session():
            return rehearse_replay_records(
                project,
                control,
                name,
                to,
                share=share,
                rate=rate,
                group=group,
                made_by=made_by or user_of_process(),
                say=say,
            )

    def clean_replay_rehearsals(self, name: str, *, to: str) -> dict[str, int]:
        """Remove what killed rehearsals of replays to a topic left; by namespace, how many topics
        that were."""
        from cutline.api.arguments import require_text

        require_text(name=name, to=to)

        from cutline.api.choice import control_of, require
        from cutline.api.readiness.rehearsing import clean_replay_rehearsals
        from cutline.project import load_shared

        project = load_shared(self.folder)
        require("replay", name, project.file.replays)
        require("destination", to, project.file.replays[name].destinations)
        control = control_of(project)
        return clean_replay_rehearsals(project, control, name, to) if control else {}

    def replay(
        self,
        name: str,
        *,
        to: str,
        since: str | dt.datetime | None = None,
        until: str | dt.datetime | None = None,
        keys: Iterable[str] | None = None,
        types: Iterable[str] | None = None,
        where: str | None = None,
        pass_siblings: bool = False,
        rate: int | None = None,
        dry_run: bool = False,
        plan_anew: bool = False,
        say: Callable[[str], None] = lambda _: None,
    ) -> Replay:
        """Send what a topic or an archive of `replays` in cutline.yaml holds again, each payload
        evolved to the newest version, to the topic `to`, and read it back.

        Of events from `since` on and before `until` (ISO 8601 with a zone), of `keys` and `types`
        where any are named, and for which the SQL `where` is true. What cannot be read or evolved
        is an exception by name, and what comes behind it of the same key waits, unless
        `pass_siblings`. The same call goes on where a killed one was; with `plan_anew` that is
        forgotten, and so is one that is complete and whose destination is gone. With `dry_run`
        nothing is sent. `say` is called with what is done.

        ConfigurationError for a destination that is live, is consumed, or has no owner.
        """
        from cutline.api.arguments import chosen_names, require_count, require_text
        from cutline.api.arguments import require_text_if_given as if_given

        require_text(name=name, to=to)
        if_given(where=where)
        if rate is not None:
            require_count(rate=rate)
        chosen_keys, chosen_types = chosen_names("keys", keys), chosen_names("types", types)

        from cutline.api.choice import require
        from cutline.api.replays import moment_of, replay_records
        from cutline.project import load_shared
        from cutline.replay.request import ReplayRequest

        project = load_shared(self.folder)
        require("replay", name, project.file.replays)
        request = ReplayRequest(
            name=name,
            destination=to,
            begin=moment_of("--from", since),
            end=moment_of("--until", until),
            keys=chosen_keys,
            types=chosen_types,
            where=where,
            pass_siblings=pass_siblings,
            rate=rate,
        )
        with self.session():
            return replay_records(project, request, dry_run=dry_run, plan_anew=plan_anew, say=say)

    def resend(
        self,
        context: str,
        subjects: Iterable[str] = (),
        *,
        region: str,
        to: str,
        aggregate: str | None = None,
        where: str | None = None,
        cluster: str | None = None,
        state: bool = False,
        alone: bool = False,
        run: str | None = None,
        rate: int | None = None,
        dry_run: bool = False,
        again: bool = False,
        say: Callable[[str], None] = lambda _: None,
    ) -> Resend:
        """Send the history of named subjects, or with `state` their newest state, to the topic `to`
        once more, and read it back; from the tables of the newest GO of the slice, or of `run`.

        They are those in `subjects`, or those for whose state the SQL `where` is true, or those of
        a `cluster` of breaks; `aggregate` says whose they are where that is not plain. The wholes
        that they are parts of come before them, unless they are sent `alone`. Who is held back for
        an exception is not sent. The same call goes on where a killed one was, and sends nothing
        where it is complete, unless `again`. With `dry_run` nothing is sent. `say` is called with
        what is done.

        ConfigurationError for a destination that is live, is consumed, or has no owner, and for who
        is not there; ResendRefused (of `cutline.errors.CutlineError`) where no run is GO.
        """
        from cutline.api.arguments import names, require_count, require_text
        from cutline.api.arguments import require_text_if_given as if_given

        require_text(context=context, region=region, to=to)
        if_given(aggregate=aggregate, where=where, cluster=cluster, run=run)
        if rate is not None:
            require_count(rate=rate)

        from cutline.api.choice import require_context
        from cutline.api.resends import resend_subjects
        from cutline.resend.request import ResendRequest

        project = self.load(region)
        require_context(project, context)
        request = ResendRequest(
            context=context,
            region=region,
            destination=to,
            subjects=names("subjects", subjects),
            where=where,
            cluster=cluster,
            aggregate=aggregate,
            state=state,
            alone=alone,
            rate=rate,
        )
        with self.session():
            return resend_subjects(
                project, self.folder, request, run=run, dry_run=dry_run, again=again, say=say
            )

    def blocked_consumers(
        self, group: str, *, topic: str, wait: float = 10.0
    ) -> ResultList[BlockedConsumer]:
        """The partitions of a topic on Kafka on which a consumer group did not move for `wait`
        seconds though there is something to read, with the record that each stands before.

        The group is asked about and never joined. ConfigurationError for topics of files, a topic
        that is not there, and a group that never committed on it.
        """
        from cutline.api.arguments import require_text

        require_text(group=group, topic=topic)

        from cutline.api.blocked import blocked_consumers, group_on_topic
        from cutline.display import ResultList
        from cutline.project import load_shared

        reading = group_on_topic(load_shared(self.folder), group, topic)
        return ResultList(blocked_consumers(reading, wait))

    def park(
        self,
        group: str,
        *,
        topic: str,
        partition: int,
        offset: int,
        owner: str,
        why: str,
        pass_siblings: bool = False,
    ) -> BlockedConsumer:
        """Set aside the record before which a group stands: it is put on `<topic>.parked`, with
        where it stood, who and why, and the group goes on behind it; both or none.

        CutlineError with exit code 1 where the group has members, or later records of its key stand
        behind the record, unless `pass_siblings`. ConfigurationError where the group does not stand
        before the record at that offset.
        """
        from cutline.api.arguments import require_text, require_words

        require_text(group=group, topic=topic)
        require_words(owner=owner, why=why)

        from cutline.api.blocked import group_on_topic, park_record
        from cutline.project import load_shared

        project = load_shared(self.folder)
        return park_record(
            project,
            group_on_topic(project, group, topic),
            partition,
            offset,
            owner=owner,
            why=why,
            pass_siblings=pass_siblings,
        )

    def reconsume(self, group: str, *, topic: str) -> GroupReconsume:
        """A consumer group of Kafka that is to read a part of a topic once more: planned, moved
        back while it is idle, followed until it is where it stood, or put back there."""
        from cutline.api.arguments import require_text

        require_text(group=group, topic=topic)

        from cutline.api.reconsuming import GroupReconsume
        from cutline.project import load_shared

        return GroupReconsume(load_shared(self.folder), self.folder, group, topic)

    def handover(self, group: str, *, topic: str) -> GroupHandover:
        """A consumer group of Kafka whose service gets a handler more, which is given the past of a
        topic while the service goes on: planned, started, followed, given up, finished."""
        from cutline.api.arguments import require_text

        require_text(group=group, topic=topic)

        from cutline.api.handovers import GroupHandover
        from cutline.project import load_shared

        return GroupHandover(load_shared(self.folder), self.folder, group, topic)

    def repair(self, name: str) -> TableRepair:
        """A repair of cutline.yaml: windows of its table computed anew from events, checked, and
        put in place of those that are wrong; put back; and checkpoints to begin from."""
        from cutline.api.arguments import require_text

        require_text(name=name)

        from cutline.api.choice import require
        from cutline.api.repairs import TableRepair
        from cutline.project import load_shared

        project = load_shared(self.folder)
        require("repair", name, project.file.repairs)
        return TableRepair(project, name, self.session)

    def snapshots(self, context: str, *, region: str) -> SliceSnapshots:
        """The snapshots of a slice: taken, listed, dropped, and databases filled anew from them."""
        from cutline.api.arguments import require_text

        require_text(context=context, region=region)

        from cutline.api.choice import require_context
        from cutline.api.snapshots import SliceSnapshots

        require_context(self.load(region), context)
        return SliceSnapshots(context, region, lambda: self.load(region), self.session)

    def rebuild(
        self,
        context: str,
        *,
        region: str,
        into: str,
        max_different: float = 0.0,
        snapshot: str | None = None,
        feed: bool = False,
        say: Callable[[str], None] = lambda _: None,
    ) -> Rebuild:
        """Fill a database of `rebuilds` in cutline.yaml anew, straight from legacy rows.

        What services read there stays as it is until the new version is whole, and then changes in
        one transaction. The rows are compared with what the newest complete run projected, or the
        run of a `snapshot`: where more than `max_different`, a share from 0 to 1 of an aggregate's
        subjects, is not equal, nothing is built. With `feed` the live events since that run are
        applied before services read the rows, and `feed` of this project applies what comes later;
        CutlineError with exit code 1 where no run has the history for it. What was killed begins
        anew. `say` is called with what is done.
        """
        from cutline.api.arguments import require_share, require_text, require_text_if_given

        require_text(context=context, region=region, into=into)
        require_text_if_given(snapshot=snapshot)
        if max_different != 0:
            require_share(max_different=max_different)

        from cutline.api.choice import require, require_context
        from cutline.api.rebuilding import rebuild_slice

        project = self.load(region)
        require_context(project, context)
        require("rebuild", into, project.file.rebuilds)
        with self.session():
            return rebuild_slice(
                project, context, region, into, float(max_different), snapshot, feed, say
            )

    def feed(self, context: str, *, region: str, into: str) -> FedVersion:
        """Apply the live events that came to what services read in a database that was rebuilt to
        be fed; what that came to.

        Each transaction holds rows and positions: a kill loses and doubles nothing.
        ConfigurationError where nothing is there to be fed.
        """
        from cutline.api.arguments import require_text

        require_text(context=context, region=region, into=into)

        from cutline.api.choice import require, require_context
        from cutline.api.rebuilding import feed_rebuilt

        project = self.load(region)
        require_context(project, context)
        require("rebuild", into, project.file.rebuilds)
        with self.session():
            return feed_rebuilt(project, context, region, into)

    def backfills(self) -> Backfills:
        """The queue of backfills that teams ask for: submitted, listed, cancelled, served."""
        from cutline.api.backfills import Backfills
        from cutline.project import load_shared

        return Backfills(lambda: load_shared(self.folder), self.session)

    def client_quotas(self) -> ResultList[ClientQuota]:
        """The client quotas that jobs have set on clusters of Kafka and not removed yet, by cluster
        and client id; with `held_by` null those of ended processes."""
        from cutline.api.quotas import client_quotas
        from cutline.project import load_shared

        return client_quotas(load_shared(self.folder))

    def clean_quotas(self, *, say: Callable[[str], None] = lambda _: None) -> list[str]:
        """Remove the client quotas that ended processes left on the clusters of cutline.yaml, and
        return their client ids. What somebody changed since stays, which `say` is called with.

        RunFailed where a cluster does not answer; the quotas stay recorded.
        """
        from cutline.api.quotas import clean_quotas
        from cutline.project import load_shared

        return clean_quotas(load_shared(self.folder), say)

    def clean(
        self,
        *,
        keep: int,
        context: str | None = None,
        region: str | None = None,
        dry_run: bool = False,
    ) -> ResultList[CleanedRun]:
        """Remove the tables of old runs from the lake; the newest `keep` of each slice stay.

        So does what they, the next run or a promotion rest on: the newest GO, the run that breaks
        are compared with, the newest extract. Of a context or a region, only those. With `dry_run`
        nothing is removed. SliceBusy while another process works on a slice.
        """
        from cutline.api.arguments import require_count, require_text_if_given

        require_count(keep=keep)
        require_text_if_given(context=context, region=region)

        from cutline.api.cleaning import clean_lake

        return clean_lake(self.folder, keep, context, region, dry_run=dry_run)

    def find_run(
        self, run: str | None = None, *, context: str | None = None, region: str | None = None
    ) -> Run:
        """The run whose id is, or begins with, `run`; else the newest one of the slice.

        Context and region may be left out where the project has only one. ConfigurationError for
        what is not there, or does not go together.
        """
        from cutline.api.arguments import require_text_if_given

        require_text_if_given(run=run, context=context, region=region)

        from cutline.api.run import Run
        from cutline.api.runs.choose import choose_run
        from cutline.project import load_shared
        from cutline.run.outcome import outcome_of
        from cutline.run.past import lake_of

        project = load_shared(self.folder)
        record = choose_run(project, self.folder, context, region, run)
        return Run(self, outcome_of(record, lake_of(project, record)))

    def coverage(self, context: str, *, region: str) -> SliceCoverage:
        """What the rules make of every value that is really there. Nothing is recorded.

        Of each column that its contract calls classifying, every value with the rows that have it;
        where a source has changes, the moves from value to value too.
        """
        from cutline.api.arguments import require_text

        require_text(context=context, region=region)

        from cutline.api.choice import require_context

        project = self.load(region)
        require_context(project, context)

        from cutline.api.coverage import slice_coverage

        with self.session():
            return slice_coverage(project, context, region)

    def advise(
        self,
        context: str,
        *,
        region: str,
        needs: Iterable[str],
        horizon: str | dt.timedelta | None = None,
        downtime: str | dt.timedelta | None = None,
        side_effects: bool | None = None,
        archive: bool | None = None,
        replay: str | None = None,
    ) -> Advice:
        """Which way to give the new side of a slice its past is recommended, and why; it may be
        none. Nothing is changed.

        `needs` are of `state`, `sequence`, `read-model` and `facts`. What no table tells may be
        left out, and is then said not to be known: how far back the past matters (`horizon`, such
        as `5y`, `all` or `none`), how long the legacy may stand still (`downtime`, such as `4h` or
        `none`), whether consumers act on what they read (`side_effects`), whether an `archive` has
        the events of the past, and which `replay` of cutline.yaml has events of the context.

        ConfigurationError for files and topics that are not there; RunFailed where Kafka does not
        answer.
        """
        from cutline.api.arguments import names, require_text
        from cutline.api.arguments import require_text_if_given as if_given

        require_text(context=context, region=region)
        if_given(replay=replay)

        from cutline.api.advising import advise_slice, answers_of
        from cutline.api.choice import require_context

        project = self.load(region)
        require_context(project, context)
        answers = answers_of(
            project,
            names("needs", needs),
            horizon=horizon,
            downtime=downtime,
            side_effects=side_effects,
            archive=archive,
            replay=replay,
        )
        with self.session():
            return advise_slice(project, self.folder, context, region, answers)

    def cut(self, context: str, *, region: str) -> SliceCut:
        """Where the cut lines of a slice are drawn, and what that proves or assumes.

        Nothing is read from the sources.
        """
        from cutline.api.arguments import require_text

        require_text(context=context, region=region)

        from cutline.api.choice import require_context

        project = self.load(region)
        require_context(project, context)

        from cutline.api.cut_lines import slice_cut

        return slice_cut(project, context, region)

    def explain(
        self,
        subject: str,
        *,
        aggregate: str | None = None,
        context: str | None = None,
        region: str | None = None,
        run: str | None = None,
        limit: int = 50,
    ) -> SubjectHistory:
        """The whole history of one subject: legacy rows, events, state, truth, decisions, breaks.

        Of the run whose id is, or begins with, `run`; else of the newest one of the slice, whose
        context and region may be left out where the project has only one. `aggregate` says whose
        subject is meant where several have that id. At most `limit` rows of each table are told;
        what contracts and payloads call personal is masked.
        """
        from cutline.api.arguments import require_limit, require_text, require_text_if_given

        require_text(subject=subject)
        require_limit(limit=limit)
        require_text_if_given(aggregate=aggregate)
        require_text_if_given(context=context, region=region, run=run)

        from cutline.api.runs.choose import choose_run
        from cutline.project import load_recorded, load_shared

        record = choose_run(load_shared(self.folder), self.folder, context, region, run)
        project = load_recorded(self.folder, record.region)

        from cutline.api.explain.subject import subject_history

        with self.session():
            return subject_history(project, record, subject, limit, aggregate)

    def explain_cluster(
        self,
        cluster: str,
        *,
        context: str | None = None,
        region: str | None = None,
        run: str | None = None,
        limit: int = 50,
    ) -> ClusterHistory:
        """Of a cluster of breaks, by its id: its cause, what feeds it, and some of its breaks.

        The run is chosen as by `explain`.
        """
        from cutline.api.arguments import require_limit, require_text, require_text_if_given

        require_text(cluster=cluster)
        require_limit(limit=limit)
        require_text_if_given(context=context, region=region, run=run)

        from cutline.api.runs.choose import choose_run
        from cutline.project import load_recorded, load_shared

        record = choose_run(load_shared(self.folder), self.folder, context, region, run)
        project = load_recorded(self.folder, record.region)

        from cutline.api.explain.cluster import cluster_history

        with self.session():
            return cluster_history(project, record, cluster, limit)

    def waive(
        self,
        cluster: str,
        *,
        context: str | None = None,
        region: str | None = None,
        run: str | None = None,
        append: bool = False,
    ) -> WaiverDraft:
        """Draft a waiver for a cluster of breaks, to be filled in by a person.

        With `append` it is put at the end of waivers.yaml. The run is chosen as by `explain`.
        """
        from cutline.api.arguments import require_text, require_text_if_given

        require_text(cluster=cluster)
        require_text_if_given(context=context, region=region, run=run)

        from dataclasses import replace

        from cutline.api.runs.choose import choose_run
        from cutline.project import load_recorded, load_shared

        record = choose_run(load_shared(self.folder), self.folder, context, region, run)
        project = load_recorded(self.folder, record.region)

        from cutline.api.waivers import append_waiver, draft_waiver

        with self.session():
            draft = draft_waiver(project, record, cluster)
        return replace(draft, path=append_waiver(project.folder, draft)) if append else draft

    def profile(
        self, table: str, *, region: str | None = None, hide: Iterable[str] = ()
    ) -> TableProfile:
        """What `SOURCE.TABLE` holds: types, nulls, values, keys, and which times each status has.

        No contract and no translator is needed. The columns of `hide`, and those that an installed
        contract calls personal, are counted and none of their values is shown. Without a region,
        the rows of all are profiled.
        """
        from cutline.api.arguments import names, require_text, require_text_if_given

        require_text(table=table)
        require_text_if_given(region=region)
        hidden = names("hide", hide)

        from cutline.api.profiles import table_profile

        with self.session():
            return table_profile(self.folder, table, region, hidden)

    def new_translator(
        self,
        name: str,
        *,
        context: str,
        tables: Sequence[str],
        region: str | None = None,
        aggregate: Sequence[str] = (),
        key: Sequence[str] = (),
        status: Sequence[str] = (),
        personal: Sequence[str] = (),
        folder: str | Path | None = None,
        in_repo: bool = False,
    ) -> Scaffold:
        """Profile tables and write a translation that works, and decides nothing.

        `tables` are `SOURCE.TABLE`, or `SOURCE.*` for all of a source. What is said of a table
        (whose rows they are, its key, its column of statuses, its columns about people) is
        `"COLUMN"`, `"COLUMN,COLUMN"`, or of one of several tables `"TABLE=COLUMN"`. It is a
        distribution of its own in `folder`, by default ./<name>-translator; with `in_repo` it is
        written into the folders of the Cutline checkout around it. No file is ever overwritten.
        """
        from cutline.api.arguments import names, require_text, require_text_if_given

        require_text(name=name, context=context)
        require_text_if_given(region=region)
        chosen = names("tables", tables, required=True)

        from cutline.api.scaffolding import TableOptions, write_translator

        options = TableOptions(
            names("aggregate", aggregate),
            names("key", key),
            names("status", status),
            names("personal", personal),
        )
        target = None if folder is None else Path(folder)
        with self.session():
            return write_translator(
                name, context, chosen, self.folder, region, options, target, in_repo=in_repo
            )

    def command(self, words: str) -> str:
        """A command to type next, for the same project."""
        from cutline.api.choice import next_command

        return next_command(words, self.folder)

    def _run_slice(
        self,
        context: str,
        region: str,
        stages: Sequence[str],
        master: str | None,
        on_event: OnEvent,
        *,
        advance: bool = False,
        again: bool = False,
    ) -> Run:
        from cutline.api.arguments import names, require_text, require_text_if_given

        require_text(context=context, region=region)
        require_text_if_given(master=master)
        only = names("stages", stages)

        from cutline.api.choice import require_context
        from cutline.api.run import Run

        project = self.load(region).with_master(master)
        require_context(project, context)

        from cutline.api.metrics.sending import send_after_run
        from cutline.api.stages import ADVANCE_STAGES, STAGES
        from cutline.run.base import newest_base, no_base
        from cutline.run.runner import run
        from cutline.spark.session import refuse_other_master

        every, choose_base = (ADVANCE_STAGES, newest_base) if advance else (STAGES, no_base)
        with self.session():
            if master is not None:
                refuse_other_master(master)
            try:
                outcome = run(
                    *(project, context, region, every, only, on_event, choose_base),
                    again=again,
                )
            finally:
                send_after_run(project, self.metrics)
            return Run(self, outcome)

    def __repr__(self) -> str:
        return f"<Project {self.folder.absolute()}>"
