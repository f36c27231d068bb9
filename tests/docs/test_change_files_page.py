"""The sections of cutline.yaml that the pages on change files and zones show can be declared."""

from __future__ import annotations

import re

import pytest
import yaml
from pydantic import TypeAdapter

from cutline.project.changes import Changes
from cutline.project.source import Source
from support.paths import DOCS

BLOCKS = [
    pytest.param(page, block, id=f"{page}-{number}")
    for page in ("change-files.md", "zones.md")
    for number, block in enumerate(
        re.findall(r"```yaml\n(.*?)```", (DOCS / page).read_text(), re.S)
    )
]
WHOLE = {"sqlite", "log"}


@pytest.mark.parametrize(("page", "block"), BLOCKS)
def test_a_section_can_be_declared_as_the_page_shows_it(page, block):
    section = yaml.safe_load(block)
    kind = Source if section["kind"] in WHOLE else Changes
    TypeAdapter(kind).validate_python(section)


def test_every_format_has_its_part_and_every_setting_is_named():
    page = (DOCS / "change-files.md").read_text()
    schema = TypeAdapter(Changes).json_schema()
    for name, definition in schema["$defs"].items():
        if not name.endswith("Changes"):
            continue
        kind = definition["properties"]["kind"]["const"]
        part = page.partition(f"(`kind: {kind}`)")[2].partition("\n### ")[0]
        assert part, kind
        settings = set(definition["properties"]) - {
            "kind",
            "path",
            "snapshot",
            "log",
            "zone",
            "binary",
        }
        settings -= {"at_most_behind", "heartbeats", "topic", "topics", "kafka"}
        assert [n for n in sorted(settings) if f"`{n}" not in part and f"{n}:" not in part] == []
