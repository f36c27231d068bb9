"""Older shapes that cannot be told apart or lifted are refused where the contract is written."""

from __future__ import annotations

import datetime as dt
from functools import partial

import pyspark.sql.types as T
import pytest

from cutline.errors import ConfigurationError
from cutline.sources.lift_digest import older_shapes_identity
from cutline.translator import SourceContract, column, older, table
from cutline.translator.code_digest import code_digest

TURN = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)


class First(SourceContract):
    """An order, at first."""

    no: T.StringType = column(doc="its number")
    name: T.StringType = column(doc="its customer")
    at: T.TimestampType = column(doc="when it was placed")


class Second(SourceContract):
    """An order, later."""

    no: T.StringType = column(doc="its number")
    customer: T.StringType = column(doc="its customer")
    at: T.TimestampType = column(doc="when it was placed")


def renamed(row):
    """The customer has another name."""
    return {"customer": row.name}


def unchanged(row):
    return {}


def newest(*shapes, **more):
    class Newest(SourceContract):
        """An order."""

        no: T.StringType = column(doc="its number")
        customer: T.StringType = column(doc="its customer")
        at: T.TimestampType = column(doc="when it was placed")
        note: T.StringType = column(doc="a remark")

        class Config:
            metadata = table("erp", "orders", key=["no"], older=shapes, **more)

    return Newest


def noted(row):
    def inner(row):
        return {"else": row.other}

    return {"note": [lambda row: row.other, inner] and "none", "at": row["at"]}


def test_a_chain_is_known_newest_last():
    contract = newest(older(First, lift=renamed), older(Second, lift=noted))
    assert [s.contract for s in contract.older()] == [First, Second]


def misspelt_column(row):
    return {"customer": row.nme}


def misspelt_key(row):
    return dict(custmer=row.name)  # noqa: C408


@pytest.mark.parametrize(
    ("shapes", "more", "words"),
    [
        (
            [older(First, lift=misspelt_column), older(Second, lift=noted)],
            {},
            "contract Newest, lift misspelt_column of older shape First: the row has no column "
            "'nme'. Did you mean 'name'?",
        ),
        (
            [older(First, lift=lambda row: {"customer": row["nam"]}), older(Second, lift=noted)],
            {},
            "the row has no column 'nam'. Did you mean 'name'?",
        ),
        (
            [older(First, lift=misspelt_key), older(Second, lift=noted)],
            {},
            "Second has no column 'custmer'. Did you mean 'customer'?",
        ),
        (
            [
                older(First, lift=renamed, until_position="0/9"),
                older(Second, lift=noted, until_position="0/8"),
            ],
            {},
            "the ranges of First and Second overlap",
        ),
        (
            [
                older(First, lift=renamed, until_time=TURN, by="at"),
                older(Second, lift=noted, until_time=TURN, by="at"),
            ],
            {},
            "the ranges of First and Second overlap",
        ),
        (
            [older(First, lift=renamed), older(Second, lift=noted, until_position="0/8")],
            {},
            "First has no range, and the range of Second begins where nothing ends: there is a gap",
        ),
        (
            [
                older(First, lift=renamed, until_position="0/8"),
                older(Second, lift=noted, until_time=TURN, by="at"),
            ],
            {},
            "end at positions and at times of different columns",
        ),
        (
            [older(First, lift=unchanged, until_position="8/")],
            {},
            "until_position: '8/' is not a log",
        ),
        ([older(First, lift=unchanged, until_time=TURN)], {}, "`until_time` and `by` go together"),
        (
            [older(First, lift=unchanged, until_time=TURN.replace(tzinfo=None), by="at")],
            {},
            "has no time zone",
        ),
        (
            [older(First, lift=unchanged, until_time=TURN, by="att")],
            {},
            "shape First has no column 'att', which is to tell the shapes by time. Did you mean 'at'",
        ),
        (
            [older(First, lift=unchanged, until_time=TURN, by="no")],
            {},
            "column 'no', which is to tell the shapes by time, is string in First",
        ),
        ([older(First, lift=unchanged), older(First, lift=unchanged)], {}, "First is twice"),
        (
            [older(First, lift=partial(unchanged))],
            {},
            "it is a partial, and not a function of its own",
        ),
        ([], {"ignores": ["x"]}, "`ignores` is for a contract with older shapes"),
        ([older(First, lift=unchanged)], {"ignores": ["name"]}, "'name' is declared, and among"),
        ([older(First, lift=unchanged)], {"ignores": ["*", "x"]}, "leaves nothing to name"),
    ],
)
def test_what_cannot_work_is_refused_naming_the_contract(shapes, more, words):
    with pytest.raises(ConfigurationError) as error_info:
        newest(*shapes, **more)
    assert "contract Newest" in error_info.value.what
    assert words in error_info.value.what


def test_shapes_of_the_same_columns_need_a_range():
    with pytest.raises(ConfigurationError, match=r"Second and Again have the same columns"):

        class Again(SourceContract):
            """An order."""

            no: T.StringType = column(doc="its number")
            customer: T.IntegerType = column(doc="its customer's number")
            at: T.TimestampType = column(doc="when it was placed")

            class Config:
                metadata = table("erp", "orders", key=["no"], older=[older(Second, lift=unchanged)])


def test_two_spellings_of_a_column_are_refused():
    with pytest.raises(ConfigurationError, match=r"'customer' and 'Customer'.*upper and lower"):

        class Upper(SourceContract):
            """An order."""

            no: T.StringType = column(doc="its number")
            Customer: T.StringType = column(doc="its customer")

            class Config:
                metadata = table("erp", "orders", key=["no"], older=[older(Second, lift=unchanged)])


def test_a_shape_that_has_older_shapes_itself_is_refused():
    with pytest.raises(ConfigurationError, match="List the whole chain once"):

        class Top(SourceContract):
            """An order."""

            no: T.StringType = column(doc="its number")

            class Config:
                metadata = table(
                    "erp",
                    "orders",
                    key=["no"],
                    older=[older(newest(older(First, lift=unchanged)), lift=unchanged)],
                )


def identity_of_lift(body, until="0/8", helper="return 'none'"):
    """The lifting of a contract whose lift has this body, from source that is its own file's."""
    space = {}
    exec(f"def helper():\n    {helper}\ndef lift(row):\n    {body}\n", space)
    return older_shapes_identity(newest(older(Second, lift=space["lift"], until_position=until)))


def test_lifting_is_told_by_code_ranges_and_columns_and_not_by_comments():
    identity = identity_of_lift("return {'note': helper()}")
    assert identity == identity_of_lift("return {'note': helper()}")
    others = [
        identity_of_lift("return {'note': helper() + 'x'}"),
        identity_of_lift("return {'note': helper()}", until="0/9"),
        identity_of_lift("return {'note': helper()}", helper="return 'other'"),
        older_shapes_identity(newest(older(First, lift=renamed, until_position="0/8"))),
    ]
    assert identity not in others
    assert older_shapes_identity(First) == {}


def commented(row):
    """Says the same as `plain`."""
    # A comment.
    return {"note": LABEL}


def plain(row):
    return {"note": LABEL}


def with_number(row):
    return {"note": LABEL, "no": row.no}


LABEL = "none"


def test_names_comments_and_docstrings_do_not_count_but_constants_do(monkeypatch):
    assert code_digest(commented) == code_digest(plain) != code_digest(with_number)
    before = code_digest(plain)
    monkeypatch.setitem(globals(), "LABEL", "other")
    assert code_digest(plain) != before
