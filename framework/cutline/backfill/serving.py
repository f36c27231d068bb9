"""Working on the queue: one backfill after the other, each within the quota of its team."""

from __future__ import annotations

import contextlib
import datetime as dt
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from cutline.backfill.order import BackfillOrder, refuse_order, section_of
from cutline.control import Backfill, BackfillStatus, Control
from cutline.control.backfills import BackfillTaken
from cutline.errors import ConfigurationError, CutlineError, RunFailed, SliceBusy
from cutline.logs import logger
from cutline.project.loaded import LoadedProject
from cutline.replay.narrowing import narrowed
from cutline.replay.performing import ReplayEnd, ReplayWork, perform_replay
from cutline.replay.request import NOTHING_SENT
from cutline.spark.session import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOG = logger(__name__)

MOST_FAILURES = 3
"""How often a backfill may fail, for a broker, a disk or a file."""
_PAUSES = (dt.timedelta(minutes=1), dt.timedelta(minutes=5))
"""How long one that failed waits until it is begun again, the first time and then."""
_BUSY = dt.timedelta(seconds=10)
"""How long one waits while somebody else sends to its destination."""
_BEAT_SECONDS = 2.0
"""How often its process says that it works on it, and asks whether it is still wanted."""


class BackfillCancelled(RunFailed):
    """Somebody cancelled the backfill while it was worked on."""


class _OverQuota(ConfigurationError):
    """Its team may not send so many records now; `waits` where it may on another day."""

    def __init__(self, records: int, team: str, quota: int) -> None:
        self.waits = records <= quota
        super().__init__(
            f"it would send {records:,} records, and {team} may send {quota:,} in a day",
            left_behind=NOTHING_SENT,
            next_step="Ask for less, or wait until the day's quota has room.",
        )


@dataclass(frozen=True)
class BackfillWork:
    """What backfills are served with. `say` tells people what is done."""

    project: LoadedProject
    control: Control
    say: Callable[[str], None]


def serve_next(work: BackfillWork) -> Backfill | None:
    """Work on the backfill that comes next until it ends, or must wait; how it stands then. None
    where none can be begun now."""
    teams = section_of(work.project).teams
    quotas = {
        name: team.records_per_day
        for name, team in teams.items()
        if team.records_per_day is not None
    }
    claimed = work.control.claim_backfill(quotas)
    if claimed is None:
        return None
    _LOG.info("backfill begun", extra={"number": claimed.number, "team": claimed.team})
    try:
        ended = _performed(work, claimed, quotas.get(claimed.team or ""))
    except BackfillTaken as error:
        work.say(str(error))
        return work.control.backfill(claimed.number)
    _LOG.info("backfill ended", extra={"number": ended.number, "status": ended.status})
    return ended


def _order(work: BackfillWork, claimed: Backfill) -> BackfillOrder:
    """What was asked for. DamagedRow where the queue holds something else."""
    try:
        return BackfillOrder.model_validate(dict(claimed.document))
    except ValidationError as error:
        raise work.control.damaged_order(claimed, error) from None


def _performed(work: BackfillWork, claimed: Backfill, quota: int | None) -> Backfill:
    finish, number = work.control.finish_backfill, claimed.number
    try:
        order = _order(work, claimed)
        # What cutline.yaml says may be another thing than when it was asked for.
        refuse_order(work.project, order, dt.datetime.now(dt.UTC))
        end = _replayed(work, order, claimed, quota)
    except BackfillCancelled as error:
        return finish(number, "cancelled", str(error))
    except _OverQuota as error:
        return finish(number, "queued" if error.waits else "refused", str(error))
    except ConfigurationError as error:
        return finish(number, "refused", str(error))
    except BackfillTaken:
        raise
    except SliceBusy as error:
        # Somebody else sends to its destination: that is no failure of this one.
        return finish(number, "queued", str(error), pause=_BUSY)
    except CutlineError as error:
        return _failed(work, claimed, str(error))
    except Exception as error:  # What Spark or a plugin raises on some row.
        _LOG.warning("backfill failed", exc_info=error, extra={"number": number})
        first_line = str(error).splitlines()[:1]
        return _failed(work, claimed, ": ".join((type(error).__name__, *first_line)))
    return finish(number, "done", None, {"replay": end.id, **end.figures.stored()})


def _failed(work: BackfillWork, claimed: Backfill, reason: str) -> Backfill:
    status: BackfillStatus = "failed"
    pause = None
    if claimed.failures + 1 < MOST_FAILURES:
        status, pause = "queued", _PAUSES[min(claimed.failures, len(_PAUSES) - 1)]
    return work.control.finish_backfill(
        claimed.number, status, reason, pause=pause, has_failed=True
    )


def _replayed(
    work: BackfillWork, order: BackfillOrder, claimed: Backfill, quota: int | None
) -> ReplayEnd:
    def allow(records: int) -> None:
        if not work.control.allow_records(claimed.number, records, quota):
            assert quota is not None
            raise _OverQuota(records, order.team, quota)

    project = narrowed(work.project, order.replay, order.path)
    now = dt.datetime.now(dt.UTC)
    with _watched(session(project.file.spark), work.control, claimed.number) as watch:

        def say(text: str) -> None:
            watch.refuse_cancelled()
            work.say(f"backfill {claimed.number}: {text}")

        replay = ReplayWork(project, work.control, order.request(), now, say, allow)
        return perform_replay(replay)


class _Watch:
    """Says again and again that this process works on a backfill, and ends its work where somebody
    cancelled it."""

    def __init__(self, spark: SparkSession, control: Control, number: int) -> None:
        self._spark, self._control, self._number = spark, control, number
        self._ended = threading.Event()
        self._cancelled_by: str | None = None
        self._thread = threading.Thread(target=self._watch, daemon=True)

    @property
    def group(self) -> str:
        """The name of the group of its jobs in Spark."""
        return f"cutline-backfill-{self._number}"

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._ended.set()
        self._thread.join()

    def refuse_cancelled(self) -> None:
        """BackfillCancelled where somebody cancelled it."""
        if self._cancelled_by is not None:
            raise BackfillCancelled(
                f"{self._cancelled_by} cancelled it while it was worked on",
                left_behind="What was sent stays; the same request goes on from there.",
            )

    def _watch(self) -> None:
        while not self._ended.wait(_BEAT_SECONDS):
            try:
                self._cancelled_by = self._control.beat_backfill(self._number)
            except BackfillTaken:
                return
            except RunFailed as error:
                # The database may answer the next time.
                _LOG.warning("backfill not beaten", extra={"reason": error.what})
                continue
            if self._cancelled_by is not None:
                self._spark.sparkContext.cancelJobGroup(self.group)


_GROUP_PROPERTIES = (
    *("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel"),
)
"""What Spark keeps of the group of jobs that a thread begins."""


@contextlib.contextmanager
def _watched(spark: SparkSession, control: Control, number: int) -> Iterator[_Watch]:
    watch = _Watch(spark, control, number)
    context: Any = spark.sparkContext
    # Whoever calls may have a group of jobs of its own, by which it stops them.
    before = {name: context.getLocalProperty(name) for name in _GROUP_PROPERTIES}
    context.setJobGroup(watch.group, f"backfill {number}", interruptOnCancel=True)
    watch.start()
    try:
        yield watch
    except Exception:
        # A job that was cancelled fails in words of Spark's.
        watch.refuse_cancelled()
        raise
    finally:
        watch.end()
        for name, value in before.items():
            context.setLocalProperty(name, value)
