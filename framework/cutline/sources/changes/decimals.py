"""Decimals as Kafka Connect writes them precisely: the unscaled number in base64.

The bytes are a big-endian two's complement; the scale is the column's own, or written beside.
"""

from __future__ import annotations

from cutline.sql.spark import let

_WORDS = 4
_TOP = 2**32
_BASE64 = "^[A-Za-z0-9+/]+={0,2}$"


def unscaled_text(text: str) -> str:
    """SQL for the decimal digits, with a sign if negative, of a number in base64.

    Null for text that is not base64, and for numbers of no byte, of more than 16 bytes, or of more
    than 38 digits.
    """
    code = f"CASE WHEN {text} RLIKE '{_BASE64}' THEN hex(try_to_binary({text}, 'base64')) END"
    return let("code", code, _number("code"))


def scaled_text(text: str, scale: str) -> str:
    """SQL for the text of a number whose last `scale` digits, SQL for a number, are a fraction."""
    sign = "CASE WHEN startswith(d.t, '-') THEN '-' ELSE '' END"
    digits = "ltrim('-', d.t)"
    wide = f"lpad({digits}, CAST(greatest(length({digits}), d.s + 1) AS int), '0')"
    whole = f"left({wide}, CAST(length({wide}) - d.s AS int))"
    point = f"concat({sign}, {whole}, '.', right({wide}, CAST(d.s AS int)))"
    more = "concat(d.t, repeat('0', CAST(-d.s AS int)))"
    number = f"CASE WHEN d.s > 0 THEN {point} WHEN d.s < -38 THEN NULL ELSE {more} END"
    pair = f"named_struct('t', {text}, 's', {scale})"
    return let("d", pair, number)


def _number(code: str) -> str:
    """SQL for the signed number of bytes in hexadecimal, as text."""
    negative = f"left({code}, 1) >= '8'"
    fill = f"CASE WHEN {negative} THEN 'F' ELSE '0' END"
    wide = f"lpad({code}, {8 * _WORDS}, {fill})"
    words = [_word(wide, i, negative) for i in range(_WORDS)]
    total = words[0]
    for word in words[1:]:
        total = f"try_add({total}, {word})"
    # Of a negative number the words are those of its complement, which is one less than it is.
    signed = (
        f"CASE WHEN {negative} THEN concat('-', CAST(try_add({total}, 1BD) AS string))"
        f" ELSE CAST({total} AS string) END"
    )
    return f"CASE WHEN length({code}) BETWEEN 2 AND {8 * _WORDS} THEN {signed} END"


def _word(wide: str, place: int, negative: str) -> str:
    """SQL for the part of 32 bits in the number without its sign."""
    bits = f"CAST(conv(substr({wide}, {8 * place + 1}, 8), 16, 10) AS decimal(10,0))"
    plain = f"CASE WHEN {negative} THEN {_TOP - 1}BD - {bits} ELSE {bits} END"
    weight = _TOP ** (_WORDS - 1 - place)
    return f"try_multiply(CAST({plain} AS decimal(10,0)), {weight}BD)"
