"""The result of a comparison of two tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cutline import display
from cutline.secrets import document_as_written

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from cutline_reconciliation.compare import Comparison


@dataclass(frozen=True, repr=False)
class ComparisonResult:
    """The counts of a comparison, and the document from which all views are made.

    `document` also has the places, the rules and a few examples.
    """

    counts: Comparison
    document: Mapping[str, Any]

    @property
    def equal(self) -> bool:
        """Whether both sides have the same rows and columns, apart from forgiven differences."""
        return self.counts.equal

    @property
    def details(self) -> DataFrame | None:
        """One row per key with a difference; see `Comparison.details`.

        None where there is none. For tables that are no DataFrames, details are kept in the folder
        `out` only: None without one.
        """
        return self.counts.details

    @property
    def verdict(self) -> str:
        """`EQUAL` or `DIFFERENT`."""
        return "EQUAL" if self.equal else "DIFFERENT"

    @property
    def title(self) -> str:
        """The two tables and the key, in a phrase."""
        from cutline_reports.comparison import title

        return title(self.document)

    @property
    def sentence(self) -> str:
        """The reason in one sentence: everything that makes the tables differ, or that nothing
        does.
        """
        from cutline_reports.comparison import sentence

        return sentence(self.document)

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline compare --json`."""
        return dict(self.document)

    def as_html(self) -> str:
        """One page with verdict, classes, columns and examples, which needs no network."""
        from cutline_reports.comparison import as_html

        return as_html(self.as_json())

    def as_junit(self) -> str:
        """A JUnit document with a test case per class and per column."""
        from cutline_reports.comparison import as_junit

        return as_junit(self.as_json())

    def __repr__(self) -> str:
        return f"<ComparisonResult {self.verdict.lower()}: {self.sentence}>"

    def _repr_html_(self) -> str:
        counts = self.counts
        rows = [
            ["matched", counts.matched, counts.matched],
            ["changed", counts.changed, counts.changed],
            ["only on one side", counts.only_left, counts.only_right],
            ["duplicated", counts.duplicated_rows_left, counts.duplicated_rows_right],
            ["null in the key", counts.null_keys_left, counts.null_keys_right],
            ["all", counts.rows_left, counts.rows_right],
        ]
        columns = [
            [name, column.different, column.within_tolerance, column.compared]
            for name, column in counts.columns.items()
            if column.different or column.within_tolerance
        ]
        names = ("column", "different", "forgiven", "compared")
        return display.section(
            f"{self.verdict}  {self.title}",
            display.paragraph(self.sentence),
            display.table(("rows", "left", "right"), rows),
            *([display.table(names, columns)] if columns else []),
        )
