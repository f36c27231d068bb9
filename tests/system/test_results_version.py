"""Run ids, extract digests and golden digests change with RESULTS_VERSION, and with no other version."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import cutline.run.naming
import cutline.sources.input_digest
from cutline.control import RunKey
from cutline.run.naming import run_key
from cutline.sources.input_digest import input_digest
from cutline.translator import Translation, Truth
from cutline.version import RESULTS_VERSION
from support.extracting import SHOP, Extract
from support.paths import ROOT

GOLDEN = (
    ROOT / "tests/system/golden/demo-runs.json",
    ROOT / "tests/translators/olist/golden/olist-run.json",
)
FINGERPRINTS = {"0.1.0": "7c8c708d28521331"}
"""By RESULTS_VERSION, one digest over the golden runs' ids and the digests of their stages.

Where this fails, a stage computes something else: raise RESULTS_VERSION to the version of the next
release, write the golden documents again, and put a line here.
"""


def golden_runs(document: Any) -> Iterator[dict[str, Any]]:
    """The documents of runs in a golden document: that of one run, or several by name."""
    yield from [document] if "run_id" in document else document.values()


def test_golden_digests_change_only_with_the_results_version() -> None:
    results = [
        [run["run_id"], *((stage["name"], stage["digest"]) for stage in run["stages"])]
        for file in GOLDEN
        for run in golden_runs(json.loads(file.read_text(encoding="utf-8")))
    ]
    assert len(results) == 3
    fingerprint = hashlib.sha256(json.dumps(results).encode()).hexdigest()[:16]
    assert FINGERPRINTS[RESULTS_VERSION] == fingerprint


def key(folder: Path) -> RunKey:
    translation = Translation("shop", "1.0.0", SHOP, (), Truth())
    return run_key(Extract(folder, {}, ()).project, translation, "eu", {"erp": "p"})


def test_another_results_version_is_another_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = key(tmp_path)
    monkeypatch.setattr(cutline.run.naming, "RESULTS_VERSION", "9.9.9")
    after = key(tmp_path)
    assert after.run_id != before.run_id
    assert {name for name in after.inputs if after.inputs[name] != before.inputs[name]} == {
        "cutline"
    }
    assert (before.inputs["cutline"], after.inputs["cutline"]) == (RESULTS_VERSION, "9.9.9")


def test_another_results_version_takes_no_extract_over(monkeypatch: pytest.MonkeyPatch) -> None:
    before = input_digest([], "eu", {}, {}, {})
    monkeypatch.setattr(cutline.sources.input_digest, "RESULTS_VERSION", "9.9.9")
    assert input_digest([], "eu", {}, {}, {}) != before


def test_the_products_version_is_only_shown_and_asked_for() -> None:
    """Whatever imports it shows it, or holds it against what a plugin requires."""
    homes = ("framework", "domains", "translators", "reconciliation", "reports")
    importing = {
        file.relative_to(ROOT).as_posix()
        for home in homes
        for file in (ROOT / home).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and "__version__" in {name.name for name in node.names}
    }
    assert importing == {
        "framework/cutline/__init__.py",
        "framework/cutline/api/reports_index/runbooks.py",
        "framework/cutline/api/reports_index/write.py",
        "framework/cutline/api/run_comparison/two_runs.py",
        "framework/cutline/cli/app.py",
        "framework/cutline/lineage/facets.py",
        "framework/cutline/lineage/sending.py",
        "framework/cutline/plugin_origin.py",
        "framework/cutline/telemetry/gauges.py",
        "framework/cutline/telemetry/resource.py",
        "framework/cutline/telemetry/traces.py",
        "reconciliation/cutline_reconciliation/compare/views/document.py",
        "reports/cutline_reports/provenance.py",
    }
