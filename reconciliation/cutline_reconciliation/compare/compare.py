"""The comparison of two tables: two DataFrames in, a `Comparison` out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from pyspark.sql import DataFrame, Observation

from cutline.errors import ConfigurationError
from cutline.spark.observed import collect_counts, observed_counts
from cutline_reconciliation.compare.columns.pair import ColumnPair
from cutline_reconciliation.compare.counts.column_differences import count_differences
from cutline_reconciliation.compare.counts.drill_down import DrillDown, drill_down
from cutline_reconciliation.compare.counts.key_totals import count_keys
from cutline_reconciliation.compare.counts.multiset import count_unlike
from cutline_reconciliation.compare.lost_times import observe_lost_times
from cutline_reconciliation.compare.plan import plan_comparison
from cutline_reconciliation.compare.result import ColumnResult, Comparison
from cutline_reconciliation.compare.rules import Rules
from cutline_reconciliation.compare.sides import (
    ignored_columns,
    marked_kinds,
    prepare_sides,
)

_NO_RULES = Rules()


def compare(
    left: DataFrame,
    right: DataFrame,
    key: Sequence[str],
    rules: Rules | None = None,
    *,
    details_at: str | None = None,
) -> Comparison:
    """Compare two tables by key, value by value, independent of order and partitions.

    `key` are names of columns on the left side. Columns of both sides are compared; the others are
    listed, and make the tables different unless `rules` ignore them. `columns.forms` defines
    equality without rules, `Rules` what can be forgiven.

    There are two Spark jobs. The first joins keys and digests of rows, and puts each key into a
    class. The second reads the differing columns of unlike rows, and compares them by value;
    `counts.column_differences` says when it needs one more job. With `details_at`, a folder, the
    second job reads whole rows and writes the details there as Parquet. Without it, details are
    computed when they are read, and the second job is left out where no rows differ. A further job
    compares duplicated keys and rows with a null key as multisets, where there are any.

    ConfigurationError, before any row is read, for a key that is missing or of unlike types, a rule
    of a missing column, types that cannot be compared, or a session without UTC or ANSI mode; and
    after the first job for times that a rule's zone skips or shows twice.
    """
    _refuse_session(left)
    rules = rules or _NO_RULES
    rules = rules.model_copy(update={"ignore": ignored_columns(left, rules)})
    left_side, right_side = prepare_sides(left, right, key, rules)
    marked = marked_kinds(left_side, right_side)
    planned = plan_comparison(left_side.frame, right_side.frame, key, rules, marked)
    left_rows, refuse_left = observe_lost_times(left_side.frame, planned, "left")
    right_rows, refuse_right = observe_lost_times(right_side.frame, planned, "right")
    keys = count_keys(left_rows, right_rows, planned)
    refuse_left()
    refuse_right()
    counts = keys.counts
    unlike_keys, unlike_rows = count_unlike(left_side.frame, right_side.frame, planned, keys)
    to_look_at = sum(counts[n] for n in _TO_LOOK_AT) + counts["pairs"] - counts["alike"]
    tally: Mapping[str, int] = {}
    make_details: Callable[[], DataFrame] | None = None
    if to_look_at:
        details_later = partial(drill_down, left_side.frame, right_side.frame, planned, keys)
        if details_at is None:
            tally = count_differences(left_side.frame, right_side.frame, planned, keys)
            make_details = partial(_details_rows, details_later)
        else:
            tally, make_details = _write_details(details_later(), details_at)
    changed = tally.get("changed", 0)
    rows_left, rows_right = (
        counts["pairs"] + counts[f"only_{s}"] + counts[f"duplicated_rows_{s}"]
        + counts[f"null_keys_{s}"]
        for s in ("left", "right")
    )  # fmt: skip
    return Comparison(
        key=tuple(key),
        rows_left=rows_left,
        rows_right=rows_right,
        filtered_left=left_side.left_out(),
        filtered_right=right_side.left_out(),
        matched=counts["pairs"] - changed,
        forgiven=tally.get("forgiven", 0),
        changed=changed,
        only_left=counts["only_left"],
        only_right=counts["only_right"],
        duplicate_keys_left=counts["duplicate_keys_left"],
        duplicate_keys_right=counts["duplicate_keys_right"],
        duplicated_rows_left=counts["duplicated_rows_left"],
        duplicated_rows_right=counts["duplicated_rows_right"],
        null_keys_left=counts["null_keys_left"],
        null_keys_right=counts["null_keys_right"],
        duplicate_keys_unlike=unlike_keys,
        null_keys_unlike=unlike_rows,
        columns={
            pair.name: _column(i, pair, counts["pairs"], tally)
            for i, pair in enumerate(planned.columns)
        },
        columns_only_left=planned.only_left,
        columns_only_right=planned.only_right,
        ignored=rules.ignore,
        make_details=make_details,
    )


_TO_LOOK_AT = ("only_left", "only_right", "duplicate_keys", "null_keys_left", "null_keys_right")


def _details_rows(drill_down: Callable[[], DrillDown]) -> DataFrame:
    details_of = drill_down()
    # With another session zone, set since, the details would not be those of the comparison.
    _refuse_session(details_of.looked_at)
    return details_of.rows(details_of.looked_at)


def _write_details(
    details_of: DrillDown, path: str
) -> tuple[Mapping[str, int], Callable[[], DataFrame]]:
    counts = [column.alias(name) for name, column in details_of.counts.items()]
    observed = Observation()
    rows = details_of.rows(details_of.looked_at.observe(observed, *counts))
    rows.write.mode("overwrite").parquet(path)
    tally = observed_counts(
        observed, lambda: collect_counts(details_of.looked_at, details_of.counts)
    )
    reader = rows.sparkSession.read.schema(rows.schema)
    return tally, partial(reader.parquet, path)


def _column(i: int, pair: ColumnPair, compared: int, tally: Mapping[str, int]) -> ColumnResult:
    return ColumnResult(
        compared=compared,
        different=tally.get(f"{i}/changed", 0),
        within_tolerance=tally.get(f"{i}/forgiven", 0),
        forgiven_by={rule: tally.get(f"{i}/{rule}", 0) for rule in pair.rules},
    )


def _refuse_session(frame: DataFrame) -> None:
    conf = frame.sparkSession.conf
    if str(conf.get("spark.sql.ansi.enabled")).lower() != "true":
        raise ConfigurationError(
            "the Spark session's arithmetic is not ANSI's, so that a sum that overflows is null",
            next_step='Set it before: spark.conf.set("spark.sql.ansi.enabled", "true")',
        )
    zone = conf.get("spark.sql.session.timeZone")
    if zone not in ("UTC", "Etc/UTC", "Z", "+00:00"):
        raise ConfigurationError(
            f"the Spark session's time zone is {zone}, in which two instants can look the same",
            next_step='Set it before: spark.conf.set("spark.sql.session.timeZone", "UTC")',
        )
