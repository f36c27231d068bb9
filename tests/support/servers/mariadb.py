"""A MariaDB server with a binary log, and what tests ask of it."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pymysql

from support.missing import missing
from support.ports import free_port
from support.servers.folder import ServerFolder
from support.servers.process import ServerProcess
from support.servers.unprivileged import as_user


@dataclass
class MariadbServer:
    """A running server on 127.0.0.1; its user `cutline` may do everything, with a password."""

    folder: ServerFolder
    port: int
    process: ServerProcess
    user: str = "cutline"
    password: str = "correct-horse-7"
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def url(self, database: str, user: str | None = None) -> str:
        """The URL of one of its databases."""
        return f"mysql://{user or self.user}:{self.password}@127.0.0.1:{self.port}/{database}"

    def create_database(self) -> str:
        """Creates an empty database; its name."""
        name = f"test_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE `{name}` CHARACTER SET utf8mb4")
        return name

    def execute(self, *statements: str, database: str | None = None) -> list[tuple[Any, ...]]:
        """Runs statements, each committed by itself; the rows of the last."""
        with self.connect(database) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return list(cursor.fetchall())

    def connect(self, database: str | None = None) -> pymysql.Connection[Any]:
        """A connection of the user that may do everything."""
        return pymysql.connect(
            host="127.0.0.1",
            port=self.port,
            user=self.user,
            password=self.password,
            database=database,
            charset="utf8mb4",
            autocommit=True,
        )


def start_mariadb(*options: str) -> MariadbServer:
    """A server that is ready. Without it on the machine the test is skipped, or fails under .ci/run."""
    install, program = shutil.which("mariadb-install-db"), _program()
    if install is None or program is None:
        missing("no MariaDB server here: mariadb-install-db or mariadbd is not on the PATH")
    folder = ServerFolder("mariadb")
    try:
        user_arguments = as_user(folder.path, "mysql")
        data = folder.path / "data"
        subprocess.run(
            [install, "--no-defaults", f"--datadir={data}", "--skip-test-db"],
            check=True,
            capture_output=True,
            cwd=folder.path,
            **user_arguments,
        )
        first = folder.path / "first.sql"
        user = f"'{MariadbServer.user}'@'127.0.0.1'"
        first.write_text(
            f"CREATE USER IF NOT EXISTS {user} IDENTIFIED BY '{MariadbServer.password}';\n"
            f"GRANT ALL ON *.* TO {user} WITH GRANT OPTION;\n"
        )
        first.chmod(0o644)
        # Not before the files are made, which takes long enough for another to take the port.
        port = free_port()
        command = [
            program,
            "--no-defaults",
            f"--datadir={data}",
            f"--port={port}",
            f"--socket={folder.path / 'socket'}",
            f"--pid-file={folder.path / 'pid'}",
            f"--init-file={first}",
            *_SETTINGS,
            *options,
        ]
        process = ServerProcess(folder, command, _Answers(port), as_user=user_arguments)
        process.start()
    except BaseException:
        folder.close()
        raise
    return MariadbServer(folder, port, process)


_SETTINGS = (
    "--bind-address=127.0.0.1",
    "--skip-name-resolve",
    "--log-bin=binlog",
    "--server-id=1",
    "--binlog-format=ROW",
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-buffer-pool-size=64M",
    "--innodb-log-file-size=16M",
    "--default-time-zone=+12:45",  # Whoever forgets to ask for UTC notices here.
)


@dataclass
class _Answers:
    """Raises while the server on that port does not answer."""

    port: int

    def __call__(self) -> None:
        pymysql.connect(
            host="127.0.0.1",
            port=self.port,
            user=MariadbServer.user,
            password=MariadbServer.password,
        ).close()


def _program() -> str | None:
    # Debian has it in a folder that the PATH of plain users lacks.
    return shutil.which("mariadbd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
