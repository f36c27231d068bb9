"""The comparison of two tables: two DataFrames in, a `Comparison` out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from pyspark.sql import DataFrame, Observation

from cutline.errors import ConfigurationError
from cutline_reconciliation.compare.columns.no_instant import watched
from cutline_reconciliation.compare.columns.pair import Pair
from cutline_reconciliation.compare.counts.details import Details, details
from cutline_reconciliation.compare.counts.differing import differing
from cutline_reconciliation.compare.counts.multiset import unlike
from cutline_reconciliation.compare.counts.observed import counted, seen
from cutline_reconciliation.compare.counts.totals import totals
from cutline_reconciliation.compare.plan import plan
from cutline_reconciliation.compare.result import ColumnResult, Comparison
from cutline_reconciliation.compare.rules import Rules
from cutline_reconciliation.compare.sides import sides

_NO_RULES = Rules()


def compare(
    left: DataFrame,
    right: DataFrame,
    key: Sequence[str],
    rules: Rules | None = None,
    *,
    details_at: str | None = None,
) -> Comparison:
    """Compare two tables by key, value by value, whatever their order and partitions.

    `key` are columns as the left side calls them. Columns that both sides have are compared; the
    rest is listed, and makes the tables differ unless `rules` ignore it. See `forms` for what is
    the same without a rule, and `Rules` for what can be forgiven.

    Two Spark jobs: one brings keys and digests of rows together and puts each key into a class; one
    reads again, of rows that are not alike, the columns that differ and compares them by value; see
    `differing` for when one more is needed. With `details_at`, a folder, it reads whole rows, and
    writes the details there as Parquet; otherwise they are computed when somebody reads them, and
    no second job is needed where no two rows of a key differ. One more compares duplicated keys,
    and rows without a key, as multisets, where there are any.

    ConfigurationError, naming what is wrong, before any row is read: for a key that is missing or
    of unlike types, for a rule of a column that is not there, for types that cannot be compared,
    or for a session whose time zone is not UTC, or whose arithmetic is not ANSI's; and after the
    first job where a rule gives times a zone in which one of them is no instant, or two.
    """
    _refuse_session(left)
    rules = rules or _NO_RULES
    one, other = sides(left, right, key, rules)
    asked = plan(one.frame, other.frame, key, rules)
    left_rows, refuse_left = watched(one.frame, asked, "left")
    right_rows, refuse_right = watched(other.frame, asked, "right")
    found = totals(left_rows, right_rows, asked)
    refuse_left()
    refuse_right()
    counts = found.counts
    doubled, nameless = unlike(one.frame, other.frame, asked, found)
    rest = sum(counts[n] for n in _TO_LOOK_AT) + counts["pairs"] - counts["alike"]
    looked: Mapping[str, int] = {}
    make_details: Callable[[], DataFrame] | None = None
    if rest:
        drill_down = partial(details, one.frame, other.frame, asked, found)
        if details_at is None:
            looked = differing(one.frame, other.frame, asked, found)
            make_details = partial(_rows, drill_down)
        else:
            looked, make_details = _written(drill_down(), details_at)
    changed = looked.get("changed", 0)
    rows_left, rows_right = (
        counts["pairs"] + counts[f"only_{s}"] + counts[f"duplicated_rows_{s}"]
        + counts[f"null_keys_{s}"]
        for s in ("left", "right")
    )  # fmt: skip
    return Comparison(
        key=tuple(key),
        rows_left=rows_left,
        rows_right=rows_right,
        filtered_left=one.left_out(),
        filtered_right=other.left_out(),
        matched=counts["pairs"] - changed,
        forgiven=looked.get("forgiven", 0),
        changed=changed,
        only_left=counts["only_left"],
        only_right=counts["only_right"],
        duplicate_keys_left=counts["duplicate_keys_left"],
        duplicate_keys_right=counts["duplicate_keys_right"],
        duplicated_rows_left=counts["duplicated_rows_left"],
        duplicated_rows_right=counts["duplicated_rows_right"],
        null_keys_left=counts["null_keys_left"],
        null_keys_right=counts["null_keys_right"],
        duplicate_keys_unlike=doubled,
        null_keys_unlike=nameless,
        columns={
            pair.name: _column(i, pair, counts["pairs"], looked)
            for i, pair in enumerate(asked.columns)
        },
        columns_only_left=asked.only_left,
        columns_only_right=asked.only_right,
        ignored=rules.ignore,
        make_details=make_details,
    )


_TO_LOOK_AT = ("only_left", "only_right", "duplicate_keys", "null_keys_left", "null_keys_right")


def _rows(drill_down: Callable[[], Details]) -> DataFrame:
    made = drill_down()
    # Somebody may have set another zone since, in which they would not be what was compared.
    _refuse_session(made.looked_at)
    return made.rows(made.looked_at)


def _written(asked: Details, place: str) -> tuple[Mapping[str, int], Callable[[], DataFrame]]:
    counts = [column.alias(name) for name, column in asked.counts.items()]
    observed = Observation()
    rows = asked.rows(asked.looked_at.observe(observed, *counts))
    rows.write.mode("overwrite").parquet(place)
    told = seen(observed, lambda: counted(asked.looked_at, asked.counts))
    reader = rows.sparkSession.read.schema(rows.schema)
    return told, partial(reader.parquet, place)


def _column(i: int, pair: Pair, compared: int, looked: Mapping[str, int]) -> ColumnResult:
    return ColumnResult(
        compared=compared,
        different=looked.get(f"{i}/changed", 0),
        within_tolerance=looked.get(f"{i}/forgiven", 0),
        forgiven_by={rule: looked.get(f"{i}/{rule}", 0) for rule in pair.rules},
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
