"""What an advance has anew: keys of source rows, and subjects; the rest stays as the run before had
it."""

from __future__ import annotations

from cutline.tables.contract import Column, Table
from cutline.tables.event import EVENTS

REPLACED_ROWS = Table(
    name="replaced_rows",
    one_row_is="one key of a source table whose changes were translated anew",
    columns=(
        Column("source", "string", "the legacy system", False),
        Column("table", "string", "the table within the source", False),
        Column("key", "string", "the row's key; null for all rows without one", varied=True),
    ),
)

REPLACED_SUBJECTS = Table(
    name="replaced_subjects",
    one_row_is="one subject whose candidate events were merged anew",
    columns=(
        Column("aggregate", "string", "the aggregate that the subject is one of"),
        Column("subject", "string", "the subject", False, varied=True),
    ),
)

LIVE_EVENTS = Table(
    name="live_events",
    one_row_is="one event of a live topic, as a candidate of the merge",
    columns=EVENTS.columns,
)
