"""The comparison of two DataFrames."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from cutline.api.comparison.folder import ComparisonFolder
from cutline.api.comparison.result import ComparisonResult
from cutline.spark.borrowed import borrowed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from cutline_reconciliation.compare import Rules
    from cutline_reconciliation.compare.views import SideDescription


def compare_frames(
    left: DataFrame,
    right: DataFrame,
    key: tuple[str, ...],
    rules: Rules | str | Path | None,
    out: Path | None,
    *,
    examples: bool,
) -> ComparisonResult:
    """The comparison in the DataFrames' session; its views are written to `out`, if given."""
    from cutline_reconciliation.compare import compare
    from cutline_reconciliation.compare.views import document
    from cutline_reconciliation.compare.views import examples as examples_of

    loaded, file = read_rules(rules)
    with contextlib.ExitStack() as ended:
        ended.enter_context(borrowed(left.sparkSession))
        folder = None if out is None else ComparisonFolder(out)
        details = None
        if folder is not None:
            ended.enter_context(folder.prepared())
            scratch = ended.enter_context(tempfile.TemporaryDirectory(prefix="cutline-compare-"))
            details = Path(scratch) / "details"
        counts = compare(
            left, right, key, loaded, details_at=None if details is None else str(details)
        )
        compared = document(
            counts,
            _side("left", left),
            _side("right", right),
            file,
            examples_of(counts.details) if examples or folder is not None else None,
        )
        if folder is not None and details is not None:
            folder.write(compared, details)
            counts = folder.with_details(counts)
    return ComparisonResult(counts, compared)


def read_rules(rules: Rules | str | Path | None) -> tuple[Rules, str | None]:
    """The rules, and their file if they were read from one."""
    from cutline_reconciliation.compare import Rules, load_rules

    if rules is None:
        return Rules(), None
    if isinstance(rules, str | Path):
        return load_rules(Path(rules)), str(rules)
    return rules, None


def _side(name: str, frame: DataFrame) -> SideDescription:
    from cutline_reconciliation.compare.views import SideDescription

    types = dict(frame.dtypes)
    return SideDescription(name, "DataFrame", types, types)
