"""Payload schemas as files and at a real registry: brought there, read back, and held against."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.schema_registry import (
    ConfigCompatibilityLevel,
    SchemaRegistryClient,
    ServerConfig,
)
from pydantic import create_model

from cutline.context import Aggregate, Context, Event
from cutline.errors import ConfigurationError, RunFailed
from cutline.kafka.registry import Registry, RegistrySettings, SchemaRefused
from cutline.project.load import load
from cutline.topics.schemas.files import SchemaFiles
from cutline.topics.schemas.keeping import keep_schemas, refuse_incompatible
from cutline.topics.schemas.place import SchemaPlace
from cutline.topics.schemas.places import schema_place
from cutline.topics.schemas.registered import RegisteredSchemas
from cutline.topics.schemas.subjects import PayloadSchema, payload_schemas
from support.ports import free_port
from support.published import new_name
from support.sample_project import document, write
from support.servers.registry import SchemaRegistry

OF_REGISTRY = pytest.param("registry", marks=pytest.mark.kafka)
PLACES = pytest.mark.parametrize("kind", ["files", OF_REGISTRY])


def of(place: str, **fields: Any) -> list[PayloadSchema]:
    """The schemas of a context whose only event has these fields, for a prefix."""
    declared = {name: (kind, ...) for name, kind in fields.items()}
    sold = create_model("Sold", __base__=Event, __doc__="It was sold.", **declared)  # type: ignore[call-overload]
    return payload_schemas(
        place, Context("shop", "A shop.", (Aggregate("sale", "A sale.", (sold,), {}),))
    )


@pytest.fixture
def place_of(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], SchemaPlace]:
    """A place of a kind, whose server is started only if it is asked for."""

    def place(kind: str) -> SchemaPlace:
        if kind == "files":
            return SchemaFiles(str(tmp_path / "_schemas"))
        registry: SchemaRegistry = request.getfixturevalue("schema_registry")
        return RegisteredSchemas(Registry(RegistrySettings(registry.url), "topics"))

    return place


def test_a_subject_is_of_an_event_type_and_its_major() -> None:
    [schema] = of("retail", no=str)
    assert (schema.event, schema.major) == ("Sold", 1)
    assert schema.subject == "retail.shop.Sold.v1"
    assert schema.document["$id"] == "urn:cutline:schema:shop:Sold:1"


@PLACES
def test_schemas_are_brought_once_and_widened(
    kind: str, place_of: Callable[[str], SchemaPlace]
) -> None:
    place, prefix = place_of(kind), new_name("schemas")
    first, wider = of(prefix, no=str), of(prefix, no=str | None)
    subject = first[0].subject
    refuse_incompatible(place, first)
    assert place.newest(subject) is None
    for brought in (first, first, wider):
        keep_schemas(place, brought, "run-1")
        assert place.newest(subject) == brought[0].document
    # A plugin of before reads and writes what the newest allows: nothing to be brought.
    keep_schemas(place, first, "run-2")
    assert place.newest(subject) == wider[0].document


@PLACES
def test_a_change_that_readers_cannot_follow_is_refused_by_name(
    kind: str, place_of: Callable[[str], SchemaPlace]
) -> None:
    place, prefix = place_of(kind), new_name("broken")
    keep_schemas(place, of(prefix, no=str), "run-1")
    changed = of(prefix, no=str, by=str | None)
    for act in (refuse_incompatible, lambda p, s: keep_schemas(p, s, "run-2")):
        with pytest.raises(ConfigurationError) as refused:
            act(place, changed)
        assert refused.value.what.startswith("the payload of Sold has changed under schema_major 1")
        assert refused.value.what.endswith("allows: by: the field is new")
        assert changed[0].subject in refused.value.what
        assert "Raise `schema_major` of Sold" in refused.value.next_step
    assert place.newest(changed[0].subject) == of(prefix, no=str)[0].document


@pytest.mark.parametrize("text", ["{", "[]"])
def test_a_file_that_nobody_can_read(text: str, tmp_path: Path) -> None:
    place, [schema] = SchemaFiles(str(tmp_path)), of("retail", no=str)
    keep_schemas(place, [schema], "run-1")
    [file] = tmp_path.iterdir()
    assert json.loads(file.read_text(encoding="utf-8")) == schema.document
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"retail\.shop\.Sold\.v1, at .* cannot be read"):
        refuse_incompatible(place, [schema])


@pytest.mark.kafka
def test_a_schema_of_another_kind_at_the_registry(schema_registry: SchemaRegistry) -> None:
    [schema] = of(new_name("avro"), no=str)
    schema_registry.register(schema.subject, {"type": "record", "name": "Sold", "fields": []})
    place = RegisteredSchemas(Registry(RegistrySettings(schema_registry.url), "topics"))
    with pytest.raises(ConfigurationError, match="cannot be read: it is of type AVRO") as refused:
        refuse_incompatible(place, [schema])
    assert schema.subject in refused.value.what
    assert "topics.prefix" in refused.value.next_step


def test_a_registry_that_is_gone() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    place = RegisteredSchemas(Registry(RegistrySettings(url), "topics"))
    with pytest.raises(RunFailed, match=f"topics: the schema registry at {url} does not answer"):
        refuse_incompatible(place, of("retail", no=str))


@pytest.mark.kafka
def test_the_rule_of_the_registry_itself_holds_as_well(schema_registry: SchemaRegistry) -> None:
    client = SchemaRegistryClient({"url": schema_registry.url})
    subject = new_name("strict")
    registry = Registry(RegistrySettings(schema_registry.url), "topics")
    # Of the newest draft this registry knows no rule.
    schema = {"$schema": "http://json-schema.org/draft-07/schema#", "type": "string"}
    registry.register(subject, json.dumps(schema), "JSON")
    client.set_config(subject, ServerConfig(compatibility=ConfigCompatibilityLevel.BACKWARD))
    longer, number = {**schema, "title": "T"}, {**schema, "type": "integer"}
    assert registry.is_allowed(subject, json.dumps(longer), "JSON")
    assert not registry.is_allowed(subject, json.dumps(number), "JSON")
    with pytest.raises(SchemaRefused):
        registry.register(subject, json.dumps(number), "JSON")
    place = RegisteredSchemas(registry)
    refused_schema = PayloadSchema("Sold", 1, subject, number)
    for act in (place.refuse, place.add):
        with pytest.raises(ConfigurationError, match="does not take the payload schema of Sold"):
            act(refused_schema)


def test_what_another_writer_put_there_is_noticed() -> None:
    class Forgetful:
        """A place that takes a schema and has none afterwards."""

        def where(self, subject: str) -> str:
            return f"nowhere/{subject}"

        def newest(self, subject: str) -> dict[str, Any] | None:
            return None

        def refuse(self, schema: PayloadSchema) -> None: ...

        def add(self, schema: PayloadSchema) -> None: ...

    with pytest.raises(RunFailed, match=r"brought to nowhere/retail.shop.Sold.v1, and another"):
        keep_schemas(Forgetful(), of("retail", no=str), "run-1")


@pytest.mark.parametrize(
    ("topics", "place"),
    [
        ({"prefix": "retail"}, "topics/_schemas"),
        ({"kind": "kafka", "prefix": "retail", "kafka": {"bootstrap": "b:9092"}}, "lake/_schemas"),
    ],
)
def test_without_a_registry_they_lie_beside(
    tmp_path: Path, topics: dict[str, Any], place: str
) -> None:
    project = load(write(tmp_path, {**document(), "topics": topics}))
    assert schema_place(project).where("s") == str(project.folder / place / "s.json")


def test_with_a_registry_they_are_subjects(tmp_path: Path) -> None:
    kafka = {"kind": "kafka", "prefix": "retail", "kafka": {"bootstrap": "b:9092"}}
    topics = {**kafka, "registry": {"url": "http://registry:8081"}}
    place = schema_place(load(write(tmp_path, {**document(), "topics": topics})))
    assert place.where("s") == "subject s of the schema registry at http://registry:8081"
