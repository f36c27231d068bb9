"""Read models of small tables of states, on SQLite and on PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from sqlalchemy import create_engine, make_url, text

from cutline.context import Aggregate, Context, state_name
from cutline.lake import Lake
from cutline.project import load
from cutline.readmodels import ReadModel, ReadModelColumn, ReadModelVersion, read_model_of
from cutline.readmodels.lines import line_of
from cutline.readmodels.states import States
from cutline.tables import Column, Table
from support.sample_project import document, write

ORDER = ("subject string", "status string", "total decimal(12,2)", "tags array<string>")
ROWS: list[tuple[Any, ...]] = [
    ("A-1", "open", "10.50", ["b", "c"]),
    ("A-2", None, None, None),
    ("A-3", "tab\tand\nline", "-0.01", []),
    ("B-1", "back\\slash \\N", "0.00", ['"', None]),
    ("Ä-1", "", "9999999999.99", ["é"]),
]


def context_of(*aggregates: str, name: str = "fulfilment") -> Context:
    return Context(
        name, "A context.", tuple(Aggregate(a, "An aggregate.", (), {}) for a in aggregates)
    )


@dataclass
class Desk:
    """A read model under test: the project in `folder`, its lake, and what stands in its database."""

    folder: Path
    url: str
    aggregates: tuple[str, ...] = ("order",)
    tables: dict[str, str] | None = None
    schema: str | None = None

    def model(self, region: str = "eu-west", name: str = "fulfilment") -> ReadModel:
        section: dict[str, Any] = {"url": self._url_for_file(), "tables": self.tables or {}}
        if self.schema is not None:
            section["schema"] = self.schema
        write(self.folder, document() | {"rollout": {"read_model": section}})
        model = read_model_of(load(self.folder), context_of(*self.aggregates, name=name), region)
        assert model is not None
        return model

    def project_states(
        self,
        spark: SparkSession,
        rows: Sequence[tuple[Any, ...]] = ROWS,
        columns: Sequence[str] = ORDER,
        run: str = "run-1",
    ) -> Lake:
        """The lake of a run with these rows as the states of each aggregate."""
        # Values come as texts, so that decimals and times are written in the test as they are.
        text_rows = [
            tuple(str(v) if isinstance(v, int | float) else v for v in row) for row in rows
        ]
        names = [c.split()[0] for c in columns]
        types = [c.split(maxsplit=1)[1] for c in columns]
        read = [t if "<" in t else "string" for t in types]
        schema = ", ".join(f"`{n}` {t}" for n, t in zip(names, read, strict=True))
        frame = spark.createDataFrame(text_rows, schema)
        return self.lake_of(spark, frame, columns, run)

    def lake_of(
        self, spark: SparkSession, frame: DataFrame, columns: Sequence[str], run: str
    ) -> Lake:
        lake = Lake(str(self.folder / "lake" / run))
        contract = tuple(Column(*c.split(maxsplit=1), "A column.") for c in columns)
        for aggregate in self.aggregates:
            lake.write(frame.repartition(2), Table(state_name(aggregate), "one subject", contract))
        return lake

    def build(
        self,
        version: int = 1,
        run: str = "run-1",
        *,
        model: ReadModel | None = None,
        rows: Sequence[tuple[Any, ...]] = ROWS,
        columns: Sequence[str] = ORDER,
    ) -> ReadModelVersion:
        """Builds these states of each aggregate, without Spark: values are texts, arrays JSON."""
        described = tuple(
            ReadModelColumn(name=name, type=type)
            for name, type in (column.split(maxsplit=1) for column in columns)
        )
        lines = sorted((_line(row) for row in rows), key=lambda line: line.split(b"\t")[0])
        states = States(described, len(lines), lines)
        by_aggregate = dict.fromkeys(self.aggregates, states)
        return (model or self.model()).build_states(by_aggregate, version, run)

    def execute(self, statement: str) -> list[tuple[Any, ...]]:
        """What somebody else does in the database, in a transaction of its own."""
        engine = create_engine(make_url(self.sqlalchemy_url))
        try:
            with engine.begin() as connection:
                if self.is_postgres:
                    connection.execute(text("SET TimeZone = 'UTC'"))
                if self.schema is not None:
                    connection.execute(text(f'SET search_path = "{self.schema}"'))
                answer = connection.execution_options(no_parameters=True).exec_driver_sql(statement)
                return [tuple(row) for row in answer] if answer.returns_rows else []
        finally:
            engine.dispose()

    @property
    def is_postgres(self) -> bool:
        return self.url.startswith("postgresql")

    @property
    def sqlalchemy_url(self) -> str:
        if self.is_postgres:
            return self.url.replace("postgresql:", "postgresql+psycopg:")
        return f"sqlite:///{self.folder / 'readmodel.db'}"

    def _url_for_file(self) -> str:
        """The URL as cutline.yaml has it: a password comes from a file."""
        url = make_url(self.url)
        if url.password is None:
            return self.url
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "secret").write_text(str(url.password))
        plain = url.set(password="PASSWORD").render_as_string(hide_password=False)
        return plain.replace("PASSWORD", "${file:secret}")


def _line(row: tuple[Any, ...]) -> bytes:
    values = [
        json.dumps(v, ensure_ascii=False, separators=(",", ":")) if isinstance(v, list) else v
        for v in row
    ]
    return line_of([None if v is None else v.encode() for v in (*values, None, "0")])


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    """An empty database, not made yet, of a project in `tmp_path`."""
    if request.param == "sqlite":
        return Desk(tmp_path, "sqlite:///readmodel.db")
    return Desk(tmp_path, request.getfixturevalue("postgres_url"))
