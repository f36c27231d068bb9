"""Change files of other connectors, as other projects test with them: each row read right.

The expected values are typed from the files by reading them.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

import pyspark.sql.types as T
import pytest

from cutline.errors import RunFailed
from cutline.translator import SourceContract, column, table
from support.extracting import Extract, write
from support.paths import SHARED

REAL = SHARED / "data" / "cdc"
pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason=f"the change files are not at {REAL}")


class CanalProduct(SourceContract):
    """One product (seatunnel/canal_data.txt)."""

    id: T.IntegerType = column(doc="number")
    name: T.StringType = column(doc="name")
    weight: Annotated[T.DecimalType, 6, 3] = column(doc="kilograms")

    class Config:
        metadata = table("canal", "products", key=["id"])


class MaxwellProduct(SourceContract):
    """One product (seatunnel/maxwell_data.txt)."""

    id: T.IntegerType = column(doc="number")
    name: T.StringType = column(doc="name")
    weight: Annotated[T.DecimalType, 6, 3] = column(doc="kilograms")

    class Config:
        metadata = table("maxwell", "products", key=["id"])


class OggProduct(SourceContract):
    """One product (seatunnel/ogg_data.txt)."""

    id: T.IntegerType = column(doc="number")
    description: T.StringType = column(doc="description")
    weight: T.DoubleType = column(doc="kilograms")

    class Config:
        metadata = table("ogg", "ogg_test", key=["id"])


class DmsProduct(SourceContract):
    """One product (paimon/…/aws-dms-data-3.txt)."""

    id: T.IntegerType = column(doc="number")
    weight: Annotated[T.DecimalType, 6, 3] = column(doc="kilograms")
    address: T.StringType = column(doc="where it is")

    class Config:
        metadata = table("dms", "product", key=["id"])


class MongoCustomer(SourceContract):
    """One customer (risingwave/debezium_mongo_json_customers.1)."""

    number: T.LongType = column(alias="_id", doc="number")
    first_name: T.StringType = column(doc="first name")
    phone: T.StringType = column(doc="in no document")

    class Config:
        metadata = table("mongo", "customers", key=["_id"])


class MySqlCustomer(SourceContract):
    """One customer (risingwave/debezium_log.1)."""

    id: T.IntegerType = column(doc="number")
    last_name: T.StringType = column(doc="last name")

    class Config:
        metadata = table("mysql", "customers", key=["id"])


CONTRACTS = (CanalProduct, MaxwellProduct, OggProduct, DmsProduct, MongoCustomer, MySqlCustomer)


def log(table_, path, **changes):
    return {
        "kind": "log",
        "tables": {table_: {"name": table_.replace("ogg_test", "OGG_TEST")}},
        "changes": {"path": str(path), "snapshot": {"policy": "in-log"}} | changes,
    }


@pytest.fixture(scope="module")
def extracted(spark, tmp_path_factory):
    folder = tmp_path_factory.mktemp("formats")
    canal = (REAL / "seatunnel/canal_data.txt").read_text().splitlines()
    write(folder / "canal.txt", "\n".join(line for line in canal if '"ALTER"' not in line))
    dms = REAL / "paimon/kafka/aws-dms/table/schemaevolution/aws-dms-data-3.txt"
    mongo = REAL / "risingwave/debezium_mongo_json_customers.1"
    mysql = REAL / "risingwave/debezium_log.1"
    sources = {
        "canal": log("products", folder / "canal.txt", kind="canal"),
        "maxwell": log("products", REAL / "seatunnel/maxwell_data.txt", kind="maxwell"),
        "ogg": log("ogg_test", REAL / "seatunnel/ogg_data.txt", kind="ogg", zone="Europe/Berlin"),
        "dms": log("product", dms, kind="dms"),
        "mongo": log("customers", mongo, kind="debezium", log="mongodb"),
        "mysql": log("customers", mysql, kind="debezium", log="mysql"),
    }
    return Extract(folder, sources, CONTRACTS).run(spark)


def test_canal_has_several_rows_in_a_record(extracted):
    rows = extracted.rows(
        "canal_products",
        *("op", "key", "before.weight", "after.weight", "offset", "position", "defects"),
        "cast(source_time as string)",
    )
    third = f"{0:020d}.{3:020d}."
    when = ([], "2023-10-20 08:01:39")
    new = ["3.14", "8.1", "0.8", "0.75", "0.875", "1.0", "5.3", "0.1", "22.2"]
    assert rows == sorted(
        [
            *(
                ("c", f"[{1101 + i}]", None, Decimal(w), 3, f"{third}{i:010d}", *when)
                for i, w in enumerate(new)
            ),
            (
                "u",
                "[1101]",
                Decimal("3.14"),
                Decimal("4.56"),
                4,
                f"{0:020d}.{4:020d}.{0:010d}",
                *when,
            ),
            (
                "u",
                "[1107]",
                Decimal("5.3"),
                Decimal("7.88"),
                5,
                f"{0:020d}.{5:020d}.{0:010d}",
                *when,
            ),
            ("d", "[1109]", Decimal("22.2"), None, 6, f"{0:020d}.{6:020d}.{0:010d}", *when),
        ],
        key=repr,
    )


def test_a_table_that_was_altered_stops_the_run(spark, tmp_path):
    source = log("products", REAL / "seatunnel/canal_data.txt", kind="canal")
    with pytest.raises(RunFailed, match=r"canal_data.txt, line 3: gives table 'products' another"):
        Extract(tmp_path, {"canal": source}, (CanalProduct,)).run(spark)


def test_maxwell_tells_where_transactions_end_and_what_a_row_was(extracted):
    rows = extracted.rows(
        "maxwell_products",
        *("op", "key", "before.weight", "after.name", "after.weight", "transaction", "defects"),
    )
    assert len(rows) == 12
    assert ("c", "[109]", None, "spare tire", Decimal("22.200"), "246", []) in rows
    assert ("u", "[101]", Decimal("3.140"), "scooter", Decimal("4.560"), "248", []) in rows
    assert ("u", "[107]", Decimal("5.300"), "rocks", Decimal("7.880"), "250", []) in rows
    assert ("d", "[109]", Decimal("22.200"), None, None, "252", []) in rows
    assert extracted.result.stored()["facts"]["extracts"]["maxwell"]["transactions"] == "told"
    assert extracted.result.stored()["facts"]["extracts"]["canal"]["transactions"] == "assumed"


def test_golden_gate_tells_its_place_in_the_trail_and_local_times(extracted):
    rows = extracted.rows(
        "ogg_ogg_test",
        *("op", "key", "before.weight", "after.description", "after.weight", "position"),
        *("commit", "cast(source_time as string)", "unknown", "defects"),
    )
    assert len(rows) == 16
    first = f"{143:020d}"
    assert rows[0] == (
        *("c", "[101]", None, "Small 2-wheel scooter", 3.140000104904175),
        *(f"{first}.{0:020d}.{0:010d}", first, "2020-05-13 13:40:06", None, []),
    )
    last = f"{158:020d}"
    assert [row for row in rows if row[0] == "d"] == [
        (
            *("d", "[111]", 5.170000076293945, None, None),
            *(f"{last}.{0:020d}.{0:010d}", last, "2020-05-13 15:32:24.455", None, []),
        )
    ]
    assert next(row[1:5] for row in rows if row[0] == "u") == (
        *("[106]", 1.0, "18oz carpenter hammer", 1.0),
    )


def test_dms_leaves_nulls_out_and_has_what_was_beside_what_is(extracted):
    assert extracted.rows(
        "dms_product",
        *("op", "key", "before.address", "after.address", "cast(after.weight as string)"),
        *("transaction", "cast(source_time as string)", "defects"),
    ) == sorted(
        [
            (*row, "670014899490", "2024-10-27 12:39:03.210671", [])
            for row in [
                ("c", "[105]", None, "Shanghai", "0.875"),
                # Its image before lacks the address, so that it is unknown as a whole.
                ("d", "[101]", None, None, None),
                ("u", "[105]", "Shanghai", "Beijing", "0.875"),
                ("c", "[107]", None, None, "5.300"),
            ]
        ],
        key=repr,
    )


def test_documents_are_extended_json(extracted):
    assert extracted.rows("mongo_customers", "op", "key", "after.*", "position", "defects") == [
        ("r", f"[{n}]", n, name, None, f"{1681879044:020d}.{1:020d}.{0:010d}", [])
        for n, name in [(1001, "Sally"), (1002, "George"), (1003, "Edward"), (1004, "Anne")]
    ]


def test_places_in_a_binary_log(extracted):
    rows = extracted.rows("mysql_customers", "op", "key", "after.last_name", "position", "defects")
    assert len(rows) == 10
    start = f"{3:020d}.{157:020d}.{0:010d}"
    assert ("r", "[1001]", "Thomas", start, []) in rows
    assert [row[1:3] for row in rows if row[0] == "c"] == [("[1005]", "add"), ("[1006]", "add1")]
    assert all(row[3] > start for row in rows if row[0] != "r")
    commits = extracted.rows("mysql_customers", "commit", "op")
    assert {(c is None) == (op == "r") for c, op in commits} == {True}
