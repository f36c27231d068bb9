"""A table may have columns of any name: none is taken for one that reading makes."""

from __future__ import annotations

import csv
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark.sql.types as T
import pytest

from cutline.translator import SourceContract, column, older, table
from support.extracting import Extract, change, database, write


class Document(SourceContract):
    """A document, with names as document databases and checks of quality give them."""

    key_: T.StringType = column(doc="its key", alias="_key", nullable=False)
    defects: T.StringType = column(doc="what is wrong with it")
    doubled: T.StringType = column(doc="its copy", alias="_doubled")
    of_defects: T.StringType = column(doc="a column of a value", alias="_t_defects")
    source_: T.StringType = column(doc="where it comes from", alias="source")
    dotted: T.StringType = column(doc="a name with a dot", alias="a.b `c`")
    after: T.StringType = column(doc="what follows")

    class Config:
        metadata = table("shop", "documents", key=["_key"])


NAMES = ("_key", "defects", "_doubled", "_t_defects", "source", "a.b `c`", "after")
ROWS = [["1", "scratch", "2", "x", "mail", "dot", "3"], ["2", *[None] * 6], ["2", *"abcdef"]]


def documents(folder, kind):
    path = folder / "in" / f"documents.{kind}"
    path.parent.mkdir()
    if kind == "sqlite":
        columns = ", ".join(f'"{name}"' for name in NAMES)
        rows = {"documents": [tuple(row) for row in ROWS]}
        database(path, f"CREATE TABLE documents({columns});", rows)
        return {"kind": kind, "path": "in/documents.sqlite", "tables": {"documents": {}}}
    if kind == "parquet":
        columns = {n: pa.array([row[i] for row in ROWS]) for i, n in enumerate(NAMES)}
        pq.write_table(pa.table(columns), path)
    elif kind == "csv":
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([NAMES, *ROWS])
        write(path, text.getvalue())
    else:
        objects = (dict(zip(NAMES, row, strict=True)) for row in ROWS)
        write(path, "".join(json.dumps(document) + "\n" for document in objects))
    return {"kind": kind, "path": "in", "tables": {"documents": {"path": path.name}}}


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl", "sqlite"])
def test_a_column_may_have_the_name_of_one_that_reading_makes(spark, tmp_path, kind):
    sources = {"shop": documents(tmp_path, kind)}
    extracted = Extract(tmp_path, sources, (Document,)).run(spark)
    values = [f"after.`{name.replace('`', '``')}`" for name in NAMES]
    assert extracted.rows("shop_documents", "key", *values, "defects") == sorted(
        [
            ('["1"]', *ROWS[0], []),
            ('["2"]', *ROWS[1], ["duplicate-key"]),
            ('["2"]', *ROWS[2], ["duplicate-key"]),
        ],
        key=repr,
    )


class NumberedCustomer(SourceContract):
    """A customer, as it was: what is consented to is a number."""

    no: T.StringType = column(doc="its number", nullable=False)
    consent: T.StringType = column(doc="to what")
    consent_given: T.StringType = column(doc="when, as text")


class Customer(SourceContract):
    """A customer."""

    no: T.StringType = column(doc="its number", nullable=False)
    consent: T.StringType = column(doc="to what, in words")
    consent_given: T.DateType = column(doc="when")
    channel: T.StringType = column(doc="by which way")

    class Config:
        metadata = table(
            "shop",
            "customers",
            key=["no"],
            older=[
                older(
                    NumberedCustomer,
                    lift=lambda row: {
                        "consent": "letters, as of old",
                        "channel": row.consent_given,
                    },
                )
            ],
        )


def test_a_lift_keeps_a_column_apart_from_one_whose_name_goes_on(spark, tmp_path):
    old = {"no": "1", "consent": "7", "consent_given": "2026-03-01"}
    new = {"no": "2", "consent": "calls", "consent_given": "2026-04-01", "channel": "web"}
    lines = "".join(json.dumps(row) + "\n" for row in (old, new))
    write(tmp_path / "in" / "customers.jsonl", lines)
    write(
        tmp_path / "changes.jsonl",
        change("c", None, {**old, "no": "3"}, table="customers") + "\n",
    )
    sources = {
        "shop": {
            "kind": "jsonl",
            "path": "in",
            "tables": {"customers": {"path": "customers.jsonl"}},
            "changes": {
                "kind": "debezium",
                "path": "changes.jsonl",
                "snapshot": {"policy": "exported-snapshot", "consistent_point": "0/1F4"},
            },
        }
    }
    extracted = Extract(tmp_path, sources, (Customer,)).run(spark)
    columns = ("after.no", "after.consent", "cast(after.consent_given AS string)", "after.channel")
    assert extracted.rows("shop_customers", *columns, "defects") == [
        ("1", "letters, as of old", "2026-03-01", "2026-03-01", []),
        ("2", "calls", "2026-04-01", "web", []),
        ("3", "letters, as of old", "2026-03-01", "2026-03-01", []),
    ]
