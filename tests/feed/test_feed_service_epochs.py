"""A service that asks the control database acts on nothing that a run leaves out of history, and,
where it reads late, on all that a run takes."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest
from sqlalchemy import StaticPool, create_engine, insert, update

from cutline.consumer import ControlDatabase, Received
from cutline.consumer.control_rows import CONTROL, LEDGER, ROLLOUTS
from cutline.control import Tenure
from cutline.control.rollouts import Writes
from cutline.feed.admission import Gate
from cutline.feed.offered import OfferedEvent
from cutline.readmodels import FedPartition
from support.consuming import LIVE, Desk, event
from support.recorded import T0

MOVES: tuple[tuple[Writes, str | None, str], ...] = (
    ("legacy", None, "opened"),
    ("held", "claim-epoch", "done"),
    ("new", "flip", "done"),
    ("held", "hold-new", "done"),
    # The move back was taken back.
    ("new", "drain-reverse-feed", "undone"),
    ("held", "hold-new", "done"),
    ("legacy", "flip-back", "done"),
    ("held", "claim-epoch", "done"),
    ("new", "flip", "done"),
)
"""To whom the writes go, by which step, and what the ledger says of it."""
PARTITIONS = 3
SLICE = {"context": "sales", "region": "north"}


@dataclass
class Story:
    """What was written while the writes went to and fro, and what a service did at once.

    A writer may be late, ask for the epoch alone, or tell one that nobody issued.
    """

    rng: random.Random
    tenures: list[Tenure] = field(default_factory=list)
    events: list[OfferedEvent] = field(default_factory=list)
    in_time: set[str] = field(default_factory=set)
    """The events of a writer that had the writes then."""
    handled: set[str] = field(default_factory=set)
    handled_late: set[str] = field(default_factory=set)
    """What a service did that read all of it at the end."""

    def happen(self) -> None:
        """All of it, from the first tenure to the last."""
        control = create_engine(
            "sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False}
        )
        CONTROL.create_all(control)
        desk = Desk()
        service = desk.service(authority=ControlDatabase(control, seconds=0).authority)
        offsets = dict.fromkeys(range(PARTITIONS), 0)
        records: list[Received] = []
        row = SLICE | {"reads": "new", "writes": "legacy", "epoch": 0}
        with control.begin() as connection:
            connection.execute(insert(ROLLOUTS).values(row))
        for epoch, (side, step, event_of_line) in enumerate(MOVES, 1):
            with control.begin() as connection:
                connection.execute(update(ROLLOUTS).values(epoch=epoch, writes=side))
                ends = {LIVE: {str(number): end for number, end in offsets.items()}}
                evidence = {"live_ends": ends} if step in ("flip", "flip-back") else {}
                line = SLICE | {"version": epoch, "event": event_of_line, "evidence": evidence}
                line |= {"epoch": epoch, "writes": side, "step": step}
                connection.execute(insert(LEDGER).values(line))
            if step == "flip-back":
                for place in (2, 4):
                    self.tenures[place] = Tenure("new", place + 1, T0, live_ends=ends)
            self.tenures.append(Tenure(side, epoch, T0))
            for _ in range(self.rng.randint(0, 6)):
                partition = self.rng.randrange(PARTITIONS)
                carried = self.rng.choice([epoch, epoch, self.rng.randint(0, epoch), 99])
                number, offset = len(self.events), offsets[partition]
                offsets[partition] += 1
                name = f"e-{number}"
                if side == "new" and carried == epoch:
                    self.in_time.add(name)
                at = {"partition": partition, "subject": name}
                of_slice = {"migcontext": "sales", "migregion": "north", "migepoch": str(carried)}
                records.append(event(number, offset, **at, **of_slice))
                service.handle(records[-1])
                self.events.append(
                    OfferedEvent(
                        *(LIVE, partition, offset, str(carried), name, "order", name, "s", name),
                        *("{}",),
                        offset=offset,
                    )
                )
        self.handled = set(desk.handled())
        late = Desk()
        service = late.service(authority=ControlDatabase(control).authority)
        for record in records:
            service.handle(record)
        self.handled_late = set(late.handled())

    def admitted(self) -> set[str]:
        """The events that a feed applies which reads all of it at the end, as a run takes them."""
        partitions = {(LIVE, number): FedPartition("", 0, 0) for number in range(PARTITIONS)}
        gate = Gate(partitions, (), (), {LIVE: "order"}, self.tenures, {})
        gate.admit(self.events, [])
        return {event.subject for event in gate.result({}).events}


@pytest.mark.parametrize("seed", range(12))
def test_what_a_service_does_at_once_is_what_its_writer_had_the_right_to(seed: int) -> None:
    story = Story(random.Random(seed))
    story.happen()
    assert story.handled == story.in_time
    assert story.in_time <= story.admitted()
    assert story.handled_late == story.admitted()
