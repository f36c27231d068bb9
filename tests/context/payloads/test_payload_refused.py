"""What a payload's class may not say is refused when its aggregate is declared, without Spark."""

from __future__ import annotations

import datetime as dt
import enum
import re
import sys
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    StringConstraints,
    computed_field,
    create_model,
    field_validator,
)

from cutline.context import Aggregate, Event, ValueObject
from cutline.errors import ConfigurationError


def declared(event: type[Event]) -> Aggregate:
    return Aggregate("order", "An order.", (event,), {})


def event(annotation: Any, default: Any = ...) -> type[Event]:
    return create_model("Told", __base__=Event, __doc__="It was told.", field=(annotation, default))


class Code(enum.Enum):
    """Values of two kinds."""

    NUMBER = 1
    TEXT = "2"


class Rights(enum.Flag):
    """A set, not a choice."""

    READ = 1


class Lenient(enum.Enum):
    """More values than it lists."""

    A = "a"

    @classmethod
    def _missing_(cls, value: object) -> Lenient:
        return cls.A


class Loose(BaseModel):
    """Anybody may change it."""

    a: str


class Endless(ValueObject):
    """A part of itself."""

    parts: list[Endless]


class Named(RootModel[str]):
    """A name."""


class Undocumented(ValueObject):
    a: str


@pytest.mark.parametrize(
    ("annotation", "says"),
    [
        (float, "payload Told.field has type float, which columns cannot check. A float is not"),
        (Any, "has type Any"),
        (dict[str, str], "has type"),
        (Mapping[str, str], "has type"),
        (set[str], "has type"),
        (list, "has type list"),
        (tuple[str, int], "has type tuple"),
        (bytes, "has type bytes"),
        (dt.timedelta, "has type timedelta"),
        (int | str, "A union has no one column type"),
        (list[int | str | None], "payload Told.field[] has type"),
        (Code, "all text, all int or all bool"),
        (Rights, "A Flag"),
        (Lenient, "_missing_"),
        (Literal[1, "1"], "all text, all int or all bool"),
        (Literal[2**63], "at most 64 bits"),
        (Decimal, "payload Told.field is a Decimal without size"),
        (Annotated[Decimal, Field(max_digits=5)], "is a Decimal without size"),
        (Annotated[Decimal, Field(max_digits=39, decimal_places=2)], "has 39 digits"),
        (Annotated[Decimal, Field(max_digits=2, decimal_places=3)], "has 2 digits, 3 of them"),
        (Annotated[Decimal, Field(max_digits=4, decimal_places=2, ge=100)], "ge=100, which no"),
        (Annotated[Decimal, Field(max_digits=4, decimal_places=2, lt=0.5)], "no exact value"),
        (
            Annotated[Decimal, Field(max_digits=38, decimal_places=2, multiple_of=Decimal("0.05"))],
            "more digits than Python divides",
        ),
        (Annotated[int, Field(ge=2**63)], "no exact value"),
        (Annotated[dt.datetime, Field(ge=dt.datetime(2020, 1, 1))], "no exact value"),
        (Annotated[bool, Field(ge=0)], "carries ge, which does not go with its type"),
        (Annotated[str, Field(ge="a")], "carries ge"),
        (Annotated[Literal["a"], Field(max_length=1)], "carries max_length"),
        (Annotated[str, StringConstraints(strip_whitespace=True)], "which columns cannot check"),
        (Annotated[str, Field(strict=True)], "which columns cannot check"),
        (Annotated[str, AfterValidator(str.strip)], "which columns cannot check"),
        (list[Annotated[int, Field(strict=True)]], "payload Told.field[] carries the constraint"),
        (Annotated[str, Field(alias="f")], "has an alias"),
        (Annotated[str, Field(json_schema_extra={"personal": True})], "Annotated[…, personal]"),
        (Loose, "payload Told.field is not frozen"),
        (Endless, "payload Told.field.parts[] holds Endless in itself"),
        (Named, "payload Told.field is a RootModel"),
        (list[Undocumented], "payload Told.field[] has no docstring"),
    ],
)
def test_types_and_constraints_that_columns_cannot_keep(annotation: Any, says: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(says)) as refused:
        declared(event(annotation))
    assert refused.value.next_step


def test_a_default_is_not_announced_for_a_source_that_says_nothing() -> None:
    declared(event(str | None, None))
    with pytest.raises(ConfigurationError, match=r"Told\.field has a default"):
        declared(event(str, "EUR"))


class Checked(Event):
    """It has code of its own."""

    a: str

    @field_validator("a")
    @classmethod
    def upper(cls, value: str) -> str:
        return value.upper()


class Computed(Event):
    """It has code of its own."""

    a: str

    @computed_field  # type: ignore[prop-decorator]
    @property
    def b(self) -> str:
        return self.a


class Private(Event):
    """It keeps something to itself."""

    _views: int = 0


class Thawed(Event):
    """It can change."""

    model_config = ConfigDict(frozen=False)


class Stripping(Event):
    """It changes what it is given."""

    model_config = ConfigDict(str_strip_whitespace=True)


class Silent(Event):
    a: str


class Twice(Event):
    """Two names that columns take for one."""

    sku: str
    SKU: str


class Foreign(Event):
    """A name that not every tool can read."""

    größe: int


class Misnamed(Event):
    """Identified by what it has not."""

    identified_by = ("no",)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (Checked, "payload Checked has 'upper' of the kind field_validators"),
        (Computed, "payload Computed has 'b' of the kind computed_fields"),
        (Private, "payload Private has an __init__, a model_post_init or private attributes"),
        (Thawed, "payload Thawed is not frozen"),
        (Stripping, "payload Stripping has the setting str_strip_whitespace"),
        (Silent, "payload Silent has no docstring"),
        (Twice, "payload Twice.SKU differs from sku in upper and lower case only"),
        (Foreign, "payload Foreign.größe has a name beyond"),
        (Misnamed, "payload Misnamed is identified by 'no', which is none of its fields"),
    ],
)
def test_classes_that_do_what_columns_cannot(wrong: type[Event], says: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(says)):
        declared(wrong)


@pytest.mark.parametrize(
    ("pattern", "odd"),
    [
        (r"^\d{4}$", r"\d"),
        (r"\w+", r"\w"),
        (r"\bx", r"\b"),
        (r"^.*$", "."),
        (r"(?i)abc", "(?i"),
        (r"(?P<a>x)", "(?P"),
        (r"\p{L}", r"\p"),
        (r"[a&&b]", "&& in a class"),
        (r"[[:alpha:]]", "[: in a class"),
        (r"[a--b]", "the range a--"),
        (r"(?:a|b)*$", "a group that repeats *"),
        (r"(?:a+b){2,5}", "a group that repeats {2,5}"),
        (r"(?:ab){1,101}", "a group that repeats {1,101}"),
        (r"\x41", r"\x"),
        (r"a\z", r"\z"),
        ("a\tb", r"\t"),
        (re.compile("^a$"), "a compiled pattern"),
    ],
)
def test_patterns_that_pydantic_and_spark_read_differently(pattern: Any, odd: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        declared(event(Annotated[str, Field(pattern=pattern)]))
    assert f"do not read {odd} in it the same" in refused.value.what
    assert "Instead of \\d write [0-9]" in (refused.value.next_step or "")


@pytest.mark.parametrize("pattern", [r"a++", r"a**", r"a{2}{3}", r"a{,3}", r"^*a", r"[]a]", r"a\-"])
def test_patterns_that_only_one_of_them_reads(pattern: str) -> None:
    from cutline.context.payload.pattern import pattern_fault

    assert pattern_fault(pattern) is not None


@pytest.mark.parametrize(
    "pattern",
    [
        "^[A-Z]{2}-[0-9]{1,9}$",
        r"^(?:EUR|USD)?$",
        r'^[^\n"]*?x+$',
        r"\$[0-9]+\.[0-9]{2}",
        "[-a]|[a-]|[a^]",
        "^(?:[A-Z]{1,3},){0,9}$",
        "é|😀",
        r"[\[\]\\]",
        "",
    ],
)
def test_patterns_that_all_read_the_same(pattern: str) -> None:
    declared(event(Annotated[str, Field(pattern=pattern)]))


@pytest.mark.process
def test_nothing_of_it_needs_spark() -> None:
    import subprocess

    script = "import cutline.context.payload, sys; print('pyspark' in sys.modules)"
    completed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert completed.stdout.strip() == "False"
