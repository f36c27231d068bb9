"""test_decoding: PostgreSQL's example plugin, which writes one line of text a row.

A line is an object with `lsn`, `xid` and `data`, the columns of `pg_logical_slot_get_changes`: the
text alone has no place in the log. Source: contrib/test_decoding of PostgreSQL, `pg_decode_change`
and `tuple_to_stringinfo`.
"""

from __future__ import annotations

from pyspark.sql import DataFrame

from cutline.sources.changes.envelope import (
    BEGIN,
    END,
    OTHER,
    ROW,
    TOMBSTONE,
    TRUNCATE,
    to_envelope,
)
from cutline.sources.changes.images import text
from cutline.sources.changes.logical_decoding import lsn, place_in_commit, row_position
from cutline.sources.exact_cast import cast_text
from cutline.sql.spark import let, literal

EXPECTED = (
    "a record has `lsn`, `xid` and `data`, asked with include-timestamp: `BEGIN`, `COMMIT … (at …)`"
    " or `table SCHEMA.NAME: INSERT: …`"
)

# Possessive: a value matches in one way only, and a long one needs no stack.
_NAME = r'(?:"[^"]++(?:""[^"]*+)*+"|[^\s".,:\[\]]++)'
_TYPE = r'(?:[^\[\]"]|"[^"]*+"|\[\])++'
_VALUE = r"null|unchanged-toast-datum|B?'[^']*+(?:''[^']*+)*+'|[^\s']++"
_COLUMN = rf"({_NAME})\[({_TYPE})\]:({_VALUE})(?: |$)"
_COLUMNS = rf"(?:{_NAME}\[{_TYPE}\]:(?:{_VALUE})(?: |$))*+"
_TABLE = rf"({_NAME})\.({_NAME})"
_TABLES = rf"{_NAME}\.{_NAME}(?:, {_NAME}\.{_NAME})*+"
_HEAD = rf"(?s)^table ({_TABLES}): (INSERT|UPDATE|DELETE|TRUNCATE): (.*)$"
_OLD_AND_NEW = rf"(?s)^old-key: ({_COLUMNS})new-tuple: ({_COLUMNS})$"
_ENDED = r"^COMMIT [0-9]+ \(at (.*)\)$"


def envelopes(records: DataFrame) -> DataFrame:
    """One row per record; of a record that truncates several tables, one row per table."""
    lines = records.selectExpr("*", f"{text('data')} AS data")
    heads = lines.selectExpr(
        "*", *(f"{_match_group('data', _HEAD, n)} AS {name}" for n, name in _HEADS.items())
    ).selectExpr("*", *_image_texts())
    spread = heads.selectExpr(
        "*", f"posexplode_outer({_all_matches('tables', _TABLE, 0)}) AS (at, table_name)"
    )
    images = spread.selectExpr(
        "*", f"{_image('old_text')} AS old_image", f"{_image('new_text')} AS new_image"
    )
    fields = {
        "item": "coalesce(at, 0)",
        "kind": _KIND,
        "op": "CASE verb WHEN 'INSERT' THEN 'c' WHEN 'UPDATE' THEN 'u' WHEN 'DELETE' THEN 'd' END",
        "table": _unquoted(f"regexp_extract(table_name, {literal(_TABLE)}, 2)"),
        "schema": _unquoted(f"regexp_extract(table_name, {literal(_TABLE)}, 1)"),
        "position": row_position(_LSN),
        "numbered": "false",
        "transaction": text("xid"),
        "lsn": f"CASE WHEN startswith(data, 'COMMIT ') THEN {place_in_commit(_LSN)} END",
        "committed": cast_text(_match_group("data", _ENDED, 1), "timestamp"),
        "before": "old_image",
        "after": "new_image",
        "partial": "coalesce(verb = 'UPDATE', false)",
        "unreadable": "CASE WHEN old_image IS NULL AND old_text <> '' THEN 'no-image' END",
    }
    return to_envelope(images, fields)


_HEADS = {1: "tables", 2: "verb", 3: "tuple"}
_LSN = lsn(text("lsn"))
_KIND = f"""CASE
    WHEN tombstone THEN '{TOMBSTONE}'
    WHEN startswith(data, 'message: ') THEN '{OTHER}'
    WHEN {text("xid")} IS NULL OR {_LSN} IS NULL THEN NULL
    WHEN data RLIKE '^BEGIN [0-9]+$' THEN '{BEGIN}'
    WHEN data RLIKE {literal(_ENDED)} THEN '{END}'
    WHEN verb = 'TRUNCATE' THEN '{TRUNCATE}'
    WHEN verb IS NOT NULL THEN '{ROW}' END"""


def _image_texts() -> tuple[str, str]:
    """SQL for the text of the image before, and of the one after."""
    has_both = f"tuple RLIKE {literal(_OLD_AND_NEW)}"
    before, after = (_match_group("tuple", _OLD_AND_NEW, group) for group in (1, 2))
    old = f"CASE WHEN {has_both} THEN {before} WHEN verb = 'DELETE' THEN tuple END"
    new = f"CASE WHEN {has_both} THEN {after} WHEN verb <> 'DELETE' THEN tuple END"
    return f"{old} AS old_text", f"{new} AS new_text"


def _image(tuple_text: str) -> str:
    """SQL for an image as an object of texts; null for text that is no list of columns, and for one
    that has a column twice.

    A column whose value the log does not hold (an unchanged TOAST value) is left out.
    """
    listed = ", ".join(_all_matches(tuple_text, _COLUMN, group) for group in (1, 2, 3))
    present = f"filter(arrays_zip({listed}), c -> c.`2` <> 'unchanged-toast-datum')"
    pairs = f"transform({present}, c -> struct({_unquoted('c.`0`')}, {_value('c.`1`', 'c.`2`')}))"
    whole = f"{tuple_text} <> '' AND {tuple_text} RLIKE {literal(f'(?s)^{_COLUMNS}$')}"
    unique = "size(array_distinct(transform(o, c -> c.col1))) = size(o)"
    of = f"CASE WHEN {unique} THEN to_variant_object(map_from_entries(o)) END"
    return f"CASE WHEN {whole} THEN {let('o', pairs, of)} END"


def _value(kind: str, value: str) -> str:
    """SQL for the text of a value without its quotes, and of bytes as hexadecimal digits alone."""
    inside = f'replace(regexp_extract({value}, {literal(_QUOTED)}, 1), "\'\'", "\'")'
    plain = f"CASE WHEN {kind} = 'bytea' THEN {let('b', inside, _digits('b'))} ELSE {inside} END"
    return (
        f"CASE WHEN {value} = 'null' THEN NULL WHEN {value} RLIKE {literal(_QUOTED)} THEN {plain}"
        f" ELSE {value} END"
    )


_QUOTED = r"(?s)^B?'(.*)'$"
_HEX_PREFIX = r"\x"
_ESCAPE_FORM = r"^(?:[\x20-\x5b\x5d-\x7e]++|\\\\|\\[0-3][0-7]{2})*+\z"
_ESCAPED_BYTE = r"\\\\|\\[0-3][0-7]{2}|."


def _digits(text: str) -> str:
    """SQL for the hexadecimal digits of a `bytea`, in whichever form `bytea_output` has it written.

    In the form hex the digits stand behind `\\x`. In the form escape a printable byte is its
    character, a backslash two of them, and any other byte a backslash with three octal digits. Text
    in neither form is left as it is, which no digits are.
    """
    octal = "lpad(conv(substr(p, 2), 8, 16), 2, '0')"
    backslash = literal("\\")
    byte = (
        f"CASE WHEN NOT startswith(p, {backslash}) THEN hex(p)"
        f" WHEN length(p) = 2 THEN hex({backslash}) ELSE {octal} END"
    )
    bytes_of_it = f"transform(regexp_extract_all({text}, {literal(_ESCAPED_BYTE)}, 0), p -> {byte})"
    return (
        f"CASE WHEN startswith({text}, {literal(_HEX_PREFIX)}) THEN substr({text}, 3)"
        f" WHEN {text} RLIKE {literal(_ESCAPE_FORM)} THEN lower(array_join({bytes_of_it}, ''))"
        f" ELSE {text} END"
    )


def _unquoted(name: str) -> str:
    """SQL for a name without the quotes that PostgreSQL writes around an unusual one."""
    inside = f"replace(substr({name}, 2, length({name}) - 2), '\"\"', '\"')"
    return f"CASE WHEN startswith({name}, '\"') THEN {inside} ELSE {name} END"


def _match_group(value: str, pattern: str, group: int) -> str:
    """SQL for a group of a pattern; null where the text does not match."""
    matched = f"regexp_extract({value}, {literal(pattern)}, {group})"
    return f"CASE WHEN {value} RLIKE {literal(pattern)} THEN {matched} END"


def _all_matches(value: str, pattern: str, group: int) -> str:
    """SQL for a group of every match of a pattern, in order."""
    return f"regexp_extract_all({value}, {literal(pattern)}, {group})"
