"""Lines whose object cannot be parsed because of an invalid character in one of its values.

JSON allows no half of a surrogate pair, no control character without an escape, and no unknown
escape; and `json_text` reserves one noncharacter. Such a record is parsed with the replacement
character instead, so that its table and operation are known and the run goes on; its values are not
trusted, and its row is quarantined.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.spark import json_text

_REPLACEMENT = "\ufffd"
# A backslash begins an escape where an even number of them stands before it.
_EVEN = r"(?<!\\)(?:\\\\){0,40}"
_HIGH = r"\\u[dD][89abAB][0-9a-fA-F]{2}"
_LOW = r"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPES = (
    rf"{_HIGH}(?!{_LOW})",
    rf"(?<!{_EVEN}{_HIGH}){_LOW}",
    r"\\u[fF][dD][dD]0",
    r"\\u(?![0-9a-fA-F]{4})",
    r'\\[^"\\/bfnrtu]',
)
_STRANGE = rf"(?<={_EVEN})(?:{'|'.join(_ESCAPES)})|[\x00-\x08\x0a-\x0c\x0e-\x1f\ufdd0]"


def with_mended_object(frame: DataFrame, text: Column, name: str) -> DataFrame:
    """The frame with the object in a text, as by `json_text.with_object`, mended where necessary.

    The frame's `valid` becomes false for a line that was mended. Null for text that is no object
    even then.
    """
    parsed = json_text.with_object(frame.withColumn("_text", text), F.col("_text"), name)
    mended = F.regexp_replace(F.translate("_text", "\t\r", "  "), _STRANGE, _REPLACEMENT)
    retried = parsed.withColumn("_again", F.when(F.col(name).isNull(), mended))
    changed = F.when(F.col("_again") != F.col("_text"), F.col("_again"))
    reparsed = json_text.with_object(retried, changed, "_mended")
    return reparsed.withColumns(
        {
            "valid": F.col("valid") & F.col("_mended").isNull(),
            name: F.coalesce(name, "_mended"),
        }
    ).drop("_text", "_again", "_mended")
