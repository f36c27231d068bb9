"""Writers that work on a PostgreSQL database at once, and know exactly what they have committed.

`Workload` starts them. Long transactions straddle whatever happens meanwhile and commit late; others are
rolled back, wholly or to a savepoint; keys change, large values stay as they are, rows are deleted.
All is drawn from a seed, and each order belongs to one writer, so that the end of it is the same each
time; `stock` is written by all of them.
"""

from support.workload.tables import Change, Row, create_tables, stored
from support.workload.workload import Workload
from support.workload.writer import Commit

__all__ = ["Change", "Commit", "Row", "Workload", "create_tables", "stored"]
