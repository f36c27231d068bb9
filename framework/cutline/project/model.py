"""The whole of cutline.yaml."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, SecretStr, model_validator

from cutline.project.backfill import BackfillSection
from cutline.project.base import Section
from cutline.project.context import ContextSection
from cutline.project.handover import HandoverSection
from cutline.project.lineage import LineageSection
from cutline.project.names import Identifier, RegionName, Slug
from cutline.project.readiness import ReadinessSection
from cutline.project.rebuild import RebuildSection
from cutline.project.region import Region
from cutline.project.repair import RepairName, RepairSection
from cutline.project.replay import ReplaySection
from cutline.project.resend import ResendSection
from cutline.project.rollout import RolloutSection, StatesDatabase
from cutline.project.source import Source
from cutline.project.spark import SparkSection
from cutline.project.telemetry import TelemetrySection
from cutline.project.topics import TopicsSection
from cutline.tables.change import changes_name


class ProjectFile(Section):
    """A project: which legacy systems, which contexts and regions, and where things are kept.

    Paths are relative to the folder of cutline.yaml. `${NAME}` anywhere in a value is taken from
    the environment, `${file:PATH}` from a file; `$${` is a literal `${`. A path that begins with
    `${NAME}` is relative to the current folder.
    """

    version: Literal[1]
    """The version of this file's format."""
    name: Slug
    """The project's name."""
    lake: str = "lake"
    """Where tables are written: a folder, or any path that Spark can write."""
    control: SecretStr = SecretStr("sqlite:///control.db")
    """SQLAlchemy URL of the control database. A password in it must come from `${NAME}` or
    `${file:PATH}`, as it is: it is encoded for the URL here."""
    topics: TopicsSection
    """Where events, exceptions and breaks are sent."""
    sources: dict[Identifier, Source]
    """The legacy systems, by the name that contracts use."""
    contexts: dict[Identifier, ContextSection] = Field(default_factory=dict)
    """The bounded contexts, by the name of their plugin. There may be none yet: sources can be
    profiled before anybody knows what they mean."""
    regions: dict[RegionName, Region] = Field(min_length=1)
    """The regions, each a slice of every context."""
    spark: SparkSection = SparkSection()
    """The Spark session."""
    rollout: RolloutSection = RolloutSection()
    """How slices are rolled out, and where services read them."""
    readiness: dict[Identifier, ReadinessSection] = Field(default_factory=dict)
    """What must be known before a slice is switched, by context. Where it is declared, a red gate
    refuses the switch."""
    replays: dict[Slug, ReplaySection] = Field(default_factory=dict)
    """What may be replayed, by a name for it: retained topics and archives."""
    repairs: dict[RepairName, RepairSection] = Field(default_factory=dict)
    """Tables of windows that may be computed anew from the events of a replay, by a name for it."""
    resends: dict[Identifier, ResendSection] = Field(default_factory=dict)
    """Where the history or the state of named subjects may be sent again, by context."""
    rehydrations: dict[Slug, StatesDatabase] = Field(default_factory=dict)
    """Databases that services have the states of a slice written into anew, by a name for each."""
    rebuilds: dict[Slug, RebuildSection] = Field(default_factory=dict)
    """Databases that are filled with states straight from legacy rows, by a name for each."""
    handovers: dict[str, HandoverSection] = Field(default_factory=dict)
    """Services whose added handler is given the past of a topic, by their consumer group."""
    backfills: BackfillSection | None = None
    """Who may ask `cutline serve` for backfills; left out, nobody."""
    lineage: LineageSection | None = None
    """Where OpenLineage events of runs go; left out, there are none."""
    telemetry: TelemetrySection | None = None
    """Whether runs are traced and numbers sent by OpenTelemetry; left out, nothing is."""

    @model_validator(mode="after")
    def _tables_differ(self) -> Self:
        tables: dict[str, str] = {}
        for source, section in self.sources.items():
            for table in section.tables:
                name = changes_name(source, table)
                namesake = tables.setdefault(name, f"{source}.{table}")
                if namesake != f"{source}.{table}":
                    raise ValueError(
                        f"sources: {namesake} and {source}.{table} would both be kept as {name}; "
                        "rename one of the sources"
                    )
        return self

    @model_validator(mode="after")
    def _sections_are_of_contexts(self) -> Self:
        for key, names in (("readiness", self.readiness), ("resends", self.resends)):
            for name in names:
                if name not in self.contexts:
                    raise ValueError(f"{key}: {name} is none of `contexts`")
        return self

    @model_validator(mode="after")
    def _repairs_have_events(self) -> Self:
        for name, repair in self.repairs.items():
            replay = self.replays.get(repair.replay)
            if replay is None:
                raise ValueError(f"repairs.{name}.replay: {repair.replay} is none of `replays`")
            if replay.translator is not None:
                raise ValueError(
                    f"repairs.{name}.replay: {repair.replay} has a translator, and a repair "
                    "computes over events as they stand: declare a replay of that source without "
                    "one"
                )
            if repair.corrections not in (None, *replay.destinations):
                raise ValueError(
                    f"repairs.{name}.corrections: topic {repair.corrections} is none of "
                    f"replays.{repair.replay}.destinations"
                )
        return self

    @model_validator(mode="after")
    def _live_records_are_on_kafka(self) -> Self:
        for name, context in self.contexts.items():
            on_kafka = context.live.kafka is not None or self.topics.kind == "kafka"
            if context.live.records is not None and not on_kafka:
                raise ValueError(
                    f"contexts.{name}.live.records is for topics on Kafka: say where they are by "
                    f"contexts.{name}.live.kafka"
                )
        return self

    @model_validator(mode="after")
    def _release_topics_can_be_made(self) -> Self:
        if not self.rollout.release_topics:
            return self
        if self.topics.kind == "kafka" and self.topics.create == "never":
            raise ValueError(
                "rollout.release_topics: each release has topics of its own, and topics.create is "
                "never; set it to missing"
            )
        for region in self.regions:
            if "" in region.split("."):
                raise ValueError(
                    f"rollout.release_topics: region {region} cannot be a part of a topic's name"
                )
        return self

    @model_validator(mode="after")
    def _trial_region_is_none(self) -> Self:
        writes = self.rollout.legacy_writes
        if writes is None or writes.trial_region is None:
            return self
        # A database may take two texts for equal that differ in case, or in spaces behind them.
        trial = writes.trial_region.strip().casefold()
        for region in self.regions:
            if region.casefold() == trial:
                raise ValueError(
                    f"rollout.legacy_writes.trial_region: {region} is one of `regions`, whose "
                    "writes a rehearsal must not refuse; name one that is none"
                )
        return self
