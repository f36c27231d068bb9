"""Windows of one length over event time, which follow each other from 1970 on."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cutline.project.repair import RepairSection

if TYPE_CHECKING:
    from pyspark.sql import Column

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICRO = dt.timedelta(microseconds=1)


@dataclass(frozen=True)
class Windows:
    """Windows of a `size`; each is closed when `lateness` has passed after its end."""

    size: dt.timedelta
    lateness: dt.timedelta

    @classmethod
    def of(cls, section: RepairSection) -> Windows:
        """Those of a repair."""
        return cls(section.size, section.lateness)

    def start_of(self, moment: dt.datetime) -> dt.datetime:
        """Where the window of a moment begins."""
        return moment - (moment - _EPOCH) % self.size

    def begins_at(self, moment: dt.datetime) -> bool:
        """Whether a window begins at a moment."""
        return self.start_of(moment) == moment

    def newest_closed(self, now: dt.datetime) -> dt.datetime:
        """The end of the newest window that is closed."""
        return self.start_of(now - self.lateness)

    def start_column(self, time: Column) -> Column:
        """Where the window of a timestamp begins, as a timestamp."""
        from pyspark.sql import functions as F

        micros, size = F.unix_micros(time), self.size // _MICRO
        return F.timestamp_micros(micros - F.pmod(micros, F.lit(size)))

    def is_late(self, time: Column, arrived: Column) -> Column:
        """Whether an event came when its window was closed; one of which nobody knows when it came
        did not."""
        from pyspark.sql import functions as F

        wait = (self.size + self.lateness) // _MICRO
        closed_at = F.unix_micros(self.start_column(time)) + F.lit(wait)
        return F.coalesce(F.unix_micros(arrived) >= closed_at, F.lit(False))
