"""What came out of a run, and the JSON document that others script against."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from cutline.control.records import RunRecord, StageRecord
from cutline.errors import EXIT_GOOD, EXIT_NO_GO
from cutline.lake.lake import Lake
from cutline.results import ExtractResult, ReportResult
from cutline.secrets import document_as_written


@dataclass(frozen=True)
class RunOutcome:
    """A run as it stands now.

    `lake` is the run's folder, `report` the HTML file in it (None until the report is made), both
    absolute or a URL. `already_complete` says that nothing had to be done, `report_sha256` what is
    in the report, `overtaken_by` which run of other inputs was begun later, is complete, and
    stands for the slice: None where there is none, and of a run that was not performed.
    """

    record: RunRecord
    lake: str
    report: str | None
    already_complete: bool = False
    report_sha256: str | None = None
    overtaken_by: str | None = None

    @property
    def exit_code(self) -> int:
        """1 for NO-GO, else 0; a run that has not decided yet is no failure."""
        return EXIT_NO_GO if self.record.decision == "no-go" else EXIT_GOOD

    @property
    def unexplained(self) -> int:
        """Rows and events without an end, over all stages that are done."""
        return sum(result.unexplained for result in self.record.results().values())

    def book(self, name: str) -> dict[str, int]:
        """One book, such as `dispositions`, summed over stages; empty if not kept yet."""
        return self.record.book(name)

    def outcomes(self) -> dict[str, dict[str, int]]:
        """How often each class of agreement was found, by outcome."""
        return self.record.outcomes()

    def watermarks(self) -> dict[str, dt.datetime]:
        """By source, the commit time of its newest change, in UTC where it tells no zone."""
        return self.record.watermarks()

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline run --json`. Keys may be added to it, none may go.

        `overtaken_by` is there only where another run stands for the slice.
        """
        record = self.record
        overtaken = {} if self.overtaken_by is None else {"overtaken_by": self.overtaken_by}
        return {
            "run_id": record.run_id,
            "context": record.context,
            "slice": record.region,
            "status": record.status,
            "decision": record.decision,
            "decided_by": record.decided_by,
            "unexplained": self.unexplained,
            "stages": [
                {
                    "name": stage.name,
                    "seconds": stage.seconds,
                    "rows_in": stage.rows_in,
                    "rows_out": stage.rows_out,
                    "digest": stage.digest,
                }
                for stage in self._done_results()
            ],
            "read": self.read(),
            "dispositions": self.book("dispositions"),
            "verdicts": self.book("verdicts"),
            "exceptions": self.book("exceptions"),
            "findings": self.book("findings"),
            "breaks": self.book("breaks"),
            "outcomes": self.outcomes(),
            "report": self.report,
            "report_sha256": self.report_sha256,
            "lake": self.lake,
            **overtaken,
        }

    def read(self) -> dict[str, Any]:
        """By source, what its inputs hold: of each table's, and the lines of its change files."""
        extracted = self.record.result_of(ExtractResult)
        return {
            source: {
                "tables": {
                    table: [dict(sorted(account.as_json().items())) for account in accounts]
                    for table, accounts in extract.read.items()
                },
                "changes": dict(extract.lines),
            }
            for source, extract in (extracted.extracts.items() if extracted else ())
        }

    def _done_results(self) -> list[StageRecord]:
        return [stage for stage in self.record.stages if stage.status == "done"]


def outcome_of(
    record: RunRecord,
    lake: Lake,
    *,
    already_complete: bool = False,
    overtaken_by: str | None = None,
) -> RunOutcome:
    """The outcome of a run as its record and its lake tell it; nothing is read of the lake."""
    report = record.result_of(ReportResult)
    if report is None:
        return RunOutcome(record, lake.root, None, already_complete, overtaken_by=overtaken_by)
    name = report.report
    path, digest = lake.path(name), report.files.get(name)
    return RunOutcome(record, lake.root, path, already_complete, digest, overtaken_by)
