"""The demo's project as a cluster may have it, and what golden files say that its first run gives."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from cutline_translators.retail.estate import write_project
from support.finished_demo import ORDERS, SEED
from support.paths import ROOT

QUICK = {
    # Walking through expressions is quicker than compiling them, for so few rows.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}


def demo_for_cluster(folder: Path, control: str, **conf: str) -> Path:
    """The demo's project of before its first run, its control database at a URL."""
    folder.mkdir(parents=True)
    write_project(folder, ORDERS, SEED, 1)
    change(folder, control=control, spark={"shuffle_partitions": 2, "conf": {**QUICK, **conf}})
    return folder


def document_of(folder: Path) -> dict[str, Any]:
    """A project's cutline.yaml; times are the texts that it has."""
    text = (folder / "cutline.yaml").read_text(encoding="utf-8")
    return dict(yaml.load(text, _TextTimes))


def change(folder: Path, **sections: object) -> None:
    """Write other sections into a project's cutline.yaml."""
    text = yaml.safe_dump({**document_of(folder), **sections})
    (folder / "cutline.yaml").write_text(text, encoding="utf-8")


class _TextTimes(yaml.SafeLoader):
    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in known if not tag.endswith(":timestamp")]
        for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def golden_digests() -> Mapping[str, str]:
    """By stage, of the demo's first run on one machine."""
    text = (ROOT / "tests/system/golden/demo-runs.json").read_text(encoding="utf-8")
    return {stage["name"]: stage["digest"] for stage in json.loads(text)["first"]["stages"]}
