"""Event ids and fact keys in Python: written down here, so that no release changes them."""

from __future__ import annotations

import subprocess
import sys
import uuid

import pytest

from cutline.identity import NAMESPACE, event_id, fact_key, texts_id


def test_the_namespace_comes_from_where_it_says() -> None:
    assert uuid.uuid5(uuid.NAMESPACE_URL, "urn:cutline:identity") == NAMESPACE


def test_an_event_id_is_the_uuid5_of_a_json_array() -> None:
    text = '["urn:cutline:fulfilment:erp","fulfilment","OrderPlaced","ORD-1",null,1]'
    identifier = event_id(
        "urn:cutline:fulfilment:erp", "fulfilment", "OrderPlaced", "ORD-1", None, 1
    )
    assert identifier == str(uuid.uuid5(NAMESPACE, text)) == "abad1c24-b0b9-56c4-80b7-e4066b3db145"


def test_a_fact_key_knows_neither_source_nor_translator() -> None:
    text = '["fulfilment","ExceptionHoldPlaced","ORD-1","[\\"CREDIT\\"]"]'
    key = fact_key("fulfilment", "ExceptionHoldPlaced", "ORD-1", '["CREDIT"]')
    assert key == str(uuid.uuid5(NAMESPACE, text)) == "49fa865d-6ace-5fb3-9775-05894b154314"


def test_a_break_is_named_by_its_texts() -> None:
    text = '["shop","north","state","order","SO-1",null,"different"]'
    break_id = texts_id("shop", "north", "state", "order", "SO-1", None, "different")
    assert break_id == str(uuid.uuid5(NAMESPACE, text)) == "a9c56b31-322a-5d0f-9e3c-74573d9fb08b"
    assert texts_id("a", "b") != texts_id("ab") != texts_id("a", None)


def test_every_part_tells_in_an_event_id() -> None:
    ids = [
        event_id("s", "c", "t", "x", None, 1),
        event_id("S", "c", "t", "x", None, 1),
        event_id("s", "C", "t", "x", None, 1),
        event_id("s", "c", "T", "x", None, 1),
        event_id("s", "c", "t", "X", None, 1),
        event_id("s", "c", "t", "x", "", 1),
        event_id("s", "c", "t", "x", None, 2),
    ]
    assert len(set(ids)) == len(ids)


@pytest.mark.process
def test_importing_it_does_not_load_spark() -> None:
    code = "import cutline.identity, sys; sys.exit('pyspark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
