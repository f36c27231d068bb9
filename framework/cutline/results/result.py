"""What every stage hands on: rows, tables and named books."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from cutline.lake.written import TableWritten
from cutline.results.model import ResultModel

_OF_EVERY_STAGE = ("rows_in", "rows_out", "tables", "counts")


class StageResult(ResultModel):
    """What a stage did. The model of each stage adds what later stages need to know of it."""

    stage: ClassVar[str] = ""
    """The stage whose result it is; empty for one that hands on nothing more than this."""

    rows_in: int
    """Rows that the stage read."""
    rows_out: int
    """Rows that the stage wrote, of the tables that it is for."""
    tables: tuple[TableWritten, ...] = ()
    """The tables that the stage wrote."""
    counts: Mapping[str, Mapping[str, int]] = {}
    """Named books, such as {"dispositions": {"translated": 12}}."""
    unexplained: int = 0
    """Rows and events without an end: anything but zero stops the run."""

    def stored(self) -> dict[str, Any]:
        """The result as JSON values; under `facts` is what the model of the stage adds."""
        fields = self.model_dump(mode="json", by_alias=True)
        facts = {name: value for name, value in fields.items() if name not in _OF_EVERY_STAGE}
        return {**{name: fields[name] for name in _OF_EVERY_STAGE}, "facts": facts}

    def files_beside(self) -> Mapping[str, str]:
        """The SHA-256 of each file that the stage left beside its tables, by its name in the run's
        folder."""
        return {}
