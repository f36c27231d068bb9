"""What a database's chunks prove: that together they are the table, and of which moment."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from cutline.results import ChunkAccount, SourceExtract
from cutline.sources.frozen import snapshot_input
from cutline.sources.mysql import MYSQL_PREFIX, MysqlMoment
from cutline.sources.postgres import PREFIX, Moment
from cutline.wording import counted

_SHOWN = 4


def chunks_prove(extract: SourceExtract) -> str:
    """That every row of a source was read once, in one snapshot: by what, as a sentence.

    The rows of all chunks are as many as the same snapshot counted without them: the extract's
    books have balanced.
    """
    position = _snapshot(extract.position)
    in_mysql = position.startswith(MYSQL_PREFIX)
    visible = MysqlMoment.parse(position).shown if in_mysql else Moment.parse(position).visible
    tables = "; ".join(
        f"{name} {_table(chunks, visible)}" for name, chunks in sorted(extract.chunks.items())
    )
    if in_mysql:
        return (
            "every table was locked for reading while each session took its snapshot "
            f"{visible}, and its chunks have as many rows as it has in that snapshot: {tables}"
        )
    return (
        f"every table was locked against a TRUNCATE before the snapshot {visible} was taken, and "
        f"its chunks have as many rows as it has in that snapshot: {tables}"
    )


def exported_point(positions: Mapping[str, str], source: str) -> str | None:
    """What proves that a run's own snapshot ends at the exported point; null where none was."""
    position = positions.get(snapshot_input(source))
    if position is None:
        return None
    if position.startswith(MYSQL_PREFIX):
        place = MysqlMoment.parse(position).log
        if place is None:
            return None
        return (
            f"the tables were locked for reading at {place} of the binary log, and every session "
            "of the extract took its snapshot there"
        )
    moment = Moment.parse(position)
    if not moment.exact:
        return None
    return (
        f"the snapshot that a slot exported at {moment.lsn}, which every connection of the extract "
        f"imported: each compared what it sees with {moment.visible}"
    )


def _table(chunks: Sequence[ChunkAccount], visible: str) -> str:
    rows = counted(sum(chunk.rows for chunk in chunks), "row")
    if len(chunks) == 1:
        parts = f"{rows} in one chunk"
    else:
        shown = [chunk.condition for chunk in chunks]
        if len(shown) > _SHOWN:
            shown = [*shown[: _SHOWN - 1], "…", shown[-1]]
        parts = f"{rows} in {len(chunks):,} chunks that leave no gap ({' | '.join(shown)})"
    before = sum(chunk.visible != visible for chunk in chunks)
    if before:
        parts += (
            f", of which {before:,} were read before an interruption: nothing has written to them "
            "since"
        )
    return parts


def _snapshot(position: str) -> str:
    """The snapshot's part of a source's position."""
    start = max(position.find(PREFIX), position.find(MYSQL_PREFIX))
    # Another position may follow, and a name or a time in this one may hold a space.
    _, length = json.JSONDecoder().raw_decode(position[position.index("{", start) :])
    return position[start : position.index("{", start) + length]
