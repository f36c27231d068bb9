"""The result of a comparison of two runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cutline import display
from cutline.secrets import document_as_written


@dataclass(frozen=True, repr=False)
class RunComparison:
    """What differs between two runs of a slice, as one document; personal values are masked.

    `page` is the HTML file, where one was written into a site.
    """

    document: Mapping[str, Any]
    page: Path | None = None

    @property
    def equal(self) -> bool:
        """Whether both runs have the same events, states and breaks."""
        from cutline_reports.site import runs_are_alike

        return runs_are_alike(self.document)

    @property
    def sentence(self) -> str:
        """The differences in one sentence."""
        from cutline_reports.site import comparison_sentence

        return comparison_sentence(self.document)

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline compare-runs --json`."""
        return dict(self.document)

    def __repr__(self) -> str:
        left, right = (self.document[side]["run_id"] for side in ("left", "right"))
        return f"<RunComparison {left} {right}: {self.sentence}>"

    def _repr_html_(self) -> str:
        names = ("kind", "name", "alike", "changed", "removed", "added")
        rows = [[part[name] for name in names] for part in self.document["parts"]]
        return display.section(self.sentence, display.table(names, rows))
