"""Debezium records of PostgreSQL, and plugins of tests as a company would install them."""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from support.installed import install

Image = Mapping[str, Any] | None


def logged(
    table: str, before: Image, after: Image, *, transaction: int, row: int, lsn: int, last: int
) -> dict[str, Any]:
    """A change of a table: the row of that number in its transaction, written at `lsn`, when the
    last commit before its own was at `last`."""
    at = 1790000000000 + transaction
    source = {
        "connector": "postgresql",
        "db": "d",
        "schema": "public",
        "table": table,
        "txId": 500 + transaction,
        "lsn": lsn,
        "sequence": json.dumps([str(last), str(lsn)]),
        "snapshot": "false",
        "ts_ms": at,
    }
    return {
        "before": before,
        "after": after,
        "op": "c" if before is None else "d" if after is None else "u",
        "ts_ms": at,
        "source": source,
        "transaction": {"id": str(500 + transaction), "total_order": row},
    }


def install_plugin(
    monkeypatch: pytest.MonkeyPatch, folder: Path, package: str, pyproject: str, module: str
) -> None:
    """Has the plugin installed for this process until the test ends."""
    plugin, site = folder / "plugin", folder / "site"
    (plugin / "src" / package).mkdir(parents=True)
    (plugin / "pyproject.toml").write_text(pyproject)
    (plugin / "src" / package / "__init__.py").write_text(module)
    install(plugin, site)
    monkeypatch.syspath_prepend(site)
    # Another test may have installed another plugin by this name; this one's is forgotten, too.
    monkeypatch.setitem(sys.modules, package, types.ModuleType(package))
    monkeypatch.delitem(sys.modules, package)
