"""Leases against a model: any order of taking, writing, falling silent, dying and time passing."""

from __future__ import annotations

import datetime as dt
import itertools
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test
from sqlalchemy import Connection

from cutline.control import Control, Holder, Lease, RunKey
from cutline.control import holder as holder_module
from cutline.control import lease as lease_module
from cutline.control.database import Database
from cutline.control.lease import renew_lease
from cutline.errors import RunFailed, SliceBusy

TTL_SECONDS = 30
START = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
WORKERS = st.integers(0, 3)
EXAMPLES = itertools.count()


class ClockedDatabase(Database):
    """A control database whose clock the test sets."""

    moment = START

    def now(self, connection: Connection) -> dt.datetime:
        return self.moment


@dataclass
class Worker:
    """A process: two live in each of two places."""

    place: str
    pid: int
    lease_context: AbstractContextManager[Lease] | None = None
    lease: Lease | None = None


class Leases(RuleBasedStateMachine):
    database: ClockedDatabase
    patch: pytest.MonkeyPatch

    def __init__(self) -> None:
        super().__init__()
        self.region = f"region-{next(EXAMPLES)}"
        self.database.moment = START
        self.control = Control(self.database)
        self.pids = itertools.count(1)
        self.workers = [Worker(f"host {i // 2}", next(self.pids)) for i in range(4)]
        self.alive = {worker.pid for worker in self.workers}
        self.held_ones: list[AbstractContextManager[Lease]] = []
        self.old: list[Lease] = []
        self.writes = itertools.count()
        # The model: who holds the slice, when that worker was last heard of, and how often it
        # was taken.
        self.holder: Worker | None = None
        self.holder_pid = 0
        self.heard = START
        self.epoch = 0

    def be(self, worker: Worker) -> None:
        """The code under test runs in this worker now."""

        def this_process(now: dt.datetime) -> Holder:
            return Holder(worker.place.split()[0], worker.place, worker.pid, 0.0, now, now)

        self.patch.setattr(lease_module, "this_process", this_process)
        self.patch.setattr(holder_module, "process_place", lambda: worker.place)
        self.patch.setattr(holder_module, "_is_running", lambda pid, _: pid in self.alive)

    def may_take(self, worker: Worker) -> bool:
        if self.holder is None:
            return True
        if self.holder.place == worker.place:
            return self.holder_pid not in self.alive
        return self.database.moment - self.heard > dt.timedelta(seconds=TTL_SECONDS)

    @rule(index=WORKERS)
    def take(self, index: int) -> None:
        worker = self.workers[index]
        self.be(worker)
        lease_context = self.control.lease("fulfilment", self.region)
        if not self.may_take(worker):
            with pytest.raises(SliceBusy):
                lease_context.__enter__()
            return
        lease = lease_context.__enter__()
        self.epoch += 1
        assert lease.epoch == self.epoch
        if worker.lease is not None:
            self.old.append(worker.lease)
        self.held_ones.append(lease_context)
        worker.lease_context, worker.lease = lease_context, lease
        self.holder, self.holder_pid, self.heard = worker, worker.pid, self.database.moment

    @rule(index=WORKERS)
    def release(self, index: int) -> None:
        worker = self.workers[index]
        if worker.lease_context is None or worker.lease is None:
            return
        worker.lease_context.__exit__(None, None, None)
        if worker.lease.epoch == self.epoch:
            self.holder = None
        self.held_ones.remove(worker.lease_context)
        self.old.append(worker.lease)
        worker.lease_context = worker.lease = None

    @rule(index=WORKERS)
    def die(self, index: int) -> None:
        """Killed, and started again as another process that holds nothing."""
        worker = self.workers[index]
        self.alive.remove(worker.pid)
        if worker.lease is not None:
            self.old.append(worker.lease)
        worker.pid = next(self.pids)
        self.alive.add(worker.pid)
        worker.lease_context = worker.lease = None

    @rule(seconds=st.sampled_from([1, 20, TTL_SECONDS, TTL_SECONDS + 1]))
    def time_passes(self, seconds: int) -> None:
        self.database.moment += dt.timedelta(seconds=seconds)

    @rule(index=WORKERS)
    def beat(self, index: int) -> None:
        lease = self.workers[index].lease
        if lease is None:
            return
        renew_lease(self.database, lease)
        assert lease.lost == (lease.epoch != self.epoch)
        if lease.epoch == self.epoch:
            self.heard = self.database.moment

    @rule()
    def write(self) -> None:
        """Of all leases there ever were, the one that holds the slice writes."""
        current = self.holder.lease if self.holder is not None else None
        for lease in [*self.old, *(w.lease for w in self.workers if w.lease is not None)]:
            name = f"{self.region}-{next(self.writes)}"
            key = RunKey("fulfilment", self.region, name, {})
            # A dead process writes nothing; if its last write is still under way, it counts.
            if lease.epoch == self.epoch and self.holder is not None:
                assert current in (None, lease)
                self.control.begin(key, START, lease)
                assert self.control.run(name) is not None
            else:
                with pytest.raises(RunFailed):
                    self.control.begin(key, START, lease)
                assert self.control.run(name) is None

    def teardown(self) -> None:
        for lease_context in self.held_ones:
            lease_context.__exit__(None, None, None)


def test_leases_behave_as_the_model_says(
    control: Control, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease_module, "RENEW_SECONDS", 3600.0)

    class LeasesOfControl(Leases):
        database = ClockedDatabase(control.database.address)
        patch = monkeypatch

    limits = settings(
        max_examples=25,
        stateful_step_count=25,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    run_state_machine_as_test(LeasesOfControl, settings=limits)
