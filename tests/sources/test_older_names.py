"""Another way of lifting older rows makes another run."""

from __future__ import annotations

from types import SimpleNamespace

import pyspark.sql.types as T

from cutline.run.naming import run_key
from cutline.translator import SourceContract, Truth, column, older, table
from support.extracting import SHOP, Extract


class Was(SourceContract):
    """An order, as it was."""

    no: T.StringType = column(doc="its number")


def lift_row(row):
    return {"customer": "nobody"}


def two(row):
    return {"customer": "somebody"}


def named(tmp_path, *shapes):
    class Order(SourceContract):
        """An order."""

        no: T.StringType = column(doc="its number")
        customer: T.StringType = column(doc="its customer")

        class Config:
            metadata = table("erp", "orders", key=["no"], older=shapes)

    tables = {"orders": {"path": "orders.csv"}}
    sources = {"erp": {"kind": "csv", "path": "in", "tables": tables}}
    project = Extract(tmp_path, sources, (Order,)).project
    translation = SimpleNamespace(
        context=SHOP,
        name="shop",
        version="1.0.0",
        translators=(),
        contracts=lambda: (Order,),
        truth=Truth(),
    )
    return run_key(project, translation, "eu", {"erp": "x"}).run_id


def test_lifts_and_ranges_are_in_the_name_of_a_run(tmp_path):
    names = [
        named(tmp_path),
        named(tmp_path, older(Was, lift=lift_row)),
        named(tmp_path, older(Was, lift=two)),
        named(tmp_path, older(Was, lift=lift_row, until_position="0/8")),
        named(tmp_path, older(Was, lift=lift_row, until_position="0/9")),
    ]
    assert len(set(names)) == 5
    assert named(tmp_path, older(Was, lift=lift_row)) == names[1]
