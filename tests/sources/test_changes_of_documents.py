"""MongoDB's updates of fields: what is set, what is taken away, and what is told only in part."""

from __future__ import annotations

import json

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, table
from support.extracting import Extract, write


class Customer(SourceContract):
    """One customer."""

    number: T.LongType = column(alias="_id", doc="its number", nullable=False)
    name: T.StringType = column(doc="name")
    phone: T.StringType = column(doc="phone")

    class Config:
        metadata = table("shop", "customers", key=["_id"])


def line(second, number, op="u", after=None, **description):
    """A record of `key^value`; what an update tells stands in texts."""
    record = {k: json.dumps(v) if k == "updatedFields" else v for k, v in description.items()}
    value = {
        "op": op,
        "after": None if after is None else json.dumps(after),
        "updateDescription": record or None,
        "source": {"collection": "customers", "db": "shop", "ord": 1, "ts_ms": second * 1000},
    }
    return f"{json.dumps({'id': str(number)})}^{json.dumps(value)}"


def test_an_update_of_fields_leaves_the_others_untold(spark, tmp_path):
    lines = [
        line(1, 1, "c", {"_id": 1, "name": "Ann", "phone": "9"}),
        line(2, 1, updatedFields={"name": "Anna"}),
        line(3, 1, removedFields=["phone"]),
        # Neither says what the field is now, nor that it stayed as it was.
        line(4, 2, updatedFields={"name.first": "Bo"}),
        line(5, 2, updatedFields={"name": "Bo"}, removedFields=["phone.home"]),
        line(6, 2, updatedFields={}, truncatedArrays=[{"field": "phone", "newSize": 1}]),
        line(7, 2, updatedFields={"name": "Bo"}, removedFields=[None]),
        line(8, 3, updatedFields={"name": "Cy"}, removedFields=["phone", "phone"]),
    ]
    write(tmp_path / "changes.jsonl", "\n".join(lines))
    changes = {
        "kind": "debezium",
        "path": "changes.jsonl",
        "log": "mongodb",
        "snapshot": {"policy": "in-log"},
    }
    source = {"kind": "log", "tables": {"customers": {}}, "changes": changes}
    extracted = Extract(tmp_path, {"shop": source}, (Customer,)).run(spark)
    at = "unix_seconds(source_time)"
    assert extracted.rows("shop_customers", at, "key", "after.*", "unknown", "defects") == [
        (1, "[1]", 1, "Ann", "9", None, []),
        (2, "[1]", 1, "Anna", None, ["phone"], []),
        (3, "[1]", 1, None, None, ["name"], []),
        # Whose change it is, is known: behind it nothing is taken from before it.
        *((second, "[2]", None, None, None, None, ["no-image"]) for second in (4, 5, 6, 7)),
        (8, "[3]", 3, "Cy", None, None, []),
    ]
