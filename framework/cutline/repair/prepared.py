"""A repair that is found in order: its queries, its table, and where its events come from."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException, ParseException

from cutline.control import Control
from cutline.errors import ConfigurationError
from cutline.project.loaded import LoadedProject
from cutline.project.repair import RepairSection
from cutline.project.replay import ReplaySection
from cutline.repair.computing import WINDOW, RepairQuery, empty_events
from cutline.repair.database import RepairDatabase
from cutline.repair.dependents import look_for_dependents
from cutline.repair.output import OutputTable, opened_output
from cutline.repair.plan import RepairShelf
from cutline.repair.reading import WindowReading
from cutline.repair.request import UNCHANGED, RepairRequest, refuse_request
from cutline.repair.spot_checks import SpotCheck, spot_checks
from cutline.repair.state import Checkpoints, StateQuery
from cutline.repair.windows import Windows
from cutline.replay.destination import refuse_target, source_refused
from cutline.replay.request import ReplayRequest
from cutline.replay.shelf import digest_of, request_digest
from cutline.replay.source import ReplayedSource
from cutline.replay.upcasting import UpcasterChain, chains_of
from cutline.spark.no_rows import no_rows
from cutline.spark.session import session
from cutline.wording import first_line

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class RepairWork:
    """What a repair is done with. `clock` gives the moment, with a zone; `say` tells people what is
    done."""

    project: LoadedProject
    control: Control
    request: RepairRequest
    clock: Callable[[], dt.datetime]
    say: Callable[[str], None]

    @property
    def key(self) -> str:
        """Where the repair is in cutline.yaml."""
        return f"repairs.{self.request.name}"


@dataclass(frozen=True)
class PreparedRepair:
    """What a repair is done by. `events_digest` is over how its records become events."""

    section: RepairSection
    replay: ReplaySection
    windows: Windows
    query: RepairQuery
    state: StateQuery | None
    output: OutputTable
    reading: WindowReading
    chains: Mapping[str, UpcasterChain]
    events_digest: str
    shelf: RepairShelf
    spot_checks: Sequence[SpotCheck]

    @property
    def topic(self) -> str:
        """The topic of corrections, which must be declared."""
        assert self.section.corrections is not None
        return self.section.corrections

    @property
    def control_span(self) -> dt.timedelta:
        """How long before the repaired windows the computed ones begin."""
        return self.section.control * self.section.size

    def checkpoints(self, position: str, say: Callable[[str], None]) -> Checkpoints:
        """The checkpoints of the state, which must be declared, over the source of a position."""
        assert self.state is not None
        spans = [self.windows.size.total_seconds(), self.windows.lateness.total_seconds()]
        made_by = digest_of(
            [
                [self.state.query.sql, self.state.columns],
                self.events_digest,
                spans,
                self.reading.identity(position),
            ]
        )
        return Checkpoints(self.shelf.checkpoints, made_by, say)


def prepare_repair(work: RepairWork) -> PreparedRepair:
    """The repair that is asked for. ConfigurationError for what is wrong in cutline.yaml, in the
    request, in the queries, or in the table."""
    project, request = work.project, work.request
    section = project.file.repairs[request.name]
    replay = project.file.replays[section.replay]
    windows = Windows.of(section)
    refuse_request(request, windows, work.clock())
    query = RepairQuery.read(project, section.query, f"{work.key}.query")
    state = None
    if section.state is not None:
        state_key = f"{work.key}.state.query"
        state_query = RepairQuery.read(project, section.state.query, state_key)
        state = StateQuery(state_query, section.state.columns)
    output = output_of(project, request.name)
    if section.size % output.window.finest:
        raise ConfigurationError(
            f"{work.key}.size: two windows of {section.size} may have one value in column "
            f"{section.output.window} of {output.label}",
            left_behind=UNCHANGED,
            next_step=f"Mend the size, or name another column as {work.key}.output.window.",
        )
    if not request.corrections:
        look_for_dependents(output)
    _refuse_corrections(work, section, replay)
    rows = () if request.spot_checks is None else spot_checks(request.spot_checks, output)
    for check in rows:
        if check.window < request.begin - section.control * section.size:
            raise ConfigurationError(
                f"--spot-checks {request.spot_checks}, line {check.line}: window "
                f"{check.window.isoformat()} is before those that are computed",
                left_behind=UNCHANGED,
                next_step="Mend the file.",
            )
    _try_queries(session(project.file.spark), query, state, output)
    chains = chains_of(replay.upcasters, f"replays.{section.replay}.upcasters")
    events_digest = request_digest(replay, ReplayRequest(section.replay, ""), chains)
    declared = section.model_dump(mode="json", exclude={"pace", "output"})
    queries = [query.sql, state and state.query.sql]
    parts = [declared, output.live.fullname, list(output.columns), events_digest, queries]
    shelf = RepairShelf(project.lake, request.name, digest_of([*parts, request.chosen()]))
    source = ReplayedSource(project, replay, f"replays.{section.replay}.source")
    return PreparedRepair(
        section=section,
        replay=replay,
        windows=windows,
        query=query,
        state=state,
        output=output,
        reading=WindowReading(source, section, section.replay),
        chains=chains,
        events_digest=events_digest,
        shelf=shelf,
        spot_checks=rows,
    )


def output_of(project: LoadedProject, name: str) -> OutputTable:
    """The table of a repair of cutline.yaml. Raises what `opened_output` says."""
    section, key = project.file.repairs[name].output, f"repairs.{name}.output"
    database = RepairDatabase(section, project.folder, key)
    return opened_output(database, section, name, key)


def _refuse_corrections(work: RepairWork, section: RepairSection, replay: ReplaySection) -> None:
    if not work.request.corrections:
        return
    topic, key = section.corrections, f"replays.{section.replay}"
    if topic is None:
        raise ConfigurationError(
            f"{work.key} names no topic for corrections",
            left_behind=UNCHANGED,
            next_step=f"Declare {work.key}.corrections, one of {key}.destinations.",
        )
    refuse_target(work.project, replay, topic, key)
    if topic in (replay.source.topics or ()):
        raise source_refused(topic)


def _try_queries(
    spark: SparkSession, query: RepairQuery, state: StateQuery | None, output: OutputTable
) -> None:
    """ConfigurationError unless the queries can be asked, and give the columns that they are to."""
    inputs = {"events": empty_events(spark)}
    if state is not None:
        inputs["state"] = _empty_state(spark, state)
        state.at(spark, inputs["events"], None)
    rows = query.rows(spark, inputs)
    columns = rows.columns
    names = {WINDOW if n == output.section.window else n for n in output.columns}
    lacking, needless = sorted(names - set(columns)), sorted(set(columns) - names)
    if lacking or needless or len(columns) != len(set(columns)):
        fault = f"lacks {lacking[0]}" if lacking else f"has {(needless or columns)[0]} too much"
        raise ConfigurationError(
            f"{query.key}: the answer of the query in {query.path} {fault}; it is to have "
            f"{', '.join(sorted(names))}",
            left_behind=UNCHANGED,
            next_step=f"Mend the query; columns of the table that it cannot give are named in "
            f"{output.key}.ignored.",
        )
    kind = rows.schema[WINDOW].dataType.simpleString()
    if kind not in ("timestamp", "timestamp_ntz"):
        raise ConfigurationError(
            f"{query.key}: the query in {query.path} gives {WINDOW} as {kind}, and it is a "
            "timestamp",
            left_behind=UNCHANGED,
            next_step=f"Let it give {WINDOW} of its events as it is.",
        )


def _empty_state(spark: SparkSession, state: StateQuery) -> DataFrame:
    try:
        return no_rows(spark, state.columns)
    except (AnalysisException, ParseException) as error:
        reason = first_line(error)
        raise ConfigurationError(
            f"{state.query.key.removesuffix('query')}columns: {state.columns!r} are no columns: "
            f"{reason}",
            left_behind=UNCHANGED,
            next_step="Write them such as: product string, total decimal(18,2)",
        ) from error
