"""A cluster of breaks as a story for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cutline.cli.commands.explain.subject import aside_lines, below_lines, break_text

if TYPE_CHECKING:
    from cutline.api import ClusterHistory


def cluster_story(history: ClusterHistory) -> Iterator[str]:
    """The lines that tell of a cluster."""
    record, cluster = history.record, history.cluster
    yield f"cluster {cluster['cluster']}  in {record.context} {record.region}, run {record.run_id}"
    yield f"  {cluster['sentence']}"
    if history.fed_by:
        yield ""
        yield "Fed by"
        yield from (f"  cluster {row['cluster']}: {row['sentence']}" for row in history.fed_by)
    yield ""
    yield "Breaks"
    yield from (f"  {break_text(row, row['subject'])}" for row in history.breaks)
    if (more := cluster["count"] - len(history.breaks)) > 0:
        yield f"  and {more:,} more: ask with a higher --limit"
    below = {
        "Breaks that its decisions look at": below_lines(history.looks_at),
        "Breaks that its states depend on": below_lines(history.depends_on),
        "Put aside below it": aside_lines(history.put_aside),
    }
    for title, lines in below.items():
        listed = list(lines)
        if listed:
            yield ""
            yield title
            yield from (f"  {line}" for line in listed)
