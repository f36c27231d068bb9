"""The JSON Schema of cutline.yaml, so that editors help."""

from __future__ import annotations

from typing import Any

from cutline.project.model import ProjectFile


def json_schema() -> dict[str, Any]:
    """The schema, each key with its description; draft 2020-12."""
    schema = ProjectFile.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema} | {
        "title": "cutline.yaml"
    }
