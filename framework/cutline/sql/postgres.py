"""PostgreSQL's SQL: the settings under which values are texts, and statements taken apart."""

from __future__ import annotations

from cutline.sql.dialect import Dialect
from cutline.sql.standard import literal

TEXT_SETTINGS = (
    "SET client_encoding = 'UTF8'",
    "SET TimeZone = 'UTC'",
    "SET DateStyle = 'ISO'",
    "SET IntervalStyle = 'iso_8601'",
    "SET bytea_output = 'hex'",
    "SET extra_float_digits = 3",
    "SET standard_conforming_strings = on",
)
"""Statements after which `value::text` holds all of the value, and is the same on every server."""

_TEXT = r"""
    [eE]'(?:[^'\\]|''|\\.)*'
  | '(?:[^']|'')*'
  | \$(?P<tag>[A-Za-z_]*)\$.*?\$(?P=tag)\$
  | --[^\n]*
  | /\*.*?\*/
"""

DIALECT = Dialect(text=_TEXT, quote='"', word=r"[^\W\d]\w*", literal=literal)
