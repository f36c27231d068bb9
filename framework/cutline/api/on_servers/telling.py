"""The live demo: a slice is run, and carried on, while its legacy goes on trading."""

from __future__ import annotations

import datetime as dt
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cutline import display
from cutline.api.demonstration import CONTEXT, EXPECTED, REGION, SAMPLE, write_estate
from cutline.api.on_servers.connect import Connect
from cutline.api.on_servers.database import DemoDatabase
from cutline.api.on_servers.setting import Setting
from cutline.api.on_servers.topics import DemoTopics
from cutline.api.on_servers.trading import Trading
from cutline.api.project import Project
from cutline.api.run import Run
from cutline.errors import ConfigurationError
from cutline.run.progress import Note, OnEvent, ignore_events

if TYPE_CHECKING:
    from cutline.sample import LivePlaces, LiveSample, Sample

_HISTORY = dt.timedelta(minutes=50)
"""Up to then all is history. Events are recorded as of the cut, and a broker refuses records that
are dated more than an hour ahead."""
_LEAST_LEFT = dt.timedelta(minutes=5)
_BETWEEN = 5
"""How many transactions there are at least before each run."""


@dataclass(frozen=True, repr=False)
class LiveDemoResult:
    """The runs of a live demo, in their order, and what happened meanwhile."""

    folder: Path
    first: Run
    """By the first translation, while orders arrived."""
    second: Run
    """By the second translation, while orders arrived."""
    advanced: Run
    """What came since, while orders arrived."""
    last: Run
    """What came since, once no more orders arrived: nothing is owed a comparison."""
    arrived: int
    """How many orders of the slice arrived while this command ran."""
    moved: int
    """How many transactions changed orders that were there."""
    announced: int
    """How many events the new side told meanwhile."""
    topics: Mapping[str, int]
    """The records on each topic with exceptions, breaks, history or native events."""

    @property
    def as_expected(self) -> bool:
        """Whether the decisions are NO-GO, then GO for all that follows."""
        runs = (self.first, self.second, self.advanced, self.last)
        return tuple(run.decision for run in runs) == (*EXPECTED, EXPECTED[1], EXPECTED[1])

    @property
    def project(self) -> Project:
        """The project on the servers."""
        return Project(self.folder)

    def __repr__(self) -> str:
        return (
            f"<LiveDemoResult {self.folder}: {self.arrived} orders arrived, {self.last.decision}>"
        )

    def _repr_html_(self) -> str:
        runs = (self.first, self.second, self.advanced, self.last)
        return display.section(f"live demo in {self.folder}", *(run._repr_html_() for run in runs))


def live_demo(
    folder: str | Path,
    *,
    postgres: str,
    kafka: str,
    connect: str,
    name: str = "retail_demo",
    orders: int = 1_000,
    seed: int = 7,
    rate: float = 2.0,
    on_event: OnEvent = ignore_events,
) -> LiveDemoResult:
    """Put the sample's legacy on servers, and run its slice while orders go on arriving there.

    `postgres` is the URL of a database whose user may make others and read by replication, with
    `${NAME}` or `${file:PATH}` for its password; `kafka` are brokers that take clients without
    security; `connect` is the URL of Kafka Connect with Debezium, to which the password is sent.
    `name` is that of the database, the connector, the slot and the publication that are made, and
    what the names of all topics begin with. `rate` is how many transactions the legacy commits
    in a second. The slice is run by both translations as in `demo`, and then carried on twice, the
    second time when no more orders arrive.

    The same call goes on with what is there. `clean_live_demo` removes it. ConfigurationError where
    a server does not answer, where something of that name is there that this demo has not made, and
    where its cut has passed.
    """
    from cutline.plugins import choose_sample

    folder = Path(folder)
    if orders < 100 or seed < 0 or rate <= 0:
        raise ConfigurationError(
            "A live demo has at least 100 orders, a seed of at least 0 and a rate of more than 0, "
            f"not {orders}, {seed} and {rate}."
        )
    sample = choose_sample(SAMPLE)
    live = sample.live
    assert live is not None
    setting = _setting(folder, name, postgres, kafka, connect)
    database, topics = DemoDatabase(setting, folder), DemoTopics(setting.kafka, setting.name)
    worker = Connect(setting.connect)
    database.check()
    topics.check(empty=Setting.of(folder) is None)
    worker.check()

    write_estate(folder, sample, orders, seed, on_event, live=True)
    setting.keep(folder)
    places = _place_estate(folder, live, setting, database, topics, worker, on_event)
    on_event(Note(f"orders arrive: {rate:g} transactions a second from now on"))
    runs: list[Run] = []
    with Trading(live.trade(places, folder, seed), rate, places.cut) as trading:
        for carry_on in _runs_meanwhile(folder, sample, on_event):
            trading.wait_for((len(runs) + 1) * _BETWEEN)
            # What a run has read of the log says which of the truth's answers are late.
            database.wait_until_sent()
            runs.append(carry_on())
            if len(runs) == 1:
                on_event(Note("the ERP moves orders and their stock as well from now on"))
                trading.let_move()
    on_event(Note("the legacy commits no more; Kafka gets the last of it"))
    database.wait_until_sent()
    last = Project.open(folder).advance(CONTEXT, region=REGION, on_event=on_event)
    trade = trading.trade
    return LiveDemoResult(
        folder,
        first=runs[0],
        second=runs[1],
        advanced=runs[2],
        last=last,
        arrived=len(trade.arrived[REGION]),
        moved=trade.moved,
        announced=trade.announced,
        topics=topics.counts(_to_look_at(topics.names())),
    )


def _runs_meanwhile(
    folder: Path, sample: Sample, on_event: OnEvent
) -> tuple[Callable[[], Run], ...]:
    def run(major: int) -> Run:
        sample.choose_major(folder, major)
        return Project.open(folder).run(CONTEXT, region=REGION, on_event=on_event)

    def advance() -> Run:
        return Project.open(folder).advance(CONTEXT, region=REGION, on_event=on_event)

    return lambda: run(1), lambda: run(2), advance


def _setting(folder: Path, name: str, postgres: str, kafka: str, connect: str) -> Setting:
    """That of the demo in the folder, or a new one; ConfigurationError if it is elsewhere."""
    setting = Setting.of(folder)
    if setting is None:
        return Setting.new(name, postgres, kafka, connect)
    if not setting.is_at(name, postgres, kafka, connect):
        raise ConfigurationError(
            f"The live demo in {folder} is named {setting.name}, on --postgres {setting.postgres} "
            f"--kafka {setting.kafka} --connect {setting.connect}.",
            next_step="Name the same, choose another folder with --dir DIR, or remove it: "
            f"{_cleaned_by(folder)}.",
        )
    return setting


def _cleaned_by(folder: Path) -> str:
    """The command that removes the live demo of a folder."""
    return f"cutline demo --live --dir {shlex.quote(str(folder))} --clean"


def _place_estate(
    folder: Path,
    live: LiveSample,
    setting: Setting,
    database: DemoDatabase,
    topics: DemoTopics,
    worker: Connect,
    on_event: OnEvent,
) -> LivePlaces:
    """Put the estate on the servers, but for what is there; where it is."""
    from cutline.sample import LivePlaces

    def at(cut: dt.datetime) -> LivePlaces:
        address = database.address
        return LivePlaces(setting.name, setting.url, address, setting.kafka, cut)

    now = dt.datetime.now(dt.UTC).replace(microsecond=0)
    if database.is_loaded:
        places = at(_cut_of(folder))
        if places.cut - now < _LEAST_LEFT:
            raise ConfigurationError(
                f"The cut of the live demo in {folder} is {places.cut:%Y-%m-%d %H:%M} UTC: what is "
                "committed later is no history of its slice.",
                next_step=f"Remove it, and begin anew: {_cleaned_by(folder)}.",
            )
    else:
        on_event(Note(f"making database {setting.name} at {database.shown}"))
        # A connector of an attempt that was interrupted would hold the slot.
        worker.remove(setting.name)
        with database.making(live.tables):
            places = at(now + _HISTORY)
            live.load(places, folder)
            live.write_project(folder, places)
    by_table = dict.fromkeys(live.tables, 1)
    topics.make(by_table | {"transaction": 1} | dict.fromkeys(live.live_topics, live.partitions))
    on_event(Note(f"connector {setting.name} of Kafka Connect at {setting.connect}"))
    worker.configure(setting.name, database.connector(live.tables, setting.name))
    database.wait_for_slot()
    return places


def _cut_of(folder: Path) -> dt.datetime:
    from cutline.project import load

    cut = load(folder, REGION).file.contexts[CONTEXT].cut
    moment = getattr(cut, "at", None)
    assert isinstance(moment, dt.datetime)
    return moment


def _to_look_at(topics: list[str]) -> list[str]:
    endings = (".exceptions", ".breaks", ".synthetic", ".live")
    return [topic for topic in topics if topic.endswith(endings)]
