"""A condition that people write: an expression over the columns of its own table, and no more."""

from __future__ import annotations

import pytest
from pyspark.errors import ParseException
from pyspark.sql import SparkSession

from cutline.spark.condition import refusal_of_condition

COLUMNS = ("subject", "legacy", "after", "tags", "amount")

ALLOWED = [
    "amount < 0 or not (legacy like 'x%' and subject in ('a', 'b'))",
    "subject rlike '^O[0-9]+$' -- a comment",
    "after.no = 'C2' and after['no'] is not null",
    "lower(trim(legacy)) <=> 'x' and substring(legacy from 1 for 2) = 'ab'",
    "cast(amount as int) between 1 and 2 or try_cast(legacy as date) > date '2026-01-01'",
    "case when amount is null then true else amount % 2 = 1 end",
    "exists(tags, t -> t = 'x') and size(filter(tags, t -> length(t) > 1)) > 0",
    "get_json_object(legacy, '$.a') is distinct from 'b'",
    "pmod(xxhash64(subject), 10) = 0",
    "legacy ilike any ('a%', 'b%') and try_to_timestamp(legacy) < timestamp '2026-01-01 00:00:00'",
]

REFUSED = {
    "subject in (select value from text.`/etc/passwd`)": "subquery",
    "exists(select 1 from parquet.`/lake`)": "subquery",
    "(select max(subject) from breaks) = subject": "subquery",
    "raise_error(subject) is null": "raise_error",
    "assert_true(subject = 'x', legacy) is null": "assert_true",
    "reflect('java.lang.System', 'getenv', 'HOME') = 'x'": "reflect",
    "java_method('java.lang.System', 'exit', 1) is null": "java_method",
    "try_reflect('java.lang.System', 'getenv', 'HOME') = 'x'": "try_reflect",
    "`java_method`('java.lang.System', 'getenv') is null": "java_method",
    "system.builtin.raise_error(subject)": "system.builtin.raise_error",
    "rand() < 0.5": "rand",
    "uuid() = subject": "uuid",
    "current_timestamp() > timestamp '2026-01-01 00:00:00'": "current_timestamp",
    "current_user = subject": "current_user",
    "Current_Date = subject": "current_date",
    "input_file_name() like '%x%'": "input_file_name",
    "monotonically_increasing_id() < 5": "monotonically_increasing_id",
    "read_files('/etc/passwd') is null": "read_files",
    "from_csv(legacy, 'a int') is null": "from_csv",
    "schema_of_json(legacy) = 'x'": "schema_of_json",
    "sum(amount) > 1": "sum",
    "row_number() over (order by subject) < 5": "window",
    "named_struct('a', 1).a = 1": "named_struct",
    "count(*) > 1": "count",
    "identifier('raise_error')('x') is null": "identifier",
    "explode(tags) = 'x'": "explode",
    "repeat(legacy, 1000000000) = 'x'": "repeat",
    "lpad(legacy, 1000000000, 'x') = 'x'": "lpad",
    "rpad(legacy, 1000000000, 'x') = 'x'": "rpad",
    "exists(tags, t -> raise_error(t))": "raise_error",
    "case when amount > 1 then raise_error('x') else true end": "raise_error",
}


def test_what_is_over_own_columns_may_be_asked(spark: SparkSession) -> None:
    assert [refusal_of_condition(spark, sql, COLUMNS) for sql in ALLOWED] == [None] * len(ALLOWED)


@pytest.mark.parametrize(("sql", "names"), REFUSED.items(), ids=REFUSED)
def test_all_else_is_refused_by_name(spark: SparkSession, sql: str, names: str) -> None:
    refusal = refusal_of_condition(spark, sql, COLUMNS)
    assert refusal is not None
    assert names in refusal.casefold()


@pytest.mark.parametrize("sql", ["1 = 1) or (1 = 1", "true; drop table x", "true union select 1"])
def test_what_leaves_its_brackets_is_no_expression(spark: SparkSession, sql: str) -> None:
    with pytest.raises(ParseException):
        refusal_of_condition(spark, sql, COLUMNS)


def test_subqueries_see_named_tables_only(spark: SparkSession) -> None:
    def refusal_of(sql: str) -> str | None:
        return refusal_of_condition(spark, sql, COLUMNS, ("lines", "orders"))

    for sql in (
        "subject in (select o.no from orders o join Lines l on o.no = l.no where l.qty > 1)",
        "exists (select 1 from orders where no = subject group by no having count(*) > 1)",
        "amount > (select max(total) from orders)",
        "subject in (select distinct no from orders union all select no from lines)",
    ):
        assert refusal_of(sql) is None
    for sql, names in {
        "subject in (select value from text.`/etc/passwd`)": "text./etc/passwd is no table",
        "subject in (select no from customers)": "customers is no table",
        "subject in (select raise_error(no) from orders)": "raise_error",
        "subject in (select no from orders where no in (select x from parquet.`/x`))": "parquet./x",
        "subject in (select no from range(10))": "",
        "subject in (with c as (select * from json.`/x`) select no from c)": "",
        "subject in (select no from (select no from csv.`/x`))": "csv./x",
    }.items():
        refusal = refusal_of(sql)
        assert refusal is not None, sql
        assert names in refusal
