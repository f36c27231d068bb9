"""What a scaffold of several tables proposes, by the names of their columns."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from cutline.scaffold.multi_table import TableModule, package_docstring, shared_key_sentences
from cutline.scaffold.source_text import WIDTH


def module(table: str, key: list[str], *others: str) -> TableModule:
    columns = [SimpleNamespace(name=name) for name in (*key, *others)]
    profile = SimpleNamespace(name=f"erp.{table}", table=table, columns=columns)
    offered = SimpleNamespace(context=SimpleNamespace(name="sales"))
    plan: Any = SimpleNamespace(profile=profile, key=tuple(key), installed_context=offered)
    return TableModule(table, plan)


@pytest.mark.parametrize(
    ("tables", "proposed"),
    [
        pytest.param(
            [("orders", ["id"]), ("lines", ["id"], "order_id")],
            ["`erp.lines` has `order_id`, as `id` of `erp.orders`"],
            id="id of both",
        ),
        pytest.param(
            [("Deliveries", ["No"]), ("stops", ["stop_no"], "DeliveryNo")],
            ["`erp.stops` has `DeliveryNo`, as `No` of `erp.Deliveries`"],
            id="other spelling",
        ),
        pytest.param(
            [("boxes", ["id"]), ("labels", ["id"], "box_id")],
            ["`erp.labels` has `box_id`, as `id` of `erp.boxes`"],
            id="other plural",
        ),
        pytest.param(
            [("orders", ["order_no"]), ("lines", ["order_no", "line"])],
            ["`erp.lines` has `order_no` of `erp.orders`"],
            id="same name",
        ),
        pytest.param([("orders", ["a", "b"]), ("lines", ["a", "line"])], [], id="half a key"),
        pytest.param([("customers", ["id"]), ("lines", ["id"], "order_id")], [], id="another's"),
    ],
)
def test_a_key_that_another_table_names_is_proposed(
    tables: list[tuple[Any, ...]], proposed: list[str]
) -> None:
    assert list(shared_key_sentences([module(*table) for table in tables])) == proposed


@pytest.mark.parametrize("number", [1, 2, 30])
def test_the_package_says_what_it_is_about_in_lines_of_the_usual_width(number: int) -> None:
    about = package_docstring([module(f"quite_a_long_name_{n}", ["id"]) for n in range(number)])
    assert max(map(len, about.splitlines())) <= WIDTH
    assert f"erp.quite_a_long_name_{number - 1}" in about
    assert about.startswith('"""What ')
    assert about.endswith('"""')
