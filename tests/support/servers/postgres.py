"""A PostgreSQL server, with logical replication, and what tests ask of it."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from support.missing import missing
from support.ports import free_port
from support.servers.folder import ServerFolder
from support.servers.process import ServerProcess, wait_for
from support.servers.unprivileged import as_user


@dataclass
class PostgresServer:
    """A running server on 127.0.0.1; its superuser is `cutline`, with a password."""

    folder: ServerFolder
    port: int
    process: ServerProcess
    user: str = "cutline"
    password: str = "correct-horse-7"
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def url(self, database: str = "postgres", scheme: str = "postgresql") -> str:
        """The URL of one of its databases."""
        return f"{scheme}://{self.user}:{self.password}@127.0.0.1:{self.port}/{database}"

    def create_database(self, template: str = "template1") -> str:
        """Creates a database, empty or a copy of another; its name."""
        name = f"test_{next(self._numbers)}"
        self.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        return name

    def drop_database(self, name: str) -> None:
        """Drops a database, whoever is still connected, and whatever slots it has."""

        def dropped() -> None:
            # A slot that somebody reads is not dropped with its database.
            self.execute(
                "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots"
                f" WHERE active AND database = '{name}'"
            )
            self.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

        wait_for(dropped, 30)

    def execute(self, statement: str, database: str = "postgres") -> None:
        """Runs one statement outside a transaction."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement.encode())

    def program(self, name: str) -> Path:
        """A program of this server's version, such as `psql`."""
        return Path(self.process.command[0]).with_name(name)


def start_postgres(**settings: str) -> PostgresServer:
    """A server that is ready. Without one on the machine the test is skipped, or fails under .ci/run."""
    programs = _programs()
    if programs is None:
        missing("no PostgreSQL server here: neither in /usr/lib/postgresql/*/bin nor on the PATH")
    folder = ServerFolder("postgres")
    try:
        user_arguments = as_user(folder.path, "postgres")
        _initialize(programs, folder.path, user_arguments)
        port = free_port()
        server_settings = _SETTINGS | {"unix_socket_directories": folder.path, "port": port}
        server_settings |= settings
        options = [f"--{name}={value}" for name, value in server_settings.items()]
        command: list[str | Path] = [programs / "postgres", "-D", folder.path / "data", *options]
        process = ServerProcess(
            folder, command, _Answers(port), as_user=user_arguments, stop_signal=signal.SIGINT
        )
        process.start()
    except BaseException:
        folder.close()
        raise
    return PostgresServer(folder, port, process)


_SETTINGS: dict[str, Any] = {
    "listen_addresses": "127.0.0.1",
    "fsync": "off",
    "timezone": "Pacific/Chatham",  # Whoever forgets to ask for UTC notices here.
    "wal_level": "logical",
    "max_replication_slots": 40,
    "max_wal_senders": 40,
    # A slot waits for transactions that run; a test that forgot one ends sooner than CI.
    "idle_in_transaction_session_timeout": "10min",
}


@dataclass
class _Answers:
    """Raises while the server on that port does not answer."""

    port: int

    def __call__(self) -> None:
        user, password = PostgresServer.user, PostgresServer.password
        with psycopg.connect(
            host="127.0.0.1", port=self.port, user=user, password=password, dbname="postgres"
        ) as connection:
            connection.execute("SELECT 1")


def _programs() -> Path | None:
    installed = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3])
    )
    if installed:
        return installed[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path else None


def _initialize(programs: Path, folder: Path, user_arguments: dict[str, Any]) -> None:
    password = folder / "password"
    password.write_text(PostgresServer.password)
    if user_arguments:
        os.chown(password, user_arguments["user"], user_arguments["group"])
    subprocess.run(
        [
            programs / "initdb",
            f"--pgdata={folder / 'data'}",
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
        **user_arguments,
    )
