"""One JSON object a line, read without touching its numbers.

Spark's JSON functions read a number like 12345678901234567890.10 through a double. So each number
is first put into quotes behind a mark, which parsing then leaves alone; the mark goes away where
the text is taken out. What a mark could be taken for does not occur: a line that holds the
noncharacter itself, or its escape, is refused.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.spark import number_text
from cutline.sql.spark import let

_MARK = "\ufdd0"
_BLANKS = " \t\r\n"
_NUMBER = r"-?(?:0|[1-9]\d*+)(?:\.\d++)?+(?:[eE][+-]?+\d++)?+"
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_BARE_NUMBER = (
    rf'\G([^"\d-]*+(?:{_STRING}[^"\d-]*+)*+)({_NUMBER})(?=[\s,\]}}]|\z)'  # strings are stepped over
)

_HIGH, _LOW = r"\\u[dD][89abAB][0-9a-fA-F]{2}", r"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_HALF = r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
# Escapes and pairs are stepped over, so that a backslash which is a text's own begins no escape.
_HALF_PAIR = rf"^(?:[^\\]++|\\[^u]|(?!{_HALF})\\u|{_HIGH}{_LOW})*+{_HALF}"

_ESCAPED_MARK = r"(?<!\\)(?:\\\\)*\\u[fF][dD][dD]0"
_MARKED = rf'"?{_MARK}([^"]*+)"?'


def parsed(line: Column) -> Column:
    """The object in a line as a variant; null for anything else, such as two objects or an array.

    Also null where a key comes twice: which of the two is meant cannot be told. Spark computes it
    twice; where that counts, `with_object` does not.
    """
    return _only_object(_wrapped(line))


def with_object(frame: DataFrame, line: Column, name: str) -> DataFrame:
    """The frame with `parsed` as a column, in two steps, so that each line is parsed once."""
    step = f"{name}_wrapped"
    wrapped = frame.withColumn(step, _wrapped(line))
    return wrapped.withColumn(name, _only_object(F.col(step))).drop(step)


def _wrapped(line: Column) -> Column:
    """An array of what is in the line and the mark; null where the line cannot be an object."""
    marked = F.regexp_replace(line, _BARE_NUMBER, f'$1"{_MARK}$2"')
    marked_already = F.contains(line, F.lit(_MARK)) | (
        F.contains(line, F.lit("\\u")) & line.rlike(_ESCAPED_MARK)
    )
    like_object = F.ltrim(line, F.lit(_BLANKS)).startswith("{") & ~marked_already
    array = F.concat(F.lit("["), marked, F.lit(f',"{_MARK}"]'))
    return F.when(like_object, F.try_parse_json(array))


def _only_object(wrapped: Column) -> Column:
    # The parser stops behind the first value; the last element shows that nothing else came.
    ended = F.variant_get(wrapped, "$[1]", "string") == F.lit(_MARK)
    return F.when(ended, F.variant_get(wrapped, "$[0]", "variant"))


def text(value: Column, *path: str) -> Column:
    """The text of what stands at a path: numbers as written, nested values as JSON; else null."""
    value_text = F.variant_get(value, _path(path), "string")
    return F.when(
        F.contains(value_text, F.lit(_MARK)),
        F.regexp_replace(value_text, _MARKED, "$1"),
    ).otherwise(value_text)


def text_sql(column: str, *path: str) -> str:
    """`text` as SQL, for a table with many columns: a Column object costs calls into the JVM."""
    value_text = f"variant_get({column}, r\"{_path(path)}\", 'string')"
    plain = f"regexp_replace({value_text}, r'{_MARKED}', '$1')"
    return f"CASE WHEN contains({value_text}, '{_MARK}') THEN {plain} ELSE {value_text} END"


def canonical_sql(column: str, *path: str) -> str:
    """`text_sql`, in which every number, also within nested values, is written in the one way of
    `number_text`."""
    value_text = f"variant_get({column}, r\"{_path(path)}\", 'string')"
    end = "regexp_instr(p, '(\"|$)')"
    number = number_text.canonical_sql(f"left(p, {end} - 1)")
    after = f"concat({number}, substr(p, {end} + 1))"
    piece = f"(p, i) -> CASE WHEN i = 0 THEN p ELSE {after} END"
    whole = f"array_join(transform(split({value_text}, '\"?{_MARK}'), {piece}), '')"
    return f"CASE WHEN contains({value_text}, '{_MARK}') THEN {whole} ELSE {value_text} END"


def has_lone_surrogate(line: Column) -> Column:
    """Whether an escape in the line is half of a surrogate pair without the other: no character,
    which Java reads as a question mark."""
    escaped = F.contains(line, F.lit("\\ud")) | F.contains(line, F.lit("\\uD"))
    return F.when(escaped, line.rlike(_HALF_PAIR)).otherwise(F.lit(False))


def is_number_sql(column: str, *path: str) -> str:
    """SQL for whether what stands at a path is a number; false for nothing."""
    value_text = f"variant_get({column}, r\"{_path(path)}\", 'string')"
    return f"coalesce(startswith({value_text}, '{_MARK}'), false)"


def parsed_sql(line: str) -> str:
    """`parsed` as SQL: the value in a text, an array as well, its numbers untouched; else null."""
    marked = f"regexp_replace({line}, r'{_BARE_NUMBER}', '$1\"{_MARK}$2\"')"
    escaped = f"(contains({line}, r'\\u') AND {line} RLIKE r'{_ESCAPED_MARK}')"
    clean = f"NOT contains({line}, '{_MARK}') AND NOT {escaped}"
    array = f"CASE WHEN {clean} THEN concat('[', {marked}, r',\"{_MARK}\"]') END"
    # As in `_only_object`, the last element shows that nothing else came.
    only = f"""CASE WHEN variant_get(w, '$[1]', 'string') = '{_MARK}'
        THEN variant_get(w, '$[0]', 'variant') END"""
    return let("w", f"try_parse_json({array})", only)


def node(value: Column, *path: str) -> Column:
    """The value at a path as a variant: a variant null for a JSON null, null for nothing."""
    return F.variant_get(value, _path(path), "variant")


def node_sql(column: str, *path: str) -> str:
    """`node` as SQL."""
    return f"variant_get({column}, r\"{_path(path)}\", 'variant')"


def keys_sql(column: str) -> str:
    """SQL for the names in a variant that is an object; null for any other."""
    return f"map_keys(try_variant_get({column}, '$', 'map<string,variant>'))"


def is_object(value: Column) -> Column:
    """Whether a variant is an object; false for null."""
    return F.coalesce(F.schema_of_variant(value).startswith("OBJECT"), F.lit(False))


def _path(names: tuple[str, ...]) -> str:
    return "$" + "".join(f"['{_escaped(name)}']" for name in names)


def _escaped(name: str) -> str:
    if "'" in name or '"' in name:
        raise ValueError(f"a JSON key with a quote in it cannot be addressed: {name!r}")
    return name
