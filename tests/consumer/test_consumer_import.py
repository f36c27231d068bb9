"""A service that imports the package loads neither Spark nor what Spark needs."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import sys, cutline.consumer
loaded = {name.split(".")[0] for name in sys.modules}
print(sorted(loaded & {"pyspark", "pandas", "numpy", "pyarrow", "alembic", "typer"}))
print(sorted(name for name in sys.modules if name.startswith("cutline.")
             and not name.startswith("cutline.consumer")))
"""


@pytest.mark.process
def test_it_loads_nothing_but_what_it_needs() -> None:
    printed = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    assert printed.splitlines() == ["[]", "['cutline.version']"]
