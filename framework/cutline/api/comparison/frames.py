"""The comparison of two DataFrames."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from cutline.api.comparison.folder import ComparisonFolder
from cutline.api.comparison.result import ComparisonResult
from cutline.errors import ConfigurationError
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
    as_text: frozenset[str],
    out: Path | None,
    *,
    examples: bool,
) -> ComparisonResult:
    """The comparison in the DataFrames' session; its views are written to `out`, if given.

    ConfigurationError if they are of two sessions, or if the session lacks what Cutline needs.
    """
    from cutline_reconciliation.compare import compare
    from cutline_reconciliation.compare.columns.texts import with_texts
    from cutline_reconciliation.compare.views import document
    from cutline_reconciliation.compare.views import examples as examples_of

    loaded, file = read_rules(rules)
    with contextlib.ExitStack() as ended:
        ended.enter_context(borrowed(left.sparkSession))
        _refuse_two_sessions(left, right)
        left_side, right_side = with_texts(left, right, as_text, loaded.rename)
        folder = None if out is None else ComparisonFolder(out)
        details = None
        if folder is not None:
            ended.enter_context(folder.prepared())
            scratch = ended.enter_context(tempfile.TemporaryDirectory(prefix="cutline-compare-"))
            details = Path(scratch) / "details"
        details_at = None if details is None else str(details)
        counts = compare(left_side, right_side, key, loaded, details_at=details_at)
        compared = document(
            counts,
            _side("left", left, left_side),
            _side("right", right, right_side),
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


def _refuse_two_sessions(left: DataFrame, right: DataFrame) -> None:
    if left.sparkSession._jsparkSession != right.sparkSession._jsparkSession:
        raise ConfigurationError(
            "The two DataFrames are of two Spark sessions, whose settings may differ.",
            next_step="Make both in one session.",
        )


def _side(name: str, frame: DataFrame, compared: DataFrame) -> SideDescription:
    from cutline_reconciliation.compare.views import SideDescription

    return SideDescription(name, "DataFrame", dict(frame.dtypes), dict(compared.dtypes))
