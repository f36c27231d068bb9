"""A text parsed as a value of a type, or null where the type would lose something."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.sources import cast_text, castable_from_text
from cutline.spark import json_text
from cutline.spark.number_text import NUMBER, canonical_sql
from cutline.sql.spark import let, literal, quoted
from cutline_reconciliation.compare.columns.names import quoted_column
from cutline_reconciliation.compare.columns.numbers import NO_NUMBER
from cutline_reconciliation.compare.columns.parse_texts import from_json_text
from cutline_reconciliation.compare.tables.double_texts import double_text

_ZONED = r"(?i)(?:Z|[+-]\d{2}(?::?\d{2})?)\s*$"
_HEX = r"^(?:\\x)?((?:[0-9A-Fa-f]{2})*)$"
_REWRITTEN = r"^(?:\s|[+]|-?0[0-9])"
_WHOLE = "decimal(38,0)"
_ENDING = r"[eE\s]"


def parse_value(name: str, kind: T.DataType) -> Column:
    """The value of the text in column `name`; null for null, and for a text that is no such value.

    A text is no value if the type would change it: a fraction too fine, a number out of range, more
    digits than a double tells apart, a time of day under a date, a time without a zone under an
    instant, fields of an object that a struct has not. Bytes are hexadecimal digits, with or
    without \\x before them. Parts of arrays, structs and maps are read from JSON.
    """
    text = quoted_column(name)
    if isinstance(kind, T.StringType):
        return text
    if isinstance(kind, T.TimestampType):
        return F.when(text.rlike(_ZONED), F.expr(cast_text(quoted(name), kind.simpleString())))
    if isinstance(kind, (T.DoubleType, T.FloatType)):
        return F.expr(double_text(quoted(name), kind))
    if isinstance(kind, T.BinaryType):
        digits = F.when(text.rlike(_HEX), F.regexp_extract(text, _HEX, 1))
        return F.unhex(digits)
    if isinstance(kind, (T.ArrayType, T.StructType, T.MapType)):
        if not _in_json(kind):
            return F.lit(None).cast(kind)
        read, good = from_json_text(name, kind)
        fields_known = F.expr(let("json", json_text.parsed_sql(quoted(name)), _holds("json", kind)))
        return F.when(good & fields_known, read)
    if isinstance(kind, T.IntegralType):
        # A number is whole however it is written: 1.0 and 1e3.
        return F.expr(f"try_cast({cast_text(quoted(name), _WHOLE)} AS {kind.simpleString()})")
    return F.expr(cast_text(quoted(name), kind.simpleString()))


def number_text(name: str) -> Column:
    """The canonical text of the number in a text, NaN and infinities as they are; else null."""
    text = quoted_column(name)
    number = F.expr(canonical_sql(quoted(name)))
    return F.when(text.rlike(NUMBER), number).when(text.rlike(NO_NUMBER), text)


def quoted_bytes(digits: Column) -> Column:
    """Bytes by their hexadecimal digits, as SQL writes them, so that x'31' is not the number 31."""
    return F.concat(F.lit("x'"), digits, F.lit("'"))


def loses_spelling(name: str, kind: T.DataType) -> Column | None:
    """Whether a text is an unusual spelling of a value of `kind`; None for kinds without.

    Unusual are leading zeros, a plus sign, blanks, an exponent, and other words for booleans.
    """
    text = quoted_column(name)
    if isinstance(kind, T.BooleanType):
        return ~text.isin("true", "false")
    if not isinstance(kind, T.NumericType):
        return None
    # Most numbers begin with a digit from 1 to 9.
    before = F.when(text < "1", text.rlike(_REWRITTEN)).otherwise(F.lit(False))
    return before | text.rlike(_ENDING)


def _in_json(kind: T.DataType) -> bool:
    """Whether JSON can hold the type: keys of its objects are texts only."""
    match kind:
        case T.MapType():
            return isinstance(kind.keyType, T.StringType) and _in_json(kind.valueType)
        case T.ArrayType():
            return _in_json(kind.elementType)
        case T.StructType():
            return all(_in_json(field.dataType) for field in kind.fields)
        case _:
            # Of bytes some write hexadecimal digits and some base64, and a text may be both.
            return not isinstance(kind, T.BinaryType)


def _holds(variant: str, kind: T.DataType, depth: int = 0) -> str:
    """SQL for whether the type holds the JSON value.

    Spark would drop unknown fields and round numbers.
    """
    part = f"part{depth}"
    if isinstance(kind, T.StructType):
        fields = f"try_variant_get({variant}, '$', 'map<string,variant>')"
        names = ", ".join(literal(f.name) for f in kind.fields)
        inner = [
            _holds(f"try_element_at({fields}, {literal(f.name)})", f.dataType, depth + 1)
            for f in kind.fields
        ]
        no_more_fields = (
            f"coalesce(size(array_except(map_keys({fields}), array({names}))) = 0, true)"
        )
        return " AND ".join([no_more_fields, *inner])
    if isinstance(kind, T.ArrayType):
        parts = f"try_variant_get({variant}, '$', 'array<variant>')"
        return _each(parts, part, kind.elementType, depth)
    if isinstance(kind, T.MapType):
        parts = f"map_values(try_variant_get({variant}, '$', 'map<string,variant>'))"
        return _each(parts, part, kind.valueType, depth)
    return _holds_part(variant, kind)


def _each(parts: str, part: str, kind: T.DataType, depth: int) -> str:
    return f"coalesce(forall({parts}, {part} -> {_holds(part, kind, depth + 1)}), true)"


def _holds_part(variant: str, kind: T.DataType) -> str:
    if isinstance(kind, T.NumericType):
        number = (
            f"{json_text.is_number_sql(variant)} OR {variant} IS NULL OR is_variant_null({variant})"
        )
        return f"({number}) AND {_spells(variant, kind)}"
    return _spells(variant, kind)


def _spells(variant: str, kind: T.DataType) -> str:
    if isinstance(kind, T.StringType):
        spelt = f"schema_of_variant({variant}) IN ('STRING', 'VOID')"
        return f"coalesce({spelt} AND NOT {json_text.is_number_sql(variant)}, true)"
    text, ddl = json_text.text_sql(variant), kind.simpleString()
    if not castable_from_text(ddl):
        return "true"
    zoned = f" AND {text} RLIKE r'{_ZONED}'" if isinstance(kind, T.TimestampType) else ""
    if isinstance(kind, (T.DoubleType, T.FloatType)):
        read = double_text(text, kind)
    else:
        read = cast_text(text, ddl)
    return f"({text} IS NULL OR ({read} IS NOT NULL{zoned}))"
