"""Offsets that are asked for while another thread forgets the client that asks."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import TopicPartition

from cutline.kafka import ClientSettings
from cutline.topics.kafka import reading

SETTINGS = ClientSettings({"bootstrap.servers": "nowhere:9092"})


class Answering:
    """A client whose answers come only while somebody has it."""

    def __init__(self, _settings: Mapping[str, Any]) -> None:
        self.asked = 0

    def list_offsets(self, places: Mapping[Any, Any], **_: Any) -> dict[Any, Any]:
        client = weakref.ref(self)

        def result() -> SimpleNamespace:
            reading.forget_admin_client(SETTINGS)
            gc.collect()
            assert client() is not None, "nobody has the client: the answer would never come"
            return SimpleNamespace(offset=7)

        return {place: SimpleNamespace(result=result) for place in places}


def test_a_client_that_another_thread_forgets_answers_still(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "AdminClient", Answering)
    place = TopicPartition("orders", 0)
    try:
        assert reading.offsets(SETTINGS, [place], reading.LAST) == {("orders", 0): 7}
    finally:
        reading.forget_admin_client(SETTINGS)
