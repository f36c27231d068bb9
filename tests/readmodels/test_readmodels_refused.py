"""What cannot be, is refused by name before anything is made, and no password is shown."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from pyspark.sql import SparkSession

from cutline.errors import ConfigurationError, RunFailed
from cutline.project import load
from cutline.readmodels import read_model_of
from support.read_models import Desk, context_of
from support.sample_project import document, write
from support.servers.postgres import PostgresServer


def refused(
    folder: Path,
    *aggregates: str,
    regions: tuple[str, ...] = ("eu",),
    region: str = "eu",
    **section: object,
) -> str:
    content = document() | {"regions": {name: {} for name in regions}}
    content["rollout"] = {"read_model": {"url": "sqlite:///r.db"} | section}
    project = load(write(folder, content))
    with pytest.raises(ConfigurationError) as caught:
        read_model_of(project, context_of(*aggregates), region)
    assert not (folder / "r.db").exists()
    return str(caught.value)


def test_without_a_section_there_is_none(tmp_path: Path) -> None:
    assert read_model_of(load(write(tmp_path, document())), context_of("order"), "eu-west") is None


def test_names_that_meet(tmp_path: Path) -> None:
    tables = {"order": "sales", "parcel": "sales"}
    assert "aggregate order in region eu and of aggregate parcel in region eu" in refused(
        tmp_path, "order", "parcel", tables=tables
    )
    tables = {"order": "o", "parcel": "o_eu"}
    assert "both have tables called o_eu_west" in refused(
        tmp_path, "order", "parcel", regions=("eu_west", "west"), region="west", tables=tables
    )
    assert "both have tables called order_eu" in refused(tmp_path, "order", regions=("eu", "EU"))
    assert "both have tables called order_eu" in refused(tmp_path, "order", regions=("eu_v3", "eu"))


def test_a_region_with_a_database_of_its_own_is_in_nobodys_way(tmp_path: Path) -> None:
    content = document() | {"rollout": {"read_model": {"url": "sqlite:///r.db"}}}
    own_database = {"rollout": {"read_model": {"url": "sqlite:///other.db"}}}
    content["regions"] = {"eu": {}, "EU": {"override": own_database}}
    assert read_model_of(load(write(tmp_path, content), "eu"), context_of("order"), "eu")


def test_names_that_cannot_be(tmp_path: Path) -> None:
    assert "would begin with cutline_" in refused(tmp_path, "order", tables={"order": "cutline_x"})
    assert "longer than the 63 bytes" in refused(tmp_path, "order", tables={"order": "o" * 58})
    assert "no aggregate 'ordr'. Did you mean 'order'?" in refused(
        tmp_path, "order", tables={"ordr": "orders"}
    )


@pytest.mark.parametrize(
    ("section", "says"),
    [
        (
            {"url": "mysql://h/d"},
            "`rollout.read_model.url` in cutline.yaml is neither a SQLite nor",
        ),
        ({"url": "sqlite://"}, "rollout.read_model.url: sqlite:///read_model.db"),
        ({"url": "sqlite:///control.db"}, "is the control database"),
        ({"url": "sqlite:///./control.db"}, "is the control database"),
        ({"schema": "reading"}, "rollout.read_model.schema is for PostgreSQL"),
    ],
)
def test_a_database_that_cannot_be(tmp_path: Path, section: dict[str, object], says: str) -> None:
    assert says in refused(tmp_path, "order", **section)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "sqlite:///readmodel.db")
    (tmp_path / "readmodel.db").write_text("no database at all, but a text" * 99)
    for act in (desk.build, desk.model().versions):
        with pytest.raises(ConfigurationError, match=r"rollout.read_model.url: .* cannot be used"):
            act()


def test_a_state_table_that_is_not_there(spark: SparkSession, tmp_path: Path) -> None:
    desk = Desk(tmp_path, "sqlite:///readmodel.db")
    lake = desk.project_states(spark)
    desk.aggregates = ("order", "parcel")
    with pytest.raises(RunFailed, match="table state_parcel is not in"):
        desk.model().build(spark, lake, 1, "run-1")
    assert not (tmp_path / "readmodel.db").exists()


@pytest.mark.postgres
def test_a_server_that_refuses(
    tmp_path: Path, postgres_server: PostgresServer, postgres_url: str
) -> None:
    name = postgres_url.rsplit("/", 1)[1]
    address = postgres_url.split("@")[1]
    try:
        for statement in (
            "CREATE ROLE reader LOGIN PASSWORD 'reader-secret-5'",
            "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
            "CREATE SCHEMA closed",
        ):
            postgres_server.execute(statement, name)
        wrong = Desk(tmp_path, f"postgresql://cutline:wrong-secret-5@{address}")
        with pytest.raises(ConfigurationError, match=r"cannot be used: .*authentication") as caught:
            wrong.build()
        assert "wrong-secret-5" not in str(caught.value)
        away = Desk(tmp_path, "postgresql://cutline:wrong-secret-5@127.0.0.1:1/reading")
        with pytest.raises(ConfigurationError, match=r"rollout.read_model.url: .* cannot be used"):
            away.model().versions()
        for schema in (None, "closed", "missing"):
            reader = Desk(tmp_path, f"postgresql://reader:reader-secret-5@{address}", schema=schema)
            with pytest.raises(ConfigurationError, match="has no right to make") as caught:
                reader.build()
            assert "GRANT USAGE, CREATE ON SCHEMA" in caught.value.next_step
    finally:
        postgres_server.execute("DROP OWNED BY reader", name)
        postgres_server.execute("DROP ROLE reader", name)


@pytest.mark.postgres
def test_a_schema_of_its_own_with_readers_and_dependents(
    tmp_path: Path, postgres_server: PostgresServer, postgres_url: str
) -> None:
    desk = Desk(tmp_path, postgres_url, schema="reading")
    first = desk.build()
    other_columns = desk.build(
        2, "run-2", rows=[("A-1", "x")], columns=["subject string", "status string"]
    )
    model = desk.model()
    model.point(first)
    try:
        desk.execute("CREATE ROLE service LOGIN PASSWORD 'service-secret-5'")
        desk.execute("GRANT USAGE ON SCHEMA reading TO service")
        desk.execute('GRANT SELECT ON "order_eu-west" TO service, PUBLIC')
        service = postgres_url.replace("cutline:correct-horse-7", "service:service-secret-5")
        for version in (first, other_columns, first):
            model.point(version)
            with psycopg.connect(service) as connection:
                answer = connection.execute(
                    'SELECT count(*) FROM reading."order_eu-west"'
                ).fetchone()
            assert answer == (version.tables[0].rows,)
        desk.execute('CREATE VIEW theirs AS SELECT total FROM "order_eu-west"')
        with pytest.raises(RunFailed, match="other objects depend on"):
            model.point(other_columns)
        assert model.pointed() == 1
        # Another query under the same columns disturbs nobody.
        model.point(desk.build(3, "run-3"))
        assert model.pointed() == 3
    finally:
        desk.execute("DROP OWNED BY service")
        desk.execute("DROP ROLE service")
