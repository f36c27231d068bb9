"""What names a run is read before Spark is started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cutline_translators.retail.estate import write_project

READ = """
import sys
from pathlib import Path
from cutline.plugins import choose_translation
from cutline.project import load
from cutline.sources import digest_sources
from pyspark import SparkContext

project = load(Path(sys.argv[1]), "eu-west")
told = digest_sources(project, choose_translation("retail", 2), "eu-west")
assert SparkContext._active_spark_context is None
print(sorted(told))
"""


@pytest.mark.process
def test_positions_need_no_session(tmp_path: Path) -> None:
    write_project(tmp_path, 300, 1, 2)
    done = subprocess.run(
        [sys.executable, "-c", READ, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "'erp'" in done.stdout
    assert "'live:customer_order'" in done.stdout
