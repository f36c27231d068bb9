"""The columns of a table of states, as a database can keep them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutline.errors import ConfigurationError
from cutline.readmodels.model import ReadModelColumn
from cutline.readmodels.names import PREFIX

if TYPE_CHECKING:
    from pyspark.sql import types as T

SUBJECT = "subject"
"""The column with the id of the aggregate: the primary key."""
EVENT_ID = "cutline_event_id"
"""The column with the live event that wrote the row last; null as it was built."""
ENDED = "cutline_ended"
"""The column that says of a row that a live event ended its subject: views leave it out."""

_MOST_BYTES = 63
_CARRIED = (
    "Only string, bigint, int, smallint, tinyint, boolean, decimal, date, timestamp, and arrays \
and structs of these can be carried exactly."
)


def columns_of(schema: T.StructType, table: str) -> tuple[ReadModelColumn, ...]:
    """The columns of a table of states. ConfigurationError for one that no database could keep
    exactly, or under its name; `table` is the name of the table, for errors.
    """
    from pyspark.sql import types as T

    columns: dict[str, str] = {}
    for field in schema.fields:
        name = field.name
        if not _is_carried(field.dataType):
            raise ConfigurationError(
                f"table {table}: column {name} is {field.dataType.simpleString()}, which cannot be "
                "carried into a read model without loss",
                left_behind="Nothing was built.",
                next_step=f"{_CARRIED} Declare the state column so.",
            )
        if name.casefold().startswith(PREFIX) or len(name.encode()) > _MOST_BYTES:
            raise ConfigurationError(
                f"table {table}: column {name} cannot have this name in a read model: it begins "
                f"with {PREFIX}, or is longer than {_MOST_BYTES} bytes",
                left_behind="Nothing was built.",
                next_step="Rename the state column.",
            )
        if (namesake := columns.setdefault(name.casefold(), name)) != name:
            raise ConfigurationError(
                f"table {table}: columns {namesake} and {name} are the same name to SQLite",
                left_behind="Nothing was built.",
                next_step="Rename one of the state columns.",
            )
    subject = next((f for f in schema.fields if f.name == SUBJECT), None)
    if subject is None or not isinstance(subject.dataType, T.StringType):
        raise ConfigurationError(
            f"table {table} has no column {SUBJECT} with texts, and so is no table of states"
        )
    others = (f for f in schema.fields if f.name != SUBJECT)
    return tuple(
        ReadModelColumn(name=f.name, type=f.dataType.simpleString()) for f in (subject, *others)
    )


def _is_carried(type: T.DataType) -> bool:
    from pyspark.sql import types as T

    match type:
        case T.ArrayType():
            return _is_in_json(type.elementType)
        case T.StructType():
            return _is_in_json(type)
        case T.ByteType() | T.TimestampNTZType():
            return True
        case _:
            return _is_in_json(type)


def _is_in_json(type: T.DataType) -> bool:
    """Whether a type has an exact text in canonical JSON (`cutline.identity.columns`)."""
    from pyspark.sql import types as T

    match type:
        case T.ArrayType():
            return _is_in_json(type.elementType)
        case T.StructType():
            return all(_is_in_json(field.dataType) for field in type.fields)
        case T.CharType() | T.VarcharType():
            return False
        case T.StringType() | T.BooleanType() | T.ShortType() | T.IntegerType() | T.LongType():
            return True
        case T.DecimalType() | T.DateType() | T.TimestampType():
            return True
        case _:
            return False
