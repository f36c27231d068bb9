"""What datasets are called, by OpenLineage's naming conventions; never with a user or a password.

SQLite has no convention: its tables are named by their file, `#` and the table.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

_URL = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:/")
_S3 = ("s3a", "s3n")
_CONTAINERS = ("abfs", "abfss", "wasb", "wasbs")
"""Schemes whose URLs have a container, and no user, before the host."""
_PORTS = {"postgres": 5432, "mysql": 3306}


class DatasetName(NamedTuple):
    """The namespace of a dataset, and its name there."""

    namespace: str
    name: str


def path_name(path: str) -> DatasetName:
    """A file or folder: of this machine by its absolute path, else by the URL's parts."""
    if not _URL.match(path):
        return DatasetName("file", path)
    parts = urlsplit(path)
    if parts.scheme == "file":
        return DatasetName("file", unquote(parts.path))
    scheme = "s3" if parts.scheme in _S3 else parts.scheme
    user, at, host = parts.netloc.rpartition("@")
    container = f"{user}@" if at and scheme in _CONTAINERS and ":" not in user else ""
    return DatasetName(f"{scheme}://{container}{host}", parts.path.strip("/") or "/")


def sqlite_name(path: str, table: str) -> DatasetName:
    """A table of a SQLite file."""
    namespace, name = path_name(path)
    return DatasetName(namespace, f"{name}#{table}")


def postgres_name(url: SecretStr, schema: str, table: str) -> DatasetName:
    """A table of PostgreSQL."""
    server, database = _server("postgres", url)
    return DatasetName(server, f"{database}.{schema}.{table}")


def mysql_name(url: SecretStr, table: str) -> DatasetName:
    """A table of MariaDB or MySQL."""
    server, database = _server("mysql", url)
    return DatasetName(server, f"{database}.{table}")


def topic_name(bootstrap: str, topic: str) -> DatasetName:
    """A topic of Kafka, by the first of the brokers that cutline.yaml names."""
    return DatasetName(f"kafka://{bootstrap.split(',')[0].strip()}", topic)


def _server(scheme: str, url: SecretStr) -> tuple[str, str]:
    """Host and port as a namespace, and the database."""
    parts = urlsplit(url.get_secret_value())
    host = parts.netloc.rpartition("@")[2] or "localhost"
    if not re.search(r":\d+$", host):
        host = f"{host}:{_PORTS[scheme]}"
    return f"{scheme}://{host}", unquote(parts.path.strip("/"))
