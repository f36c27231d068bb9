"""What the lake says of a table that was written."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class TableWritten:
    """A table that a stage wrote: its rows and the order-independent digest of all its columns.

    `manifest` is the digest of the list of its files. Other files may hold the same rows, so it
    tells no two results apart; but what is found in the lake must be these. Empty for a table of a
    run that was made before manifests.
    """

    name: str
    rows: int
    digest: str
    manifest: str = field(default="", compare=False)
