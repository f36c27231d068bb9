"""A PostgreSQL server of the test run's own: found, started once, ended at the end."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import pytest

from support.missing import missing
from support.ports import free_port

_START_SECONDS = 60


@dataclass
class PostgresServer:
    """A running server on 127.0.0.1; its superuser is `cutline`, with a password."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes]
    user: str = "cutline"
    password: str = "correct-horse-7"
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def url(self, database: str = "postgres", scheme: str = "postgresql") -> str:
        """The URL of one of its databases."""
        return f"{scheme}://{self.user}:{self.password}@127.0.0.1:{self.port}/{database}"

    def create_database(self) -> str:
        """Creates an empty database; its name."""
        name = f"test_{next(self._numbers)}"
        self.execute(f'CREATE DATABASE "{name}"')
        return name

    def drop_database(self, name: str) -> None:
        """Drops a database, whoever is still connected."""
        self.execute(f'DROP DATABASE "{name}" WITH (FORCE)')

    def execute(self, statement: str, database: str = "postgres") -> None:
        """Runs one statement outside a transaction."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement.encode())


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """The server. Without one on the machine the test is skipped, or fails under .ci/run."""
    programs = _programs()
    if programs is None:
        missing("no PostgreSQL server here: neither in /usr/lib/postgresql/*/bin nor on the PATH")
    folder = Path(tempfile.mkdtemp(prefix="cutline-postgres-"))
    try:
        server = _start(programs, folder)
        try:
            yield server
        finally:
            server.process.send_signal(signal.SIGQUIT)
            server.process.wait(_START_SECONDS)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """The URL of an empty database of this test's own."""
    name = postgres_server.create_database()
    yield postgres_server.url(name)
    postgres_server.drop_database(name)


def _programs() -> Path | None:
    installed = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3])
    )
    if installed:
        return installed[-1].parent
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found else None


def _start(programs: Path, folder: Path) -> PostgresServer:
    as_user = _as_user(folder)
    data, password = folder / "data", folder / "password"
    password.write_text(PostgresServer.password)
    if as_user:
        os.chown(password, as_user["user"], as_user["group"])
    subprocess.run(
        [
            programs / "initdb",
            f"--pgdata={data}",
            f"--username={PostgresServer.user}",
            f"--pwfile={password}",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
        ],
        check=True,
        capture_output=True,
        cwd=folder,
        **as_user,
    )
    port = free_port()
    settings = {
        "listen_addresses": "127.0.0.1",
        "port": port,
        "unix_socket_directories": folder,
        "fsync": "off",
        "timezone": "Pacific/Chatham",  # Whoever forgets to ask for UTC notices here.
        "wal_level": "logical",
    }
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [programs / "postgres", "-D", data, *options],
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=folder,
            **as_user,
        )
    server = PostgresServer(folder, port, process)
    _wait(server)
    return server


def _as_user(folder: Path) -> dict[str, Any]:
    """Arguments of Popen: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        os.chown(folder, found.pw_uid, found.pw_gid)
        return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}
    raise RuntimeError("root, and neither a user `postgres` nor `nobody` to run the server as")


def _wait(server: PostgresServer) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            server.execute("SELECT 1")
            return
        except psycopg.OperationalError:
            if server.process.poll() is not None or time.monotonic() > deadline:
                server.process.kill()
                raise RuntimeError((server.folder / "log").read_text()) from None
        time.sleep(0.1)
