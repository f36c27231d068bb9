"""Sakila, a shop that rents films: public data, loaded into PostgreSQL, and a copy for each test.

16,044 rentals, 183 of them open, and 16,049 payments. Four payments belong to another customer than
their rental does. A payment that is inserted with a date from January to June 2007 goes to a table of its
month, without a key, by a rule; those that were loaded stand in `payment` itself.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from support.paths import SHARED
from support.servers.postgres import PostgresServer

FOLDER = SHARED / "data" / "sakila"
_FILES = ("postgres-sakila-schema.sql", "postgres-sakila-data-copy.sql")


@pytest.fixture(scope="session")
def sakila_template(postgres_server: PostgresServer) -> str:
    """The name of a database to copy: nobody may be connected to it. Skips without the data."""
    if not FOLDER.is_dir():
        pytest.skip(f"Sakila is not here: {FOLDER}")
    name = "sakila"
    postgres_server.execute(
        "DO $$ BEGIN CREATE ROLE postgres; EXCEPTION WHEN duplicate_object THEN NULL; END $$"
    )
    postgres_server.execute(f"CREATE DATABASE {name}")
    files = [part for file in _FILES for part in ("--file", FOLDER / file)]
    loading = subprocess.run(
        [
            *(postgres_server.program("psql"), "--no-psqlrc", "--quiet", "--output=/dev/null"),
            *("--set=ON_ERROR_STOP=1", *files, postgres_server.url(name)),
        ],
        capture_output=True,
        text=True,
    )
    assert loading.returncode == 0, loading.stderr
    return name


@pytest.fixture
def sakila(sakila_template: str, postgres_server: PostgresServer) -> Iterator[str]:
    """The name of a copy of the test's own."""
    name = postgres_server.create_database(sakila_template)
    yield name
    postgres_server.drop_database(name)
