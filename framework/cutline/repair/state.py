"""What must be known of all events before a moment, and the checkpoints that keep it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from cutline.errors import ConfigurationError
from cutline.lake.lake import Lake
from cutline.lake.manifest import Folder
from cutline.lake.plan_file import PlanFile
from cutline.repair.computing import RepairQuery
from cutline.repair.request import UNCHANGED
from cutline.replay.archive_files import PREFIX
from cutline.spark.no_rows import no_rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_FILE = "checkpoint.json"
_STATE = "state"


@dataclass(frozen=True)
class StateQuery:
    """The query of a state, and the columns of its answer with their types."""

    query: RepairQuery
    columns: str

    def at(self, spark: SparkSession, events: DataFrame, earlier: DataFrame | None) -> DataFrame:
        """The state behind some events, by an earlier one; null for that before any event."""
        before = no_rows(spark, self.columns) if earlier is None else earlier
        rows = self.query.rows(spark, {"events": events, "state": before})
        wanted = before.schema
        if [c.lower() for c in rows.columns] != [c.lower() for c in wanted.names]:
            raise ConfigurationError(
                f"{self.query.key}: the query in {self.query.path} gives the columns "
                f"{', '.join(rows.columns)}, and is to give {', '.join(wanted.names)}",
                left_behind=UNCHANGED,
                next_step="Mend the query, or the columns that cutline.yaml says of it.",
            )
        return rows.select(*(F.col(c.name).cast(c.dataType).alias(c.name) for c in wanted))


@dataclass(frozen=True)
class Checkpoint:
    """The state of all events before a `moment`, in the table `place`."""

    moment: dt.datetime
    place: str

    def rows(self, spark: SparkSession) -> DataFrame:
        """Its rows."""
        return spark.read.parquet(self.place)


@dataclass(frozen=True)
class Checkpoints:
    """The checkpoints of a repair in a folder of the lake.

    `made_by` tells what made their states: the query, the upcasters, and which topics these are.
    One that something else made, or whose files were changed, is none. Of one over files it is
    kept which these were, as they grow and change. `say` tells people of one that is not used.
    """

    folder: str
    made_by: str
    say: Callable[[str], None]

    def newest_before(
        self, moment: dt.datetime, outdated: Callable[[str | None, dt.datetime], str | None]
    ) -> Checkpoint | None:
        """The newest checkpoint of a moment or before it; null if there is none. `outdated` says of
        the files that one was made of, and of its moment, why it is no longer true; null if it
        is."""
        for begin in sorted(self._moments(), reverse=True):
            if begin > moment:
                continue
            reason = self._refusal(begin)
            if reason is None:
                reason = outdated(self._made_of(begin), begin)
            if reason is None:
                return self._checkpoint(begin)
            self.say(f"the checkpoint of {begin.isoformat()} is not used: {reason}")
        return None

    def of(self, moment: dt.datetime) -> Checkpoint | None:
        """The checkpoint of a moment; null if there is none."""
        return self._checkpoint(moment) if self._refusal(moment) is None else None

    def keep(self, rows: DataFrame, moment: dt.datetime, made_of: str, attempt: Lake) -> None:
        """Keep the state at a moment, which was made of the source at a position, where none is
        that was. `attempt` is the lake whose lease must still hold."""
        place = self._place(moment)
        files = made_of if made_of.startswith(PREFIX) else None
        if self._refusal(moment) is None and self._made_of(moment) == files:
            return
        lake = Lake(place, attempt.attempt, attempt.check_lease)
        lake.remove(rows.sparkSession)
        lake.remember(rows, _STATE, lambda: None)
        document = {
            "moment": moment.isoformat(),
            "made_by": self.made_by,
            "made_of": files,
            "files": self._digests(place),
        }
        self._file(place).replace(document)

    def _moments(self) -> list[dt.datetime]:
        from pyarrow import fs

        folder = Folder.of(self.folder)
        selector = fs.FileSelector(folder.root, allow_not_found=True)
        names = (info.base_name for info in folder.system.get_file_info(selector))
        return [moment for moment in map(_moment_of, names) if moment is not None]

    def _checkpoint(self, moment: dt.datetime) -> Checkpoint:
        return Checkpoint(moment, f"{self._place(moment)}/{_STATE}")

    def _made_of(self, moment: dt.datetime) -> str | None:
        document = self._file(self._place(moment)).document() or {}
        return document.get("made_of")

    def _refusal(self, moment: dt.datetime) -> str | None:
        place = self._place(moment)
        document = self._file(place).document()
        if document is None:
            return "it is not whole"
        if document.get("moment") != moment.isoformat():
            return f"it has the state of {document.get('moment')}"
        if document.get("made_by") != self.made_by:
            return "another query, other upcasters or other topics made it"
        if document.get("files") != self._digests(place):
            return "its files were changed"
        return None

    def _digests(self, place: str) -> dict[str, str]:
        folder = Folder.of(f"{place}/{_STATE}")
        return {name: folder.digest(name) for name, _, _ in folder.files()}

    def _file(self, place: str) -> PlanFile:
        return PlanFile(place, _FILE, "the checkpoint of the repair", UNCHANGED)

    def _place(self, moment: dt.datetime) -> str:
        return f"{self.folder}/{_name_of(moment)}"


_SECONDS, _MICROSECONDS = "%Y%m%dT%H%M%SZ", "%Y%m%dT%H%M%S.%fZ"


def _name_of(moment: dt.datetime) -> str:
    """How the folder of a moment is named."""
    return moment.strftime(_MICROSECONDS if moment.microsecond else _SECONDS)


def _moment_of(name: str) -> dt.datetime | None:
    """The moment by which a folder is named; null where it is named otherwise."""
    try:
        pattern = _MICROSECONDS if "." in name else _SECONDS
        moment = dt.datetime.strptime(name, pattern).replace(tzinfo=dt.UTC)
    except ValueError:
        return None
    return moment if _name_of(moment) == name else None
