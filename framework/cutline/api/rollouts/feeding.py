"""What feeding a version of a read model came to."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from cutline.feed import VersionFed
from cutline.secrets import document_as_written


@dataclass(frozen=True)
class FedVersion:
    """A version of a read model that was fed as far as the live topics held events.

    `run_id` is the run whose history they were merged with, `records` is how many records were
    read, those of other slices among them, `events` how many events are new to the version, `rows`
    how many rows were written, `ended` how many subjects were ended, `aside` how many records were
    put aside.
    """

    version: int
    run_id: str
    records: int
    events: int
    rows: int
    ended: int
    aside: int

    @property
    def sentence(self) -> str:
        """What it came to, in one sentence."""
        return (
            f"version {self.version}: {self.records:,} records, {self.events:,} new events, "
            f"{self.rows:,} rows written, {self.ended:,} ended, {self.aside:,} put aside"
        )

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """An object of `cutline rollout feed --json`, and the document of `cutline feed --json`."""
        return asdict(self)


def fed_version(fed: VersionFed) -> FedVersion:
    """A version that was fed."""
    done = fed.done
    return FedVersion(
        version=fed.version,
        run_id=fed.run_id,
        records=done.records,
        events=done.events,
        rows=done.rows,
        ended=done.ended,
        aside=done.aside,
    )
