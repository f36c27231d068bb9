"""The convergence certificate: what a run can prove of itself, what it assumes, what is broken."""

from __future__ import annotations

from cutline.tables.contract import Column, Table

CERTIFICATE = Table(
    name="certificate",
    one_row_is="one obligation of the run, for one source or for all of it",
    columns=(
        Column("obligation", "string", "O1 to O9", False),
        Column("says", "string", "what must hold, in words", False),
        Column("source", "string", "the source; null for the whole run"),
        Column("status", "string", "proven | held | assumed | violated", False),
        Column("by", "string", "the figures that prove it, who assumed it, or where it is broken"),
    ),
    rules=("every obligation is there at least once; a violated one fails the run",),
)
