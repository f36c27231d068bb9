"""The JSON Schema documents every key, and agrees with what is loaded."""

from __future__ import annotations

import json

from cutline.project.schema import json_schema


def test_every_section_and_key_is_documented() -> None:
    schema = json_schema()
    sections = {"cutline.yaml": schema, **schema["$defs"]}
    assert len(sections) > 10
    for name, section in sections.items():
        assert section.get("description"), name
        for key, field in section.get("properties", {}).items():
            assert field.get("description"), f"{name}.{key}"


def test_it_refuses_unknown_keys_and_lists_kinds() -> None:
    schema = json_schema()
    assert schema["additionalProperties"] is False
    # A project may begin with its sources: what they mean is found out with `cutline profile`.
    assert set(schema["required"]) == {"version", "name", "topics", "sources", "regions"}
    source = schema["properties"]["sources"]["patternProperties"]["^[a-z][a-z0-9_]*$"]
    assert set(source["discriminator"]["mapping"]) == {
        *("sqlite", "csv", "jsonl", "parquet", "log", "postgresql", "mysql")
    }


def test_it_is_plain_json() -> None:
    assert json.loads(json.dumps(json_schema())) == json_schema()
