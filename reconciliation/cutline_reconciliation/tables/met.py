"""Two tables brought to meet: what has no types is read in the types of the other side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.errors import ConfigurationError, did_you_mean
from cutline.sources.files import for_spark
from cutline_reconciliation.compare.names import named
from cutline_reconciliation.compare.numbers import digits
from cutline_reconciliation.compare.values import text as text_of
from cutline_reconciliation.tables.columns import SourceColumn, meet
from cutline_reconciliation.tables.cut import broken_records
from cutline_reconciliation.tables.fetched import BROKEN, Fetched, Rows
from cutline_reconciliation.tables.place import Place
from cutline_reconciliation.tables.reading import value
from cutline_reconciliation.truth.typed import comparable_type

_SHOWN = 60
_FRACTION = r"\.(\d*[1-9])"
_TOLD = 5


@dataclass(frozen=True)
class Side:
    """One side, ready to be compared."""

    frame: DataFrame
    columns: Mapping[str, SourceColumn]
    """As the source has them."""
    notes: tuple[str, ...]
    """What a reader of the result should know of how it was read."""


@dataclass(frozen=True)
class Wishes:
    """What somebody said of how columns are to be read; the left side's names.

    `pairs` are the columns of the right that the left's are compared with, where they are called
    otherwise; `local_left` and `local_right` those whose times have no zone on that side, because a
    rule declares one; `as_text` those that are compared as texts on both sides. In these three `*`
    stands for all. `own` are those that keep their own type, whatever they meet, because a rule
    says which value of one side stands for which of the other.
    """

    key: Sequence[str]
    pairs: Mapping[str, str]
    local_left: frozenset[str] = frozenset()
    local_right: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    as_text: frozenset[str] = frozenset()


def met(
    spark: SparkSession, left: Fetched, right: Fetched, wishes: Wishes, scratch: str
) -> tuple[Side, Side]:
    """Both sides with columns that can be compared; texts are read once, into `scratch`.

    ConfigurationError if a record cannot be read, or if a value is none of the type in which it is
    to be read: each column is told, with a count and an example.
    """
    sides = left.rows(spark), right.rows(spark)
    _known(wishes, sides[0], left.place)
    named_right = {r: n for n, r in wishes.pairs.items()}
    pairs = {n: wishes.pairs.get(n, n) for n in sides[0].columns}
    pairs = {n: r for n, r in pairs.items() if r == wishes.pairs.get(n) or r not in named_right}
    meeting = {n: r for n, r in pairs.items() if n not in wishes.own}
    kinds = meet(sides[0].columns, sides[1].columns, meeting)
    back = {r: n for n, r in pairs.items()}
    one = _side(sides[0], left.place, kinds[0], {n: n for n in kinds[0]}, wishes, f"{scratch}/left")
    two = _side(sides[1], right.place, kinds[1], back, wishes, f"{scratch}/right")
    return one, two


def _known(wishes: Wishes, left: Rows, place: Place) -> None:
    for name in wishes.as_text - {"*"}:
        if name not in left.columns:
            raise ConfigurationError(
                f"--as-text {name}: {place.shown} has no such column."
                + did_you_mean(name, left.columns),
                next_step=f"It has: {', '.join(left.columns)}.",
            )


def _side(
    rows: Rows,
    place: Place,
    kinds: Mapping[str, T.DataType],
    called: Mapping[str, str],
    wishes: Wishes,
    scratch: str,
) -> Side:
    """`called` says what the left side calls each column, for those that it has."""
    texts = {n for n in kinds if "*" in wishes.as_text or called.get(n) in wishes.as_text}
    if not rows.texts:
        chosen = [
            (text_of(named(n), k) if n in texts else named(n)).alias(n) for n, k in kinds.items()
        ]
        return Side(rows.frame.select(*chosen) if texts else rows.frame, rows.columns, rows.notes)
    zoneless = wishes.local_left if place.side == "left" else wishes.local_right
    local = {n for n in kinds if "*" in zoneless or called.get(n) in zoneless}
    wanted = {
        n: T.StringType() if n in texts else _zoneless(k) if n in local else k
        for n, k in kinds.items()
    }
    wide = {
        n: comparable_type(k) if n not in texts and called.get(n) not in wishes.key else k
        for n, k in wanted.items()
    }
    frame = _read(rows.frame, place, wanted, wide, called, scratch)
    return Side(frame, rows.columns, rows.notes)


def _zoneless(kind: T.DataType) -> T.DataType:
    return T.TimestampNTZType() if isinstance(kind, T.TimestampType) else kind


def _read(
    texts: DataFrame,
    place: Place,
    kinds: Mapping[str, T.DataType],
    wide: Mapping[str, T.DataType],
    called: Mapping[str, str],
    scratch: str,
) -> DataFrame:
    """The texts' values, written once; what cannot be read is counted in that very pass.

    Numbers are read with room for digits that their kind lacks (`wide`), and keep it only where it
    is needed: half a cent is a difference, and no defect.
    """
    names = list(kinds)
    marks = [BROKEN] if BROKEN in texts.columns else []
    read = texts.select(
        *(value(n, wide[n]).alias(f"v{i}") for i, n in enumerate(names)),
        *(named(n).alias(f"t{i}") for i, n in enumerate(names)),
        *marks,
    )
    seen = Observation()
    asked = [F.count(F.lit(1)).alias("rows")]
    for i, name in enumerate(names):
        wrong = F.col(f"t{i}").isNotNull() & F.col(f"v{i}").isNull()
        asked.append(F.count_if(wrong).alias(f"n{i}"))
        shown = F.substring(f"t{i}", 1, _SHOWN)
        asked.append(F.min(F.when(wrong, shown)).alias(f"e{i}"))
        if wide[name] != kinds[name]:
            fits = F.col(f"v{i}").try_cast(kinds[name]).eqNullSafe(F.col(f"v{i}"))
            fraction = F.regexp_extract(F.col(f"v{i}").cast("string"), _FRACTION, 1)
            asked.append(F.max(F.when(~fits, F.length(fraction))).alias(f"w{i}"))
    if marks:
        asked += [F.count(BROKEN).alias("broken"), F.min(BROKEN).alias("first")]
    kept = read.observe(seen, *asked).select(
        *(F.col(f"v{i}").alias(n) for i, n in enumerate(names))
    )
    kept.write.parquet(scratch)
    told = seen.get
    if told.get("broken"):
        raise broken_records(place, told["broken"], told["first"])
    wrong_columns = {
        n: (told[f"n{i}"], told[f"e{i}"]) for i, n in enumerate(names) if told[f"n{i}"]
    }
    if wrong_columns:
        raise _wrong(place, kinds, wrong_columns, called)
    stored = texts.sparkSession.read.schema(kept.schema).parquet(for_spark(scratch))
    last = {n: _last(kinds[n], wide[n], told.get(f"w{i}")) for i, n in enumerate(names)}
    return stored.select(*(named(n).cast(last[n]).alias(n) for n in names))


def _last(kind: T.DataType, wide: T.DataType, fraction: int | None) -> T.DataType:
    """The type that the values turned out to need: `fraction` digits after the point, if any."""
    if fraction is None or not isinstance(wide, T.DecimalType):
        return kind
    known = digits(kind)
    scale = max(fraction, known.scale if known else 0)
    return T.DecimalType(wide.precision - wide.scale + scale, scale)


def _wrong(
    place: Place,
    kinds: Mapping[str, T.DataType],
    wrong: Mapping[str, tuple[int, str]],
    called: Mapping[str, str],
) -> ConfigurationError:
    said = list(_sayings(kinds, wrong))
    more = f"; and so in {len(said) - _TOLD} more columns" if len(said) > _TOLD else ""
    names = ",".join(called.get(n, n) for n in list(wrong)[:_TOLD])
    instants = [n for n in wrong if isinstance(kinds[n], T.TimestampType)]
    zone = (
        f" A rule may declare the zone of {', '.join(instants)}, where its times have none."
        if instants
        else ""
    )
    return ConfigurationError(
        f"{place.side}: {place.shown} has " + "; ".join(said[:_TOLD]) + more,
        next_step=f"Mend the values, or compare them as texts: --as-text {names}.{zone}",
    )


def _sayings(
    kinds: Mapping[str, T.DataType], wrong: Mapping[str, tuple[int, str]]
) -> Iterator[str]:
    for name, (count, example) in wrong.items():
        values = "1 value" if count == 1 else f"{count:,} values"
        verb = "is" if count == 1 else "are"
        such = "" if count == 1 else "such as "
        told = kinds[name].simpleString()
        yield f"{values} in column {name} that {verb} no {told}: {such}{example!r}"
