"""The history of one subject, or of one cluster of breaks, in a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cutline import display
from cutline.secrets import document_as_written

if TYPE_CHECKING:
    from cutline.control import RunRecord

TableRow = dict[str, Any]
"""A masked row of a table by its columns, as in JSON; numbers with a fraction are Decimals."""


@dataclass(frozen=True, repr=False)
class SubjectHistory:
    """The rows of a run about one subject; texts are masked as by `cutline show`.

    `aggregate` is the subject's; None where no row has it. `sections` has at most the wanted number
    of rows of each table, in order; `state` and `truth` are by aggregate. `more` is the number of
    further rows, by section.
    """

    subject: str
    aggregate: str | None
    record: RunRecord
    sections: Mapping[str, Sequence[TableRow]]
    state: Mapping[str, TableRow]
    truth: Mapping[str, TableRow]
    more: Mapping[str, int]

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline explain --json`; its names are those of the tables."""
        return {
            "subject": self.subject,
            "aggregate": self.aggregate,
            "context": self.record.context,
            "region": self.record.region,
            "run": self.record.run_id,
            **self.sections,
            "state": self.state,
            "truth": self.truth,
            "more": self.more,
        }

    def __repr__(self) -> str:
        rows = {name: len(rows) for name, rows in self.sections.items() if rows}
        counts = ", ".join(f"{number} {name}" for name, number in rows.items())
        return f"<SubjectHistory {self.subject} in {self.record.run_id}: {counts}>"

    def _repr_html_(self) -> str:
        of = f" of {self.aggregate}" if self.aggregate else ""
        states = {
            "state": [{"aggregate": name, **row} for name, row in self.state.items()],
            "truth": [{"aggregate": name, **row} for name, row in self.truth.items()],
        }
        return display.section(
            f"{self.subject}{of} in {self.record.context} {self.record.region}, "
            f"run {self.record.run_id}",
            *_tables({**self.sections, **states}),
        )


@dataclass(frozen=True, repr=False)
class ClusterHistory:
    """A masked row of `clusters`, its feeding clusters, its breaks, and its feeds.

    Feeds are breaks on which decisions or states depend, and excluded rows and events. There are at
    most the wanted number of each.
    """

    record: RunRecord
    cluster: TableRow
    fed_by: Sequence[TableRow]
    breaks: Sequence[TableRow]
    looks_at: Sequence[TableRow]
    depends_on: Sequence[TableRow]
    put_aside: Sequence[TableRow]

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline explain --cluster … --json`."""
        return {
            "context": self.record.context,
            "region": self.record.region,
            "run": self.record.run_id,
            "cluster": self.cluster,
            "fed_by": self.fed_by,
            "breaks": self.breaks,
            "looks_at": self.looks_at,
            "depends_on": self.depends_on,
            "put_aside": self.put_aside,
        }

    def __repr__(self) -> str:
        return f"<ClusterHistory {self.cluster['cluster']}: {self.cluster['sentence']}>"

    def _repr_html_(self) -> str:
        sections = {
            "fed by": self.fed_by,
            "breaks": self.breaks,
            "breaks that its decisions look at": self.looks_at,
            "breaks that its states depend on": self.depends_on,
            "put aside below it": self.put_aside,
        }
        return display.section(
            f"cluster {self.cluster['cluster']}",
            display.paragraph(self.cluster["sentence"]),
            *_tables(sections),
        )


def _tables(sections: Mapping[str, Sequence[TableRow]]) -> list[str]:
    """A titled table of each section with rows, with the columns of all of them."""
    tables = []
    for name, rows in sections.items():
        columns = tuple(dict.fromkeys(column for row in rows for column in row))
        cells = [[row.get(column) for column in columns] for row in rows]
        if rows:
            tables.append(display.section(name, display.table(columns, cells)))
    return tables
