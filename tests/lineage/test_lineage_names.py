"""Names of datasets: by OpenLineage's conventions, and never with a user or a password."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from cutline.lineage.names import (
    DatasetName,
    mysql_name,
    path_name,
    postgres_name,
    sqlite_name,
    topic_name,
)


@pytest.mark.parametrize(
    ("path", "namespace", "name"),
    [
        ("/data/erp/orders.csv", "file", "/data/erp/orders.csv"),
        ("file:///data/a%20b.csv", "file", "/data/a b.csv"),
        ("s3a://bucket/erp/orders", "s3://bucket", "erp/orders"),
        ("s3a://KEY:geheim@bucket/erp", "s3://bucket", "erp"),
        ("s3://bucket/erp?sig=geheim", "s3://bucket", "erp"),
        ("gs://bucket", "gs://bucket", "/"),
        ("hdfs://name:8020/erp", "hdfs://name:8020", "erp"),
        ("hdfs://user@name:8020/erp", "hdfs://name:8020", "erp"),
        ("abfss://box@store.dfs.core.windows.net/erp", "abfss://box@store.dfs.core.windows.net", "erp"),
        ("abfss://u:geheim@store.dfs.core.windows.net/erp", "abfss://store.dfs.core.windows.net", "erp"),
    ],
)  # fmt: skip
def test_files(path: str, namespace: str, name: str) -> None:
    assert path_name(path) == DatasetName(namespace, name)


@pytest.mark.parametrize(
    ("url", "namespace", "database"),
    [
        ("postgresql://ada:geheim@db:5433/erp", "postgres://db:5433", "erp"),
        ("postgresql://ada:geh%40im@db/erp?password=geheim", "postgres://db:5432", "erp"),
        ("postgresql://ada:ge@heim@a:1,b:2/erp", "postgres://a:1,b:2", "erp"),
        ("postgresql:///erp", "postgres://localhost:5432", "erp"),
    ],
)
def test_postgresql(url: str, namespace: str, database: str) -> None:
    name = postgres_name(SecretStr(url), "public", "orders")
    assert name == DatasetName(namespace, f"{database}.public.orders")


def test_other_places() -> None:
    assert mysql_name(SecretStr("mysql://ada:geheim@db/erp"), "orders") == DatasetName(
        "mysql://db:3306", "erp.orders"
    )
    assert sqlite_name("/data/legacy.db", "orders") == DatasetName("file", "/data/legacy.db#orders")
    assert topic_name("a:9092, b:9092", "erp.orders") == DatasetName("kafka://a:9092", "erp.orders")
