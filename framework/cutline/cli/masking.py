"""Personal data in legacy rows is masked before anybody sees it."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline import plugins
from cutline.tables.change import changes_name

MASK = "***"
_IMAGES = ("before", "after")


def personal_columns(context: str) -> dict[str, set[str]]:
    """The personal columns by changes table, by every installed contract of the context.

    A column that one version of a contract calls personal is masked whatever another says.
    """
    found: dict[str, set[str]] = {}
    for translation in plugins.translations().loaded.values():
        if translation.context.name != context:
            continue
        for contract in translation.contracts():
            columns = found.setdefault(changes_name(contract.source(), contract.table()), set())
            columns |= {
                name
                for name, column in contract.columns().items()
                if (column.metadata or {}).get("personal")
            }
    return found


def masked(frame: DataFrame, name: str, personal: Mapping[str, set[str]]) -> DataFrame:
    """The table with `***` in place of each personal value that is not null.

    Where no installed contract tells, every column of an image is taken to be personal. A row as
    it was read (`payload`) cannot be masked by column, so it is masked as a whole.
    """
    if not name.startswith("changes_"):
        return frame
    for image in _IMAGES:
        kind = frame.schema[image].dataType
        if isinstance(kind, T.StructType):
            hidden = personal.get(name, set(kind.names))
            frame = frame.withColumn(image, _image(F.col(image), kind, hidden))
    if personal.get(name, {"unknown"}):
        frame = frame.withColumn("payload", _mask(F.col("payload")))
    return frame


def _image(image: Column, kind: T.StructType, hidden: set[str]) -> Column:
    fields = (
        (_mask(image[name]) if name in hidden else image[name]).alias(name) for name in kind.names
    )
    return F.when(image.isNotNull(), F.struct(*fields))


def _mask(value: Column) -> Column:
    return F.when(value.isNotNull(), F.lit(MASK))
