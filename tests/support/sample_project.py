"""The project file that the tests start from."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import yaml

DOCUMENT: dict[str, Any] = {
    "version": 1,
    "name": "retail",
    "topics": {"path": "topics", "prefix": "retail"},
    "sources": {
        "erp": {
            "kind": "sqlite",
            "path": "extract/erp.db",
            "extracted_at": "2026-11-01T02:00:00Z",
            "tables": {"orders": {"region": "region = :region"}},
        },
        "warehouse": {
            "kind": "csv",
            "path": "extract/warehouse",
            "tables": {"releases": {"path": "releases.csv"}},
        },
    },
    "contexts": {
        "fulfilment": {
            "translation": {"use": "retail", "major": 1},
            "cut": {"policy": "commit-timestamp", "at": "2026-11-01T06:00:00Z"},
        }
    },
    "regions": {"eu-west": {}, "us-east": {"everything": True}},
}


def document() -> dict[str, Any]:
    """A copy of the sample, to change."""
    return copy.deepcopy(DOCUMENT)


def write(folder: Path, content: dict[str, Any] | str) -> Path:
    """Write cutline.yaml into `folder` and give the folder back."""
    text = content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cutline.yaml").write_text(text, encoding="utf-8")
    return folder
