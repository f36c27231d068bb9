"""Rules of a comparison: what is made alike before it, and what is forgiven in it."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    field_validator,
    model_validator,
)

from cutline.errors import ConfigurationError
from cutline.project.base import Section
from cutline.project.problems import problems
from cutline.project.yaml_text import read_yaml
from cutline.project.zone import Zone
from cutline.sources import RepeatedTime

Amount = Annotated[Decimal, Field(ge=0, allow_inf_nan=False)]
Sql = Annotated[str, Field(min_length=1)]
TextOrNumber = Annotated[str, Field(coerce_numbers_to_str=True)]
Family = Literal["integer", "decimal", "floating", "text", "date", "timestamp"]
UnicodeForm = Literal["NFC", "NFD", "NFKC", "NFKD"]
TimeUnit = Literal["millisecond", "second", "minute", "hour", "day", "month", "year"]
Combination = Literal["sum", "min", "max", "count", "list", "set"]


class Sides(Section):
    """One text for each side."""

    left: Sql | None = None
    """Of the left side."""
    right: Sql | None = None
    """Of the right side."""


class Zones(Section):
    """The zone of a side's times; null where they have one."""

    left: Zone | None = None
    """Of the left side."""
    right: Zone | None = None
    """Of the right side."""


def _zone_tag(written: object) -> str:
    return "[zone]" if isinstance(written, str) else "[zones]"


Zoned = Annotated[
    Annotated[Zone, Tag("[zone]")] | Annotated[Zones, Tag("[zones]")], Discriminator(_zone_tag)
]


class Computed(Section):
    """Columns that each side gets before anything else, by name, as SQL over its own columns."""

    left: dict[str, Sql] = Field(default_factory=dict)
    """Of the left side."""
    right: dict[str, Sql] = Field(default_factory=dict)
    """Of the right side."""


class Combined(Section):
    """How several rows of one key become one row, by column."""

    left: dict[str, Combination] = Field(default_factory=dict)
    """Of the left side."""
    right: dict[str, Combination] = Field(default_factory=dict)
    """Of the right side."""


class ColumnRules(Section):
    """What is forgiven in one column, in the order in which it is tried."""

    zone: Zoned | None = None
    """The zone of timestamps without one, such as Europe/Berlin: they are then instants. A time
    that its clocks do not show, or show twice, is refused."""
    doubled: RepeatedTime | None = None
    """With `zone`: which instant a time is that its clocks show twice (`first` or `second`)."""
    unicode: UnicodeForm | None = None
    """Texts are compared in this Unicode form."""
    trim: bool | Literal["left", "right"] = False
    """White space around texts does not count: at both ends (true), or at one."""
    case: Literal["ignore"] | None = None
    """Upper and lower case are the same."""
    null_equals: TextOrNumber | None = None
    """Null is the same as this value."""
    map: dict[str, TextOrNumber] = Field(default_factory=dict)
    """What the left side's values are called on the right, as text: `A: ACTIVE`."""
    as_: Literal["set"] | None = Field(default=None, alias="as")
    """Arrays are sets: neither order nor repetition counts."""
    truncate: TimeUnit | None = None
    """Times are compared down to this unit, in `in_zone`."""
    in_zone: Zone = "UTC"
    """The zone in which days, months and years begin."""
    round: int | None = Field(default=None, ge=0, le=18)
    """Numbers are rounded half up to so many decimals."""
    tolerance: Amount | str | None = None
    """The largest difference that is forgiven: a number in the column's unit, or of times a
    duration such as `2 seconds`."""
    relative: Amount | None = None
    """The largest difference that is forgiven, as a share of the larger value: 0.01 is 1 %."""
    minor_units: int = Field(default=0, ge=0, le=6)
    """The decimals of a currency in whose smallest unit `tolerance` is given: with 2, a tolerance
    of 1 is one cent."""

    model_config = ConfigDict(populate_by_name=True)

    @field_validator("tolerance", mode="before")
    @classmethod
    def _number(cls, written: object) -> object:
        """A number in quotes is a number."""
        try:
            return Decimal(written.strip()) if isinstance(written, str) else written
        except InvalidOperation:
            return written

    @model_validator(mode="after")
    def _meant(self) -> ColumnRules:
        if self.minor_units and not isinstance(self.tolerance, Decimal):
            raise ValueError("minor_units needs a tolerance that is a number")
        return self

    def over(self, default: ColumnRules | None) -> ColumnRules:
        """These rules, and those of `default` where these say nothing."""
        if default is None:
            return self
        declared = {name: getattr(self, name) for name in self.model_fields_set}
        return default.model_copy(update=declared)


class Rules(Section):
    """How two tables are compared. Columns are called as on the left side, after `rename`.

    For each side in this order: `compute`, `where`, `rename` (of the left side's columns to the
    right side's), `ignore`, `combine`.
    """

    compute: Computed = Computed()
    """Columns computed before anything else."""
    where: Sides = Sides()
    """Rows to compare, as an SQL condition over a side's own columns."""
    rename: dict[str, str] = Field(default_factory=dict)
    """What a column of the left side, a key's too, is called on the right."""
    ignore: tuple[str, ...] = ()
    """Columns of either side that are not compared."""
    combine: Combined = Combined()
    """How the rows of one key become one, where a side has several by design."""
    types: dict[Family, ColumnRules] = Field(default_factory=dict)
    """What is forgiven in every column of a kind; a column's own rules come before."""
    columns: dict[str, ColumnRules] = Field(default_factory=dict)
    """What is forgiven in a column."""


def load_rules(path: Path) -> Rules:
    """The rules in a YAML file. ConfigurationError, naming the file and the key."""
    document = read_yaml(path, "Write rules into it, or leave --rules out.")
    try:
        return Rules.model_validate(document)
    except ValidationError as error:
        raise ConfigurationError(
            "\n".join(problems(error, document, model=Rules, file=path.name)),
            next_step=f"Mend {path}, then run the same command again.",
        ) from error
