"""A lift that cannot be applied the same way every time is refused before anything is written."""

from __future__ import annotations

import pyspark.sql.types as T
import pytest
from pyspark.sql import Window
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError
from cutline.translator import SourceContract, column, older, table
from support.extracting import Extract, write


class Was(SourceContract):
    """An order, as it was."""

    no: T.StringType = column(doc="its number")
    name: T.StringType = column(doc="its customer")


def contract(lift):
    class Is(SourceContract):
        """An order."""

        no: T.StringType = column(doc="its number")
        customer: T.StringType = column(doc="its customer")
        year: T.IntegerType = column(doc="when it was placed")

        class Config:
            metadata = table("erp", "orders", key=["no"], older=[older(Was, lift=lift)])

    return Is


def hidden(row):
    """The misspelt name is not to be read off the code."""
    return {"customer": getattr(row, "nam" + "es"), "year": 1}


def stranger(row):
    return {"customer": F.col("year").cast("string"), "year": 1}


def gap(row):
    return {"customer": row.name}


def list_(row):
    return [row.name]


def unknown_key(row):
    return {"customer": row.name, "y" + "aer": 1}


REFUSED = {
    hidden: "lift hidden of older shape Was: the row has no column 'names'. Did you mean 'name'?",
    stranger: "lift stranger of older shape Was: what it gives for 'customer' cannot be computed",
    gap: "lift gap of older shape Was: there is a gap: it does not give 'year'",
    list_: "it gives list, and not a dict",
    unknown_key: "the next shape has no column 'yaer'. Did you mean 'year'?",
}
UNFIT = {
    "now": (lambda row: {"customer": "x", "year": F.year(F.current_timestamp())}, "uses current"),
    "random": (lambda row: {"customer": F.rand().cast("string"), "year": 1}, "uses rand"),
    "uuid": (lambda row: {"customer": F.uuid(), "year": 1}, "uses uuid"),
    "sum": (lambda row: {"customer": F.max(row.name), "year": 1}, "at other rows"),
    "window": (
        lambda row: {"customer": F.first(row.name).over(Window.partitionBy(row.no)), "year": 1},
        "uses window: it looks at other rows",
    ),
    "explode": (
        lambda row: {"customer": F.explode(F.array(row.name)), "year": 1},
        "uses generate: it makes several rows of one",
    ),
    "python": (lambda row: {"customer": F.udf(str)(row.name), "year": 1}, "uses python_udf"),
    "chance": (
        lambda row: {"customer": F.hex(F.aes_encrypt(row.name, F.lit("k" * 16))), "year": 1},
        "uses aes_encrypt",
    ),
}


def erp(tmp_path, lift):
    write(tmp_path / "in" / "orders.csv", "no,name\n1,Ada\n")
    tables = {"orders": {"path": "orders.csv"}}
    sources = {"erp": {"kind": "csv", "path": "in", "tables": tables}}
    return Extract(tmp_path, sources, (contract(lift),))


@pytest.mark.parametrize(("lift", "words"), [*REFUSED.items(), *UNFIT.values()])
def test_a_lift_that_cannot_be_applied_names_contract_and_lift(spark, tmp_path, lift, words):
    with pytest.raises(ConfigurationError) as raised:
        erp(tmp_path, lift).run(spark)
    assert raised.value.what.startswith("contract Is, lift ")
    assert "of older shape Was: " in raised.value.what
    assert words in raised.value.what
    assert not (tmp_path / "lake" / "eu" / "changes_erp_orders").exists()


def test_another_lift_is_another_extract(tmp_path, spark):
    def first_lift(row):
        return {"customer": row.name, "year": 1}

    def two(row):
        return {"customer": row.name, "year": 2}

    def again(row):
        return {"customer": row.name, "year": 1}

    digests = [
        erp(tmp_path, lift).run(spark).result.stored()["facts"]["made_from"]
        for lift in (first_lift, two, again)
    ]
    assert digests[0] == digests[2] != digests[1]
