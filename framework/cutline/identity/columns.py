"""Canonical JSON and keys as native Spark expressions.

Their texts equal those of `cutline.identity.canonical` and `cutline.identity.keys`, character by
character. Timestamps need a session in UTC; decimals need ANSI mode, as every Cutline session has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from pyspark import SparkContext
from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.errors import ConfigurationError
from cutline.identity.canonical import key_order, quoted
from cutline.identity.keys import NAMESPACE

_STRING, _INT = "string", "int"
_ISO = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'"


def json_value(column: Column, ddl: str) -> Column:
    """The canonical JSON text of one value of type `ddl`; null is the text `null`.

    Timestamps must lie in the years 0001 to 9999. Raises ConfigurationError for a type without an
    exact text, such as double, and for a map, whose keys have no order of their own.
    """
    return finished(rough_value(column, ddl))


def json_object(columns: Mapping[str, Column], ddl: Mapping[str, str]) -> Column:
    """The text of an object with these columns, sorted by name; `ddl` gives each one's type."""
    return finished(rough_object(columns, ddl))


def json_array(columns: Sequence[Column], ddls: Sequence[str]) -> Column:
    """The text of an array of these columns, in this order; `ddls` gives each one's type."""
    return finished(rough_array(columns, ddls))


def rough_value(column: Column, ddl: str) -> Column:
    """As `json_value`, with control characters not escaped until `finished`."""
    return _value(column, _type(ddl))


def rough_object(columns: Mapping[str, Column], ddl: Mapping[str, str]) -> Column:
    """As `json_object`, with control characters not escaped until `finished`.

    For texts that are built in branches, where each branch would otherwise contain the escaping.
    """
    return _object({n: rough_value(c, ddl[n]) for n, c in columns.items()})


def rough_object_of_texts(columns: Mapping[str, Column]) -> Column:
    """As `rough_object`, of texts, of which those that are null are left out."""
    members = [
        F.concat(_text(quoted(name) + ":"), _present(columns[name], T.StringType()))
        for name in sorted(columns, key=key_order)
    ]
    return F.concat(_text("{"), F.concat_ws(",", *members), _text("}"))


def rough_array(columns: Sequence[Column], ddls: Sequence[str]) -> Column:
    """As `json_array`, with control characters not escaped until `finished`."""
    values = [rough_value(c, d) for c, d in zip(columns, ddls, strict=True)]
    return _joined("[", values, "]")


def event_id(
    source: Column,
    context: Column,
    type: Column,
    subject: Column,
    occurrence: Column,
    major: Column,
) -> Column:
    """The id of an event; see `cutline.identity.keys.event_id`. Never null."""
    return event_id_of(source, fact_text(context, type, subject, occurrence), major)


def fact_key(context: Column, type: Column, subject: Column, occurrence: Column) -> Column:
    """The key of a fact; see `cutline.identity.keys.fact_key`. Never null."""
    return fact_key_of(fact_text(context, type, subject, occurrence))


def fact_text(
    context: Column,
    type: Column,
    subject: Column,
    occurrence: Column,
    controls: Column | None = None,
    plain: bool = False,
) -> Column:
    """The common part of an event's id and its fact's key, to be computed once.

    `controls` is as for `finished`. With `plain`, context and type need no escaping and are not
    null, as a Context guarantees.
    """
    named = [_quoted(c) if plain else rough_value(c, _STRING) for c in (context, type)]
    values = [*named, *(rough_value(c, _STRING) for c in (subject, occurrence))]
    return finished(_joined("", values, ""), controls)


def event_id_of(source: Column, fact: Column, major: Column, plain: bool = False) -> Column:
    """As `event_id`, of a `fact_text`. With `plain`, the source needs no escaping."""
    source_json = _quoted(source) if plain else json_value(source, _STRING)
    version = json_value(major, _INT)
    return uuid5(_joined("[", [source_json, fact, version], "]"))


def fact_key_of(fact: Column) -> Column:
    """As `fact_key`, of a `fact_text`."""
    return uuid5(_joined("[", [fact], "]"))


def texts_id(*parts: Column) -> Column:
    """The id of what these texts name; see `cutline.identity.keys.texts_id`. Never null."""
    return uuid5(json_array(parts, [_STRING] * len(parts)))


def uuid5(text: Column) -> Column:
    """The UUIDv5 of a text in Cutline's namespace, as 36 lower-case characters; null for null.

    The expression has the hash in several places. Spark computes it once where the column is always
    evaluated, so it belongs in a select of its own and not in branches of `when`. It is cut as
    bytes, for substrings of a text count characters each time.
    """
    digest = F.sha1(F.concat(F.lit(NAMESPACE.bytes), text.cast("binary"))).cast("binary")
    code = F.ascii(digest.substr(17, 1).cast(_STRING))
    # The digits of 8, 9, a, b are told by the two low bits; letters are 9 more than their code.
    low = (code + F.shiftright(code, 6) * F.lit(9)).bitwiseAND(F.lit(3))
    variant = F.substr(F.lit(b"89ab"), low + F.lit(1), F.lit(1))
    dash = F.lit(b"-")
    return F.concat(
        digest.substr(1, 8),
        dash,
        digest.substr(9, 4),
        F.lit(b"-5"),
        digest.substr(14, 3),
        dash,
        variant,
        digest.substr(18, 3),
        dash,
        digest.substr(21, 12),
    ).cast(_STRING)


@lru_cache(maxsize=1024)
def _type(ddl: str) -> T.DataType:
    return T.DataType.fromDDL(ddl)


def _text(text: str) -> Column:
    """A literal; cached per session, for each takes several calls into the JVM."""
    return _literal(text, SparkContext._active_spark_context)


@lru_cache(maxsize=4096)
def _literal(text: str, _context: SparkContext | None) -> Column:
    return F.lit(text)


def _value(column: Column, type: T.DataType) -> Column:
    """The text of a value, never null, with control characters not escaped."""
    return F.coalesce(_present(column, type), _text("null"))


def _present(column: Column, type: T.DataType) -> Column:
    """As `_value`, but null for null."""
    match type:
        case T.StringType():
            escaped = F.replace(column, _text("\\"), _text("\\\\"))
            return _quoted(F.replace(escaped, _text('"'), _text('\\"')))
        case T.BooleanType() | T.ShortType() | T.IntegerType() | T.LongType():
            return column.cast(_STRING)
        case T.DecimalType() | T.DateType():
            return _quoted(column.cast(_STRING))
        case T.TimestampType():
            return _quoted(F.date_format(column, _ISO))
        case T.ArrayType():
            values = F.transform(column, lambda element: _value(element, type.elementType))
            return F.concat(_text("["), F.array_join(values, ","), _text("]"))
        case T.StructType():
            fields = {f.name: _value(column[f.name], f.dataType) for f in type.fields}
            return F.when(column.isNotNull(), _object(fields))
        case _:
            raise ConfigurationError(
                f"type {type.simpleString()} has no exact JSON text",
                next_step="Use string, bigint, int, smallint, boolean, timestamp, date, "
                "decimal(p,s), or an array or struct of these.",
            )


def _object(values: Mapping[str, Column]) -> Column:
    named = [
        F.concat(_text(quoted(name) + ":"), values[name]) for name in sorted(values, key=key_order)
    ]
    return _joined("{", named, "}")


def _joined(opening: str, values: Sequence[Column], closing: str) -> Column:
    parts = [part for value in values for part in (_text(","), value)][1:]
    return F.concat(_text(opening), *parts, _text(closing))


def _quoted(text: Column) -> Column:
    return F.concat(_text('"'), text, _text('"'))


_SHORT = {"\b": "b", "\t": "t", "\n": "n", "\f": "f", "\r": "r"}
_CONTROLS = "".join(map(chr, range(0x20)))
# Java goes through a text by this in one loop, and tries "[\x00-\x1f]" anew at each character.
_NO_CONTROL = r"^[\x20-\x{10ffff}]*\z"


def has_controls(*texts: Column) -> Column:
    """Whether one of the texts has a control character; never null. Null texts have none."""
    return ~F.concat_ws("", *texts).rlike(_NO_CONTROL)


def finished(text: Column, controls: Column | None = None) -> Column:
    """A rough JSON text with its control characters escaped; they occur in strings only.

    `controls` says whether it may have any, where that is known of several texts at once.

    Escaping runs once per text rather than per value, and rarely at all: the prefix (`\\`, `\\u000`
    or `\\u001`) is inserted first, then the character is replaced by its last letter.
    """
    escaped = text
    for prefix, characters in (
        (r"\\", r"[\x08\x09\x0a\x0c\x0d]"),
        (r"\\u000", r"[\x00-\x07\x0b\x0e\x0f]"),
        (r"\\u001", r"[\x10-\x1f]"),
    ):
        escaped = F.regexp_replace(escaped, f"({characters})", prefix + "$1")
    last = "".join(_SHORT.get(c, f"{ord(c):x}"[-1]) for c in _CONTROLS)
    escaped = F.translate(escaped, _CONTROLS, last)
    escaping = ~text.rlike(_NO_CONTROL) if controls is None else controls
    return F.when(escaping, escaped).otherwise(text)
