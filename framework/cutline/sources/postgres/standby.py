"""Which transactions a snapshot of a hot standby shows.

`pg_current_snapshot()` does not say it there: a standby keeps the transactions in progress apart,
and the list of them comes out empty. So each transaction is asked for by itself, before the
snapshot is taken and after it. What was in progress afterwards is not shown; what had ended before
is; what ended in between is neither, and the snapshot is taken again.
"""

from __future__ import annotations

from collections.abc import Callable

from cutline.errors import RunFailed
from cutline.sources.postgres.database import PostgresDatabase, Session

_ATTEMPTS = 50
_MOST_TRANSACTIONS = 1_000_000
_IN_PROGRESS = (
    "SELECT x FROM generate_series(%s::bigint, %s::bigint - 1) AS x"
    " WHERE pg_xact_status(x::text::xid8) = 'in progress'"
)
_BOUNDS = (
    "SELECT pg_snapshot_xmin(s)::text::bigint, pg_snapshot_xmax(s)::text::bigint"
    " FROM pg_current_snapshot() AS s"
)


def visible_on_standby(
    database: PostgresDatabase, session: Session, begin: Callable[[], None]
) -> str:
    """Begins the session's transaction with `begin`, and gives what it sees, as
    `pg_current_snapshot()` of a primary would write it.

    RunFailed where transactions end so fast that no attempt is free of doubt.
    """
    beside = database.session()
    try:
        for _ in range(_ATTEMPTS):
            first, limit = beside.row(_BOUNDS)
            before = _in_progress(beside, first, limit)
            begin()
            xmin, xmax = session.row(_BOUNDS)
            after = _in_progress(session, xmin, xmax)
            doubtful = before.union(range(limit, xmax)) - after
            if not any(xmin <= x < xmax for x in doubtful):
                hidden = ",".join(map(str, sorted(after)))
                return f"{min(after, default=xmax)}:{xmax}:{hidden}"
            session.execute("ROLLBACK")
    finally:
        beside.close()
    raise RunFailed(
        f"{database.shown} applies transactions so fast that {_ATTEMPTS} snapshots in a row were "
        "in doubt about one of them",
        next_step="Run the same command at a quieter time, or read the primary.",
    )


def _in_progress(session: Session, first: int, limit: int) -> set[int]:
    if limit - first > _MOST_TRANSACTIONS:
        raise RunFailed(
            f"{session.database.shown}: a transaction has been in progress for {limit - first:,} "
            "others, too many to ask for each",
            next_step="Run the same command when it has ended, or read the primary.",
        )
    return {x for (x,) in session.rows(_IN_PROGRESS, [first, limit])}
