"""What feeding a slice came to."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from cutline.feed import VersionFed
from cutline.secrets import document_as_written


@dataclass(frozen=True)
class FedVersion:
    """A version of the read model that was fed as far as the live topics held events.

    `records` is how many records were read, those of other slices among them, `events` how many
    events are new to the version, `rows` how many rows were written, `ended` how many subjects
    were ended, `aside` how many records were put aside.
    """

    version: int
    run_id: str
    records: int
    events: int
    rows: int
    ended: int
    aside: int

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """An object of `cutline rollout feed --json`."""
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
