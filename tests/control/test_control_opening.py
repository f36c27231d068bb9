"""Opening the control database: created, migrated, refused."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from pydantic import SecretStr
from sqlalchemy import inspect, text
from sqlalchemy.exc import OperationalError

import cutline
from cutline.control import Control
from cutline.control.models import METADATA, SCHEMA_TABLE
from cutline.control.opening import REVISIONS
from cutline.errors import EXIT_USAGE, ConfigurationError, RunFailed
from support.servers.postgres import PostgresServer

LOCAL = SecretStr("sqlite:///control.db")
NOBODY = 65534


def test_an_empty_database_gets_the_schema_that_the_models_describe(control: Control) -> None:
    with control.database.read() as connection:
        migrations = MigrationContext.configure(connection, opts={"version_table": SCHEMA_TABLE})
        assert migrations.get_current_heads() == (REVISIONS[-1],)
        assert compare_metadata(migrations, METADATA) == []


def test_the_known_revisions_are_those_of_the_migrations() -> None:
    config = Config()
    config.set_main_option("script_location", "cutline.control:migrations")
    scripts = ScriptDirectory.from_config(config)
    assert tuple(reversed([s.revision for s in scripts.walk_revisions()])) == REVISIONS


def test_opening_again_changes_nothing(
    control: Control, control_url: SecretStr, tmp_path: Path
) -> None:
    with control.lease("fulfilment", "eu-west"):
        pass
    again = Control.open(control_url, tmp_path)
    assert [(s.context, s.region) for s in again.slices()] == [("fulfilment", "eu-west")]


def test_a_newer_schema_is_refused(
    control: Control, control_url: SecretStr, tmp_path: Path
) -> None:
    with control.database.write() as connection:
        connection.execute(text(f"UPDATE {SCHEMA_TABLE} SET version_num = '9999'"))
    for use in (Control.open, Control.peek):
        with pytest.raises(ConfigurationError) as refused:
            use(control_url, tmp_path)
        assert refused.value.exit_code == EXIT_USAGE
        assert "written by a newer Cutline" in refused.value.what
        assert "9999" in refused.value.what
        assert "Upgrade" in refused.value.next_step


def test_peeking_creates_nothing(control_url: SecretStr, tmp_path: Path) -> None:
    assert Control.peek(control_url, tmp_path) is None
    assert list(tmp_path.iterdir()) == []
    opened = Control.open(control_url, tmp_path)
    with opened.lease("fulfilment", "eu-west"):
        peeked = Control.peek(control_url, tmp_path)
        assert peeked is not None
        assert [s.region for s in peeked.slices()] == ["eu-west"]


@pytest.mark.process
def test_processes_may_open_an_empty_database_at_once(
    control_url: SecretStr, tmp_path: Path
) -> None:
    script = (
        "import sys; from pathlib import Path; from pydantic import SecretStr\n"
        "from cutline.control import Control\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "for _ in range(5):\n"
        "    c = Control.open(SecretStr(sys.argv[1]), Path(sys.argv[2]))\n"
        "    c.slices()\n"
        "    with c.lease('fulfilment', sys.argv[3]): pass\n"
    )
    command = [sys.executable, "-c", script, control_url.get_secret_value(), str(tmp_path)]
    processes = [
        subprocess.Popen(
            [*command, f"region-{i}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for i in range(5)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")
    slices = Control.open(control_url, tmp_path).slices()
    assert [s.region for s in slices] == [f"region-{i}" for i in range(5)]


def test_a_relative_path_is_relative_to_the_project(tmp_path: Path) -> None:
    Control.open(SecretStr("sqlite:///state/control.db"), tmp_path)
    assert (tmp_path / "state" / "control.db").is_file()


def test_an_absolute_path_is_taken_as_it_is(tmp_path: Path) -> None:
    Control.open(SecretStr(f"sqlite:///{tmp_path}/here.db"), tmp_path / "project")
    assert (tmp_path / "here.db").is_file()


def test_sqlite_readers_go_on_while_one_writes(tmp_path: Path) -> None:
    control = Control.open(LOCAL, tmp_path)
    with control.database.write() as connection:
        connection.execute(text("DELETE FROM cutline_slices"))
        assert control.slices() == []


def test_foreign_keys_hold(control: Control) -> None:
    orphan = "INSERT INTO cutline_stages (run_id, name, status, started_at) "
    orphan += "VALUES ('none', 'extract', 'running', '2026-11-01 00:00:00')"
    with pytest.raises(Exception, match=r"(?i)foreign key"), control.database.write() as connection:
        connection.execute(text(orphan))


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    garbage = b"order_no;status\n" * 1000
    (tmp_path / "control.db").write_bytes(garbage)
    for use in (Control.open, Control.peek):
        with pytest.raises(ConfigurationError, match="is not a SQLite database"):
            use(LOCAL, tmp_path)
    assert (tmp_path / "control.db").read_bytes() == garbage


def test_somebody_elses_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "control.db") as legacy:
        legacy.execute("CREATE TABLE orders (order_no TEXT)")
    legacy.close()
    before = (tmp_path / "control.db").read_bytes()
    with pytest.raises(ConfigurationError, match="not a control database"):
        Control.open(LOCAL, tmp_path)
    assert (tmp_path / "control.db").read_bytes() == before


@pytest.mark.postgres
def test_a_shared_server_database_is_welcome(
    postgres_server: PostgresServer, postgres_url: str, tmp_path: Path
) -> None:
    postgres_server.execute("CREATE TABLE runs (theirs text)", postgres_url.rsplit("/", 1)[1])
    control = Control.open(SecretStr(postgres_url), tmp_path)
    with control.database.read() as connection:
        names = set(inspect(connection).get_table_names())
    assert {n for n in names if not n.startswith("cutline_")} == {"runs"}


@pytest.fixture
def unwritable() -> Iterator[Path]:
    """A folder of somebody else's, seen by a user who may only read it."""
    folder = Path(tempfile.mkdtemp(prefix="cutline-unwritable-"))
    # What is imported late is imported now: this process may not read it as nobody.
    Control.open(LOCAL, folder)
    folder.chmod(0o555)
    (folder / "control.db").chmod(0o444)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield folder
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)
        shutil.rmtree(folder)


@pytest.mark.parametrize("name", ["control.db", "new.db", "new/control.db"])
def test_a_folder_that_cannot_be_written_is_refused(unwritable: Path, name: str) -> None:
    with pytest.raises(ConfigurationError, match="cannot be written") as refused:
        Control.open(SecretStr(f"sqlite:///{name}"), unwritable)
    assert str(unwritable / name) in refused.value.what


FULL = ("database or disk is full", "disk I/O error", "[Errno 28] No space left on device")


@pytest.mark.parametrize("use", [Control.open, Control.peek])
@pytest.mark.parametrize("says", FULL)
def test_a_full_disk_is_no_matter_of_rights(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    use: Callable[[SecretStr, Path], object],
    says: str,
) -> None:
    Control.open(LOCAL, tmp_path)

    def fails(*_: object) -> None:
        raise OperationalError("PRAGMA integrity_check", {}, sqlite3.OperationalError(says))

    monkeypatch.setattr("cutline.control.opening.look_through", fails)
    with pytest.raises(RunFailed) as failed:
        use(LOCAL, tmp_path)
    assert f"{tmp_path}/control.db failed: {says}" in failed.value.what
    assert failed.value.next_step == "Make room on its disk, then run the same command again."


def test_a_disk_that_is_full_within_a_transaction_wants_room(tmp_path: Path) -> None:
    control = Control.open(LOCAL, tmp_path)

    def fill() -> None:
        with control.database.write() as connection:
            pages = connection.execute(text("PRAGMA page_count")).scalar_one()
            connection.execute(text(f"PRAGMA max_page_count = {pages}"))
            connection.execute(text("CREATE TABLE large AS SELECT zeroblob(100000) AS filler"))

    with pytest.raises(RunFailed) as failed:
        fill()
    assert "database or disk is full" in failed.value.what
    assert failed.value.next_step.startswith("Make room")


@pytest.mark.postgres
def test_a_half_restored_database_on_a_server_is_damaged(
    postgres_server: PostgresServer, postgres_url: str, tmp_path: Path
) -> None:
    Control.open(SecretStr(postgres_url), tmp_path)
    postgres_server.execute("DELETE FROM cutline_schema", postgres_url.rsplit("/", 1)[1])
    for use in (Control.open, Control.peek):
        with pytest.raises(ConfigurationError, match="cutline_schema has 0 rows") as refused:
            use(SecretStr(postgres_url), tmp_path)
        assert "Restore it from a backup" in refused.value.next_step


def test_a_path_through_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        Control.open(SecretStr("sqlite:///file/control.db"), tmp_path)


@pytest.mark.parametrize(
    "url",
    [
        "mysql://root@localhost/control",
        "control.db",
        "",
        "sqlite://",
        "sqlite:///",
        "sqlite:///:memory:",
        "sqlite:///file:control.db?mode=ro&uri=true",
        "sqlite:///control.db?timeout=1",
        "postgresql://",
        "postgresql://localhost",
        "postgresql+psycopg2://localhost/control",
        "postgresql://user:secret",
        "postgresql:///control",
    ],
)
def test_a_url_that_names_no_shared_database_is_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"`control` in cutline\.yaml") as refused:
        Control.open(SecretStr(url), tmp_path)
    assert "sqlite:///control.db" in refused.value.next_step
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
@pytest.mark.postgres
def test_postgres_has_several_names(
    postgres_server: PostgresServer, postgres_url: str, scheme: str, tmp_path: Path
) -> None:
    name = postgres_url.rsplit("/", 1)[1]
    assert Control.open(SecretStr(postgres_server.url(name, scheme)), tmp_path).runs() == []


@pytest.mark.postgres
def test_a_user_who_may_not_create_tables_is_refused(
    postgres_server: PostgresServer, postgres_url: str, tmp_path: Path
) -> None:
    name = postgres_url.rsplit("/", 1)[1]
    postgres_server.execute("CREATE ROLE reader LOGIN PASSWORD 'look-only'")
    url = postgres_url.replace(
        f"{postgres_server.user}:{postgres_server.password}", "reader:look-only"
    )
    try:
        with pytest.raises(ConfigurationError, match="permission denied") as refused:
            Control.open(SecretStr(url), tmp_path)
        assert f"127.0.0.1:{postgres_server.port}/{name}" in refused.value.what
    finally:
        postgres_server.execute("DROP ROLE reader")


def test_without_its_driver_postgres_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ConfigurationError) as refused:
        Control.open(SecretStr("postgresql://user:pw@127.0.0.1:1/control"), tmp_path)
    assert "pip install 'cutline[postgres]'" in refused.value.next_step


@pytest.mark.process
def test_importing_it_loads_neither_spark_nor_alembic() -> None:
    script = "import sys, cutline.control; print({'pyspark', 'alembic'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.process
def test_migrations_travel_with_the_package(tmp_path: Path) -> None:
    """The package alone, somewhere else, migrates: nothing is found by the repository's layout."""
    elsewhere = tmp_path / "site-packages"
    source = Path(cutline.__file__).parent
    shutil.copytree(source, elsewhere / "cutline", ignore=shutil.ignore_patterns("__pycache__"))
    script = (
        "from pathlib import Path; from pydantic import SecretStr\n"
        "import cutline.control as c\n"
        f"c.Control.open(SecretStr('sqlite:///control.db'), Path({str(tmp_path)!r}))\n"
        "print(c.__file__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(elsewhere)},
    )
    assert re.match(re.escape(str(elsewhere)), done.stdout), done.stderr
    assert (tmp_path / "control.db").is_file()
