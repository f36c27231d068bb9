"""Headers as maps of Arrow: those that lists of pairs would be."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutline.kafka.header_maps import header_maps

TEXTS = pa.map_(pa.string(), pa.string())
BYTES = pa.map_(pa.string(), pa.binary())


@given(st.lists(st.dictionaries(st.text(max_size=5), st.none() | st.text(max_size=5), max_size=4)))
def test_maps_are_those_of_the_pairs(headers: list[dict[str, str | None]]) -> None:
    expected = pa.array([list(members.items()) for members in headers], TEXTS)
    actual = header_maps(headers, TEXTS)
    actual.validate(full=True)
    assert actual.equals(expected)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        pytest.param("ü".encode(), "ü", id="UTF-8"),
        pytest.param(b"a\xff", "a�", id="none"),
    ],
)
def test_bytes_are_read_as_texts(content: bytes, text: str) -> None:
    headers = [{"plain": "x"}, {}, {"a": content, "b": b"y"}]
    maps = header_maps(headers, TEXTS)
    assert maps.to_pylist() == [[("plain", "x")], [], [("a", text), ("b", "y")]]


def test_bytes_stay_where_maps_have_bytes() -> None:
    assert header_maps([{"a": b"\xff"}], BYTES).to_pylist() == [[("a", b"\xff")]]
