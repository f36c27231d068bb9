"""One text for each number, however it is written: 1.10, 1.1 and 11e-1 are 1.1, at any size."""

from __future__ import annotations

from cutline.sql.spark import let

NUMBER = r"^\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*$"
"""Decimal notation, blanks around it allowed: what a text must be to be read as a number. Java, by
which Spark reads doubles, would also take `12f`, `0x1p3` and NaN, and for decimals the digits of
every script."""

_PLAIN = 60
"""Zeros that are written out; beyond them a number is its digits and an exponent: 15e-90."""


def canonical_sql(text: str) -> str:
    """SQL for the one text of the number that `text`, also SQL, is in decimal notation.

    No zeros before or after that say nothing, no plus sign, no minus before zero. Null for null; a
    text whose exponent has more than 29 digits, or that is no number, comes back as it is.
    """
    parts = (
        f"named_struct('t', {text}, 'whole', regexp_extract({text}, r'^\\s*[+-]?(\\d*)', 1),"
        f" 'fraction', regexp_extract({text}, r'\\.(\\d*)', 1),"
        f" 'e', regexp_extract({text}, r'[eE]([+-]?\\d+)\\s*$', 1))"
    )
    shifted = (
        "named_struct('t', p.t, 'sign', CASE WHEN ltrim(p.t) LIKE '-%' THEN '-' ELSE '' END,"
        " 'd', ltrim('0', concat(p.whole, p.fraction)),"
        " 'e', CASE WHEN p.e = '' THEN 0 ELSE try_cast(p.e AS decimal(29,0)) END"
        " - CAST(length(p.fraction) AS bigint))"
    )
    stripped = (
        "named_struct('t', q.t, 'sign', q.sign, 'd', rtrim('0', q.d),"
        " 'e', q.e + length(q.d) - length(rtrim('0', q.d)))"
    )
    written = (
        "CASE WHEN n.e IS NULL THEN n.t WHEN n.d = '' THEN '0'"
        f" WHEN n.e BETWEEN 0 AND {_PLAIN}"
        " THEN concat(n.sign, n.d, repeat('0', CAST(n.e AS int)))"
        f" WHEN n.e BETWEEN {-_PLAIN} AND -1 AND length(n.d) > -n.e"
        " THEN concat(n.sign, left(n.d, CAST(length(n.d) + n.e AS int)), '.',"
        " right(n.d, CAST(-n.e AS int)))"
        f" WHEN n.e BETWEEN {-_PLAIN} AND -1"
        " THEN concat(n.sign, '0.', repeat('0', CAST(-n.e - length(n.d) AS int)), n.d)"
        " ELSE concat(n.sign, n.d, 'e', n.e) END"
    )
    number = let("p", parts, let("q", shifted, let("n", stripped, written)))
    return f"CASE WHEN {text} RLIKE r'{NUMBER}' THEN {number} ELSE {text} END"
