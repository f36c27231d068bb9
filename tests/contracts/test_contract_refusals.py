"""What cannot be judged row by row is refused when a translator uses the contract, without Spark."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from typing import Annotated, Any

import pandera.pyspark as pa
import pyspark.sql.types as T
import pytest

from cutline.errors import ConfigurationError
from cutline.translator import Part, Translator, column, fact, lookup, row_check
from cutline.translator.occurrence import Occurrence
from support.contracts import contract
from support.shop import SHOP, OldOrder, Placed

PRICE = Annotated[T.DecimalType, 12, 2]
WIDE = Annotated[T.DecimalType, 38, 10]
NAIVE = dt.datetime(2026, 1, 1)


@pytest.mark.parametrize(
    ("kind", "checks", "reason"),
    [
        (T.StringType, {"eq": 5}, r"\(string\): the check 'eq' does not fit: 5 is not a text"),
        (T.StringType, {"isin": ["a", 5]}, "'isin' does not fit: 5 is not a text"),
        (T.StringType, {"isin": "abc"}, "a text stands for its characters there; write a list"),
        (T.StringType, {"isin": []}, "the list is empty"),
        (T.StringType, {"notin": ["a", None]}, "null is no value"),
        (T.StringType, {"eq": "\ud800"}, "is not a Unicode text"),
        (T.StringType, {"gt": "a"}, "the check 'gt' cannot be compiled on string"),
        (T.StringType, {"str_startswith": 5}, "5 is not a text"),
        (T.StringType, {"str_length": -1}, "-1 is no length"),
        (T.StringType, {"str_length": (1, 2.5)}, "2.5 is no length"),
        (T.StringType, {"unique_values_eq": ["a"]}, "'unique_values_eq' cannot be compiled"),
        (T.LongType, {"ge": "5"}, r"\(bigint\): the check 'ge' does not fit: '5' is not a whole"),
        (T.LongType, {"ge": 0.5}, "0.5 is not a whole number"),
        (T.LongType, {"eq": True}, "True is not a whole number"),
        (T.LongType, {"isin": [1, True]}, "True is not a whole number"),
        (T.LongType, {"le": 2**63}, "is out of its range"),
        (T.IntegerType, {"le": 2**31}, "is out of its range"),
        (T.LongType, {"str_matches": "a"}, "'str_matches' cannot be compiled on bigint"),
        (T.LongType, {"in_range": (1, Decimal(3))}, "is not a whole number"),
        (PRICE, {"ge": 0.1}, r"0.1 is a float.* write Decimal"),
        (PRICE, {"ge": Decimal("NaN")}, "is not a number"),
        (WIDE, {"ge": Decimal("0.00000000001")}, "need 39 digits; 38 can be compared"),
        (T.DoubleType, {"ge": 2**53 + 1}, "is not exactly a value of it"),
        (T.DoubleType, {"ne": float("nan")}, "is not exactly a value of it"),
        (T.FloatType, {"eq": 0.1}, "is not exactly a value of it"),
        (T.BooleanType, {"eq": 1}, "1 is not True or False"),
        (T.BooleanType, {"isin": [True]}, "'isin' cannot be compiled on boolean"),
        (T.DateType, {"ge": "2026-01-01"}, "is not a datetime.date"),
        (T.DateType, {"ge": NAIVE}, "is not a datetime.date"),
        (T.TimestampType, {"ge": dt.date(2026, 1, 1)}, "is not a datetime.datetime"),
        (T.TimestampType, {"ge": NAIVE}, "has no time zone"),
        (T.StringType, {"str_matches": "A|B"}, r"only the first; put them in a group"),
        (T.StringType, {"str_matches": "^(?:a|b)+$"}, "repeats a group, which ends the process"),
        (T.StringType, {"str_contains": "(a){2,}"}, "repeats a group"),
        (T.StringType, {"str_contains": "(?P<a>b)"}, "only Python's patterns know"),
        (T.StringType, {"str_matches": re.compile("a", re.IGNORECASE)}, "write the pattern as a text"),
        (T.LongType, {"ge": 0, "coerce": True}, "coerce=True cannot be compiled"),
        (T.LongType, {"ge": 0, "regex": True}, "regex=True cannot be compiled"),
        (T.LongType, {"ge": 0, "raise_warning": True}, "has an option that would be ignored"),
        (T.LongType, {"ge": 0, "ignore_na": False}, "has an option that would be ignored"),
        (T.ArrayType(T.StringType()), {"unique": True}, "'unique' cannot be compiled"),
    ],
)  # fmt: skip
def test_a_check_that_cannot_be_compiled(kind: Any, checks: dict[str, Any], reason: str) -> None:
    rows = contract({"x": (kind, column(doc="it", **checks))})
    with pytest.raises(ConfigurationError, match=f"contract Rows, column x.*{reason}") as error:
        Part(rows, ("id",))
    assert error.value.next_step or "unique" in reason


MAP = T.MapType(T.StringType(), T.LongType())


@pytest.mark.parametrize(
    ("kind", "incomparable"),
    [
        (MAP, "map<string,bigint>"),
        (T.ArrayType(MAP), "map<string,bigint>"),
        (T.ArrayType(T.StructType().add("a", MAP)), "map<string,bigint>"),
        (T.ArrayType(T.VariantType()), "variant"),
    ],
)
def test_types_that_cannot_be_compared(kind: Any, incomparable: str) -> None:
    rows = contract({"x": (kind, column(doc="it"))})
    with pytest.raises(ConfigurationError, match=f"column x .* type {incomparable} cannot be"):
        Part(rows, ("id",))


def test_arrays_of_structs_can_be_compared() -> None:
    nested = T.StructType().add("a", T.ArrayType(T.LongType())).add("b", T.BinaryType())
    Part(contract({"x": (T.ArrayType(nested), column(doc="it"))}), ("id",))


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?:A|B)",
        r"[|(]\|\(",
        r"^(?:[a-z]+\.)*+[a-z]+$",
        r"(?:ab){3}",
        r"(?:ab){1,100}",
        r"(?:ab)?",
        r"[()*]*",
        r"[](*|)*]+",
        r"[^])*]+",
    ],
)
def test_patterns_that_are_taken(pattern: str) -> None:
    Part(contract({"x": (T.StringType, column(doc="it", str_matches=pattern))}), ("id",))


@pytest.mark.parametrize(
    ("checks", "reason"),
    [
        ({"ixin": ["a"]}, "the column 'it' cannot be declared: custom check 'ixin' is not"),
        ({"in_range": (3, 1)}, "the column 'it' cannot be declared: .*empty interval"),
        ({"str_matches": "("}, "the column 'it' cannot be declared: "),
    ],
)
def test_a_column_that_cannot_be_declared(checks: dict[str, Any], reason: str) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        column(doc="it", **checks)


@pytest.mark.parametrize("option", [{"coerce": True}, {"strict": True}, {"ordered": True}])
def test_options_of_whole_frames(option: dict[str, Any]) -> None:
    with pytest.raises(
        ConfigurationError, match=r"contract Rows: Config\.\w+ says how a whole frame"
    ):
        Part(contract({}, **option), ("id",))


def test_a_unique_column_that_is_not_there() -> None:
    rows = contract({"order_no": (T.StringType, column(doc="no"))}, unique=["id", "order_on"])
    with pytest.raises(ConfigurationError, match=r"'order_on' that is not there.*'order_no'"):
        Part(rows, ("id",))


def test_checks_that_are_written_for_frames() -> None:
    class WithCheck(contract({"x": (T.LongType, column(doc="it"))})):
        @pa.check("x")
        def positive(cls, data):
            return True

    class WithFrameCheck(contract({"x": (T.LongType, column(doc="it"))})):
        @pa.dataframe_check
        def enough(cls, frame):
            return frame.count() > 5

    with pytest.raises(ConfigurationError, match="column x: the check 'positive' cannot") as error:
        Part(WithCheck, ("id",))
    assert "@row_check" in error.value.next_step
    assert "isin" in error.value.next_step
    assert "str_matches" not in error.value.next_step
    with pytest.raises(ConfigurationError, match="the check 'enough' of the frame cannot"):
        Part(WithFrameCheck, ("id",))


def test_a_row_check_knows_its_columns_and_says_what_is_wrong() -> None:
    class Misspelt(contract({"status": (T.StringType, column(doc="it"))})):
        @row_check
        def is_new(cls, row):
            """the status is odd"""
            return row.stauts == "N"

    with pytest.raises(
        ConfigurationError, match=r"row check is_new: there is no column 'stauts'.*'status'"
    ):
        Part(Misspelt, ("id",))
    with pytest.raises(ConfigurationError, match="silent has no docstring"):

        @row_check
        def silent(cls, row):
            return row.status == "N"


def is_new(the_row):
    return the_row.stauts == "N"


def test_a_column_that_a_helper_of_a_row_check_misspells_is_found() -> None:
    class Misspelt(contract({"status": (T.StringType, column(doc="it"))})):
        @row_check
        def fresh(cls, row):
            """it is not new"""
            return is_new(row)

    with pytest.raises(ConfigurationError, match=r"row check fresh: there is no column 'stauts'"):
        Part(Misspelt, ("id",))


def test_a_translator_that_uses_such_a_contract_cannot_be_defined() -> None:
    bad = contract({"x": (T.LongType, column(doc="it", ge="0"))})
    with pytest.raises(ConfigurationError, match="contract Rows, column x"):

        class FromIt(Translator):
            context, aggregate, version = SHOP, "order", "1.0.0"
            source, subject = bad, "id"

            @fact(Placed)
            def placed(self, row):
                return Occurrence(when=row.x > 0, data={})

    with pytest.raises(ConfigurationError, match="contract Rows, column x"):
        lookup(bad, on="no", by="id")
    Part(OldOrder, ("no",))
