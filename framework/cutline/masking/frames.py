"""The tables of a run with personal values masked, as people may see and ask for them.

Texts of JSON are masked by the same Python as in the report: this is for looking at a few rows, no
part of a run.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.context.state import HISTORY_COLUMNS
from cutline.masking.masking import Masking
from cutline.masking.texts import MASK
from cutline.tables.breaks import OUTCOME
from cutline.tables.clusters import CLUSTERS

_IMAGES = ("before", "after")
_OF_STATE = ("state_", "truth_")
_TEXTS = ("payload", "data")
_TEXT_COLUMNS = ("pattern", "cause", "why", "sentence")
_SUBJECTS = ("subject", "partitionkey")
_KEYS: Mapping[str, tuple[str, str]] = {
    "key": ("source", "table"),
    "old_key": ("source", "table"),
    "migsrckey": ("migsrcsystem", "migsrctable"),
    "by_key": ("by_source", "by_table"),
}


def masked_table(frame: DataFrame, name: str, masking: Masking) -> DataFrame:
    """The table with the mask in place of each personal value that is not null.

    Of a changes table without a contract, every column of an image is taken to be personal. A row
    as it was read (`payload` of a change) cannot be masked by column, so it is masked as a whole.
    """
    frame = _keys(frame, masking)
    if name.startswith("changes_"):
        return _changes(frame, name, masking)
    if name.startswith(_OF_STATE):
        return _states(frame, name.split("_", 1)[1], masking)
    if name == CLUSTERS.name and not masking.contracts_known:
        frame = frame.withColumns({c: _mask(F.col(c)) for c in _TEXT_COLUMNS})
    if "legacy" in frame.columns and "column" in frame.columns:
        frame = _breaks(frame, masking)
    frame = _subjects(frame, _aggregate(frame), masking)
    # Whose subject a whole is, its part's row does not say.
    frame = _subjects(frame, F.lit(None).cast("string"), masking, ("whole",))
    if "by_name" in frame.columns:
        frame = _subjects(frame, F.col("by_name"), masking, ("by_subject",))
    return _texts(frame, masking)


def values_masked(frame: DataFrame, masking: Masking) -> DataFrame:
    """Exceptions or breaks with the mask in place of personal values, and all that identifies them
    as it is: subjects and keys, by which others know what they are about."""
    if "legacy" in frame.columns and "column" in frame.columns:
        return _breaks(frame, masking)
    return _texts(frame, masking)


def _changes(frame: DataFrame, name: str, masking: Masking) -> DataFrame:
    for image in _IMAGES:
        kind = frame.schema[image].dataType
        if isinstance(kind, T.StructType):
            hidden = masking.tables.get(name, frozenset(kind.names))
            frame = frame.withColumn(image, _image(F.col(image), kind, hidden))
    if masking.tables.get(name, {"unknown"}):
        frame = frame.withColumn("payload", _mask(F.col("payload")))
    return frame


def _image(image: Column, kind: T.StructType, hidden: frozenset[str]) -> Column:
    fields = (
        (_mask(image[name]) if name in hidden else image[name]).alias(name) for name in kind.names
    )
    return F.when(image.isNotNull(), F.struct(*fields))


def _states(frame: DataFrame, aggregate: str, masking: Masking) -> DataFrame:
    declared = [c for c in frame.columns if c not in ("subject", *HISTORY_COLUMNS)]
    hidden = [c for c in declared if masking.hides(c, aggregate)]
    frame = frame.withColumns({c: _mask(F.col(f"`{c}`")) for c in hidden})
    return _subjects(frame, F.lit(aggregate), masking)


def _breaks(frame: DataFrame, masking: Masking) -> DataFrame:
    """Values of personal state columns, and how far they are apart."""
    hidden = hidden_values(masking)
    shown = {n: F.when(hidden, _mask(F.col(n))).otherwise(F.col(n)) for n in ("legacy", "new")}
    return frame.withColumns(shown | {"amount": F.when(~hidden, F.col("amount"))})


def hidden_values(masking: Masking) -> Column:
    """Whether the values of a break are personal, by its `level`, `name` and `column`; not null."""
    hidden = F.lower("column").isin(sorted(masking.names))
    for aggregate, columns in masking.states.items():
        of_it = (F.col("name") == aggregate) & (F.col("level") != OUTCOME)
        hidden |= of_it & F.col("column").isin(sorted(columns))
    return F.coalesce(hidden, F.lit(False)) | F.lit(not masking.contracts_known)


def _aggregate(frame: DataFrame) -> Column:
    """The aggregate that a row's subject is one of; null where the row does not tell."""
    if "aggregate" in frame.columns:
        return F.col("aggregate")
    if "level" in frame.columns and "name" in frame.columns:
        return F.when(F.col("level") != OUTCOME, F.col("name"))
    return F.lit(None).cast("string")


def _subjects(
    frame: DataFrame, aggregate: Column, masking: Masking, names: tuple[str, ...] = _SUBJECTS
) -> DataFrame:
    if not masking.hides_subject(None):
        return frame
    # A decision may be on subjects of nobody knows which aggregate: its aggregate is empty then.
    unknown = F.coalesce(aggregate, F.lit("")) == ""
    hidden = unknown | aggregate.isin(sorted(masking.subjects))
    hidden |= F.lit(not masking.contracts_known)
    present = [name for name in names if name in frame.columns]
    return frame.withColumns(
        {n: F.when(hidden, _mask(F.col(n))).otherwise(F.col(n)) for n in present}
    )


def _keys(frame: DataFrame, masking: Masking) -> DataFrame:
    if not masking.hides_keys():
        return frame
    hide = F.udf(masking.key, "string", useArrow=False)
    present = {name: of for name, of in _KEYS.items() if {name, *of} <= set(frame.columns)}
    return frame.withColumns(
        {n: hide(*(F.col(f"`{c}`") for c in (*of, n))) for n, of in present.items()}
    )


def _texts(frame: DataFrame, masking: Masking) -> DataFrame:
    if masking.contracts_known and not masking.names:
        return frame
    hide = F.udf(lambda text: masking.payload(text, lines=False), "string", useArrow=False)
    return frame.withColumns({n: hide(F.col(n)) for n in _TEXTS if n in frame.columns})


def _mask(value: Column) -> Column:
    return F.when(value.isNotNull(), F.lit(MASK))
