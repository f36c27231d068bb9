"""Tables of PostgreSQL whose columns are not what SQLAlchemy has a name for, or hold no number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, make_url, text

from cutline.errors import ConfigurationError
from support.sales_by_hour import hour, place, sales_project, sold_each_half_hour, totals

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("spark")]
SOLD = sold_each_half_hour(8)
RIGHT = totals(SOLD)


class Desk:
    """The project, and its table with the columns of `kinds` other than usual; amounts of hour 2
    are wrong."""

    def __init__(
        self, folder: Path, url: str, kinds: dict[str, str] | None = None, **repair: Any
    ) -> None:
        address = make_url(url)
        (folder / "password").write_text(address.password or "")
        output = {
            "url": url.replace(f":{address.password}@", ":${file:password}@"),
            "ignored": ["seen_at"],
        } | repair.pop("output", {})
        self.hourly = sales_project(folder, output=output, **repair).repair("hourly")
        place(folder, SOLD)
        self._engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
        columns = {
            "hour": "timestamptz",
            "product": "text",
            "orders": "smallint",
            "cents": "bigint",
            "seen_at": "timestamptz DEFAULT now()",
        } | (kinds or {})
        names = ", ".join(f"{name} {kind}" for name, kind in columns.items())
        self.run(f"CREATE TABLE sales ({names}, PRIMARY KEY (hour, product))")
        for name, product, orders, cents in RIGHT:
            amount = 2 * cents if "T02" in name else cents
            self.run(
                "INSERT INTO sales (hour, product, orders, cents) "
                f"VALUES ('{name}', '{product}', {orders}, {amount})"
            )

    def run(self, *statements: str) -> None:
        """Statements of SQL in the table's database."""
        with self._engine.begin() as connection:
            for statement in statements:
                connection.execute(text(statement))

    def rows(self, query: str = "SELECT product, orders, cents::bigint FROM sales") -> list[Any]:
        """What a query gives, in order."""
        with self._engine.begin() as connection:
            return sorted(tuple(row) for row in connection.execute(text(query)))


@pytest.mark.parametrize(
    "kinds",
    [
        {"seen_at": "point"},
        {"seen_at": "xml", "product": 'text COLLATE "C"'},
        {"product": "char(8)", "cents": "numeric(12,2)"},
    ],
)
def test_a_table_of_odd_columns_is_repaired_and_put_back(
    tmp_path: Path, postgres_url: str, kinds: dict[str, str]
) -> None:
    desk = Desk(tmp_path, postgres_url, kinds)
    before = desk.rows()
    assert desk.hourly.window(hour(2), hour(3)).changed
    assert [(p.strip(), o, c) for p, o, c in desk.rows()] == sorted(row[1:] for row in RIGHT)
    desk.hourly.reverse()
    assert desk.rows() == before


def test_a_number_that_a_column_cannot_have_is_the_query_s_fault(
    tmp_path: Path, postgres_url: str
) -> None:
    desk = Desk(tmp_path, postgres_url)
    (tmp_path / "repairs" / "hourly.sql").write_text(
        "SELECT window_start, 'x' AS product, 70000 AS orders, 1 AS cents FROM events GROUP BY 1"
    )
    with pytest.raises(ConfigurationError, match="cannot have a value: smallint out of range"):
        desk.hourly.window(hour(2), hour(3))
    assert desk.rows("SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'") == [
        ("sales",)
    ]


@pytest.mark.parametrize("kind", ["jsonb", "json"])
def test_documents_are_compared_as_the_database_can(
    tmp_path: Path, postgres_url: str, kind: str
) -> None:
    desk = Desk(tmp_path, postgres_url, {"seen_at": kind}, output={"ignored": []})
    (tmp_path / "repairs" / "hourly.sql").write_text(
        "SELECT window_start, get_json_object(data, '$.product') AS product, count(*) AS orders, "
        "sum(cast(get_json_object(data, '$.cents') AS bigint)) AS cents, "
        "if(get_json_object(data, '$.product') = 'nut', null, "
        """to_json(named_struct('name', 'bolt', 'n', 1.50BD, 'is', array(true)))) AS seen_at """
        "FROM events GROUP BY window_start, get_json_object(data, '$.product')"
    )
    desk.run(
        """UPDATE sales SET seen_at = '{"n": 1.5, "is": [true], "name": "bolt"}' """
        "WHERE product = 'bolt'"
    )
    if kind == "json":
        with pytest.raises(ConfigurationError, match="cannot compare a column"):
            desk.hourly.window(hour(2), hour(3))
        return
    done = desk.hourly.window(hour(2), hour(3))
    assert (done.changed, done.wrong) == (True, 1)
    assert desk.rows() == sorted(row[1:] for row in RIGHT)


def test_numbers_that_are_none_are_compared_and_told(tmp_path: Path, postgres_url: str) -> None:
    desk = Desk(
        tmp_path, postgres_url, {"cents": "double precision"}, corrections="sales.corrections"
    )
    desk.run("UPDATE sales SET cents = 'NaN' WHERE hour = '2026-11-01T02:00:00Z'")
    assert desk.hourly.window(hour(2), hour(3), corrections=True).corrections == 2
    assert desk.hourly.window(hour(2), hour(3)).changed


def test_rows_of_other_tables_are_not_lost(tmp_path: Path, postgres_url: str) -> None:
    desk = Desk(tmp_path, postgres_url)
    desk.run(
        "CREATE TABLE notes (hour timestamptz, product text, "
        "FOREIGN KEY (hour, product) REFERENCES sales ON DELETE CASCADE)",
        "INSERT INTO notes SELECT hour, product FROM sales",
    )
    with pytest.raises(ConfigurationError, match="the foreign key of table notes deletes"):
        desk.hourly.window(hour(2), hour(3))
    assert len(desk.rows("SELECT product FROM notes")) == len(RIGHT)
