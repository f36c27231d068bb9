"""Headers as a struct of declared names say what the map of them says."""

from __future__ import annotations

from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.identity import canonical_json
from cutline.identity.columns import finished
from cutline.topics.headers import (
    HEADER_NAMES,
    declared_headers,
    header,
    headers_text,
    with_header_map,
)
from cutline.topics.record import ID_HEADER, REGION_HEADER, RUN_HEADER

NAMES = (ID_HEADER, REGION_HEADER, "content-type", "ce_specversion")
TEXTS = st.text(st.sampled_from('a"\\\n\x1f\u2028😀')) | st.text(max_size=4)
ROWS = st.lists(
    st.fixed_dictionaries(dict.fromkeys(NAMES, st.none() | TEXTS)), min_size=30, max_size=30
)


def declared(spark: SparkSession, rows: list[dict[str, str | None]]) -> DataFrame:
    ddl = "nth int, " + ", ".join(f"`{name}` string" for name in NAMES)
    frame = spark.createDataFrame([(n, *map(row.get, NAMES)) for n, row in enumerate(rows)], ddl)
    texts = {name: F.col(f"`{name}`") for name in NAMES}
    return frame.select("nth", declared_headers(texts).alias("headers"))


# One example is many cases, because each example is one Spark job; so none is shrunk.
@settings(max_examples=2, phases=[Phase.generate])
@given(ROWS)
def test_text_map_and_single_headers_say_the_same(
    spark: SparkSession, rows: list[dict[str, str | None]]
) -> None:
    records = declared(spark, rows)
    mapped = with_header_map(records)

    def texts_of(frame: DataFrame) -> list[tuple[str, str | None, str | None]]:
        text = finished(headers_text(frame, {RUN_HEADER: "run-1"}))
        columns = (text, header(frame, ID_HEADER), header(frame, REGION_HEADER))
        return [tuple(row) for row in frame.orderBy("nth").select(*columns).collect()]

    present = [{n: text for n, text in row.items() if text is not None} for row in rows]
    expected = [
        (canonical_json(row | {RUN_HEADER: "run-1"}), row.get(ID_HEADER), row.get(REGION_HEADER))
        for row in present
    ]
    assert texts_of(records) == expected
    assert texts_of(mapped) == expected
    assert [row["headers"] for row in mapped.orderBy("nth").collect()] == present


def test_of_a_map_what_a_record_says_of_its_run_is_replaced(spark: SparkSession) -> None:
    frame = spark.sql(
        f"SELECT map('z', '1', '{RUN_HEADER}', 'of another', 'a', '2') AS headers"
        " UNION ALL SELECT cast(null AS map<string,string>)"
    )
    text = finished(headers_text(frame, {RUN_HEADER: "run-1"})).alias("text")
    texts = [row["text"] for row in frame.select(text).collect()]
    assert texts == [
        f'{{"a":"2","{RUN_HEADER}":"run-1","z":"1"}}',
        f'{{"{RUN_HEADER}":"run-1"}}',
    ]


def test_all_names_are_those_of_records() -> None:
    assert sorted(HEADER_NAMES) == list(HEADER_NAMES)
    assert {ID_HEADER, REGION_HEADER, "content-type"} <= set(HEADER_NAMES)
    assert RUN_HEADER not in HEADER_NAMES
