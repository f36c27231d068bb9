"""Scripts of the project that are no packages, as modules."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from support.paths import ROOT


def load_script(
    path: Path,
    name: str,
    register: Callable[[str, ModuleType], None] = sys.modules.__setitem__,
) -> ModuleType:
    """A script under a name of its own, for the tests have folders that are called as some are.

    `register` makes it known before it is executed, as dataclasses need it.
    """
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    register(name, module)
    spec.loader.exec_module(module)
    return module


ORDERS = load_script(ROOT / "examples" / "rollout" / "retailer_orders.py", "retailer_orders")
"""The customers of that rollout, who go on ordering; the script of the rollout imports it by that
name."""
RETAILER = load_script(ROOT / "examples" / "rollout" / "retailer.py", "retailer_rollout")
"""The rollout of the demo's two slices, with its statements for a legacy in SQLite."""
