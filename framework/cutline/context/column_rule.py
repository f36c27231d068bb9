"""The differences that reconciliation forgives in one state column, as the domain declares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from cutline.errors import ConfigurationError


@dataclass(frozen=True)
class ColumnRule:
    """How the legacy's value of a state column may differ from the new side's.

    They are tried in this order, and the differences that each forgave are counted and shown.
    `unicode` is the form in which texts are compared; `trim` and `ignore_case` are about texts as
    well. `map` maps the legacy's values to ours. `null_equals` is the value that equals null, as
    text. `truncate` is the unit down to which times are compared, `round` the decimals to which
    numbers are. `tolerance` is the largest difference that is forgiven, in the column's unit, and
    `relative` the same as a share of the larger value. With `ignore` the column is not compared at
    all, and the report shows that.

    ConfigurationError for a rule that says nothing, or a number below zero.
    """

    unicode: Literal["NFC", "NFD", "NFKC", "NFKD"] | None = None
    trim: bool = False
    ignore_case: bool = False
    map: Mapping[str, str] = field(default_factory=dict)
    null_equals: str | None = None
    truncate: Literal["millisecond", "second", "minute", "hour", "day", "month", "year"] | None = (
        None
    )
    round: int | None = None
    tolerance: Decimal | None = None
    relative: Decimal | None = None
    ignore: bool = False

    def __post_init__(self) -> None:
        nothing = {"trim": False, "ignore_case": False, "map": {}, "ignore": False}
        if all(value == nothing.get(name) for name, value in vars(self).items()):
            raise ConfigurationError("a ColumnRule forgives nothing: it says nothing")
        for name in ("round", "tolerance", "relative"):
            number = getattr(self, name)
            if number is not None and not number >= 0:
                raise ConfigurationError(f"a ColumnRule's {name} is {number}, which is below zero")
