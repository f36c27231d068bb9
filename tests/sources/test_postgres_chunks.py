"""PostgreSQL tables in chunks: each row, and each key that there could be, is in just one."""

from __future__ import annotations

import pytest

from support.postgres_source import TEXT, Erp, answer, contract_of, rows_of, run_sql

pytestmark = pytest.mark.postgres

KEYS = {
    "integers with holes": ("id int", "SELECT g * g FROM generate_series(1, 1500) g"),
    "negative and large": (
        "id bigint",
        "SELECT (g - 700) * 9007199254740993 / 7 FROM generate_series(1, 1500) g",
    ),
    "skewed integers": (
        "id int",
        "SELECT CASE WHEN g < 1490 THEN g ELSE g * 1000000 END FROM generate_series(1, 1500) g",
    ),
    "texts, by bytes": (
        'id text COLLATE "C"',
        "SELECT md5(g::text) FROM generate_series(1, 1500) g",
    ),
    "texts, by German": (
        'id text COLLATE "de-x-icu"',
        "SELECT (ARRAY['ä','A','a','Z','ß','é','_',''''])[g % 8 + 1] || md5(g::text) FROM generate_series(1, 1500) g",
    ),
    "texts, blind to case": (
        "id text COLLATE blind",
        "SELECT upper(md5(g::text)) FROM generate_series(1, 1500) g",
    ),
    "padded texts": ("id char(40)", "SELECT md5(g::text) FROM generate_series(1, 1500) g"),
    "uuids": ("id uuid", "SELECT md5(g::text)::uuid FROM generate_series(1, 1500) g"),
    "numerics": (
        "id numeric",
        "SELECT g / 7.0 FROM generate_series(1, 1498) g UNION ALL VALUES ('NaN'::numeric), ('-Infinity')",
    ),
    "doubles": (
        "id float8",
        "SELECT sin(g) FROM generate_series(1, 1498) g UNION ALL VALUES ('NaN'::float8), ('Infinity')",
    ),
    "times": (
        "id timestamptz",
        "SELECT '2026-01-01'::timestamptz + g * interval '1 hour' FROM generate_series(1, 1500) g",
    ),
    "enums and integers": (
        "kind colour, id int",
        "SELECT (ARRAY['red','green','blue'])[g % 3 + 1]::colour, g FROM generate_series(1, 1500) g",
    ),
    "domain and text": (
        "site short, id text",
        "SELECT (g % 5)::text, md5(g::text) FROM generate_series(1, 1500) g",
    ),
    "intervals": ("id interval", "SELECT g * interval '25 hours' FROM generate_series(1, 1500) g"),
    "bytes": ("id bytea", "SELECT decode(md5(g::text), 'hex') FROM generate_series(1, 1500) g"),
}
TYPES = (
    "CREATE TYPE colour AS ENUM ('red', 'green', 'blue')",
    "CREATE DOMAIN short AS varchar(8)",
    "CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
)


@pytest.fixture(scope="module")
def url(postgres_server):
    name = postgres_server.create_database()
    run_sql(postgres_server.url(name), *TYPES)
    yield postgres_server.url(name)
    postgres_server.drop_database(name)


def columns_of(declared):
    return [part.split()[0] for part in declared.split(", ")]


@pytest.mark.parametrize("case", KEYS)
def test_ranges_of_any_key_partition_it(case, url, tmp_path):
    declared, values = KEYS[case]
    columns = columns_of(declared)
    run_sql(
        url,
        "DROP TABLE IF EXISTS orders",
        f"CREATE TABLE orders ({declared}, PRIMARY KEY ({', '.join(columns)}))",
        f"INSERT INTO orders {values}",
        "ANALYZE orders",
    )
    erp = Erp(
        url,
        tmp_path,
        (contract_of("orders", dict.fromkeys(columns, TEXT), columns),),
        limits={"chunk_rows": 200},
    )
    orders = erp.read()["orders"]
    assert orders.plan.by == "key"
    assert 5 <= len(orders.plan.chunks) <= 8
    texts = ", ".join(f"{c}::text" for c in columns)
    expected = sorted(answer(url, f"SELECT {texts} FROM orders"))
    assert sorted(tuple(row[c] for c in columns) for row in rows_of(orders)) == expected
    assert orders.total_rows == len(expected)
    # Keys that nobody sampled: half of them stay, and all of them come back as others.
    run_sql(url, f"INSERT INTO orders {values} ON CONFLICT DO NOTHING")
    times = " + ".join(f"({chunk.condition})::int" for chunk in orders.plan.chunks)
    assert answer(url, f"SELECT count(*) FROM orders WHERE {times} <> 1") == [(0,)]


def test_a_bound_belongs_to_the_range_above_it(url, tmp_path):
    run_sql(
        url,
        "DROP TABLE IF EXISTS orders",
        "CREATE TABLE orders (a int, b int, PRIMARY KEY (a, b))",
        "INSERT INTO orders SELECT g / 40, g % 40 FROM generate_series(0, 1599) g",
        "ANALYZE orders",
    )
    erp = Erp(
        url,
        tmp_path,
        (contract_of("orders", {"a": TEXT, "b": TEXT}, ["a", "b"]),),
        limits={"chunk_rows": 200},
    )
    plan = erp.read()["orders"].plan
    for place, (a, b) in enumerate(plan.bounds):
        rows = [
            answer(url, f"SELECT {c.condition} FROM (VALUES ({a}, {b})) AS orders (a, b)")
            for c in plan.chunks
        ]
        assert [row == [(True,)] for row in rows].index(True) == place + 1
        assert sum(row == [(True,)] for row in rows) == 1


def test_a_heap_without_a_key_is_read_by_place_and_each_leaf_apart(url, tmp_path):
    run_sql(
        url,
        "DROP TABLE IF EXISTS log",
        "CREATE TABLE log (day date, text text) PARTITION BY RANGE (day)",
        "CREATE TABLE log_1 PARTITION OF log FOR VALUES FROM ('2026-01-01') TO ('2026-02-01')",
        "CREATE TABLE log_2 PARTITION OF log FOR VALUES FROM ('2026-02-01') TO ('2026-03-01')"
        " PARTITION BY HASH (text)",
        "CREATE TABLE log_2a PARTITION OF log_2 FOR VALUES WITH (MODULUS 2, REMAINDER 0)",
        "CREATE TABLE log_2b PARTITION OF log_2 FOR VALUES WITH (MODULUS 2, REMAINDER 1)",
        "INSERT INTO log SELECT '2026-01-01'::date + g % 59, repeat(md5(g::text), 10) FROM generate_series(1, 3000) g",
        "ANALYZE log",
    )
    erp = Erp(
        url,
        tmp_path,
        (contract_of("log", {"day": TEXT, "text": TEXT}, ["text"]),),
        limits={"chunk_rows": 400},
    )
    log = erp.read()["log"]
    assert log.plan.by == "place"
    assert {c.relation for c in log.plan.chunks} == {
        "ONLY public.log_1",
        "ONLY public.log_2a",
        "ONLY public.log_2b",
    }
    assert len(log.plan.chunks) > 5
    expected = sorted(answer(url, "SELECT day::text, text FROM log"))
    assert sorted((r["day"], r["text"]) for r in rows_of(log)) == expected


def test_a_slice_of_a_table_counts_the_rows_of_others(url, tmp_path):
    run_sql(
        url,
        "DROP TABLE IF EXISTS orders, site CASCADE",
        "CREATE TABLE site (site int, region text)",
        "INSERT INTO site VALUES (0, 'eu'), (1, 'us')",
        "CREATE TABLE orders (id int PRIMARY KEY, site int)",
        "INSERT INTO orders SELECT g, g % 3 FROM generate_series(1, 999) g",
        "ANALYZE orders",
    )
    inside = "site IN (SELECT site FROM site WHERE region = :region) -- of the region"
    erp = Erp(
        url,
        tmp_path,
        (contract_of("orders", {"id": TEXT}, ["id"]),),
        {"orders": inside},
        {"chunk_rows": 100},
    )
    opened = erp.open()
    assert opened.snapshot.locked == ('"public"."orders"', '"public"."site"')
    orders = erp.read(opened)["orders"]
    assert (len(rows_of(orders)), orders.total_rows, orders.rows_of_others) == (333, 999, 666)


def test_a_table_with_children_is_read_with_their_rows(url, tmp_path):
    run_sql(
        url,
        "DROP TABLE IF EXISTS orders CASCADE",
        "CREATE TABLE orders (id int PRIMARY KEY)",
        "CREATE TABLE old_orders () INHERITS (orders)",
        "INSERT INTO orders SELECT generate_series(1, 500)",
        "INSERT INTO old_orders SELECT generate_series(1, 500)",
        "ANALYZE",
    )
    erp = Erp(
        url, tmp_path, (contract_of("orders", {"id": TEXT}, ["id"]),), limits={"chunk_rows": 100}
    )
    orders = erp.read()["orders"]
    assert sorted(int(r["id"]) for r in rows_of(orders)) == sorted([*range(1, 501)] * 2)
    assert not orders.catalog.key_is_unique
