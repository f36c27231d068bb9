"""The ordinary example plugin's own tests run in a pytest of their own, with nothing of ours."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.shared_jvm import in_jvm_of

ORDINARY = Path(__file__).parent / "examples" / "ordinary"


@pytest.mark.slow
def test_an_authors_tests_pass_and_pin_their_meaning(spark: SparkSession, tmp_path: Path) -> None:
    shutil.copy(ORDINARY / "author_tests.py", tmp_path / "test_library.py")

    def tests(**env: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([str(ORDINARY), os.environ.get("PYTHONPATH", "")])
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
            capture_output=True,
            text=True,
            env=in_jvm_of(spark, {**os.environ, "PYTHONPATH": path, **env}),
            cwd=tmp_path,
            timeout=560,
            check=False,
        )

    pinning = tests(CUTLINE_PIN="1")
    assert pinning.returncode == 0, pinning.stdout
    assert list(json.loads((tmp_path / "fingerprints.json").read_text())) == ["library-loans 1"]

    path = ORDINARY / "acme_library.py"
    changed = path.read_text().replace('row.status == "B"', 'row.status.isin("B", "X")')
    (tmp_path / "acme_library.py").write_text(changed)
    refused = tests(PYTHONDONTWRITEBYTECODE="1")
    assert refused.returncode == 1, refused.stdout
    assert "its version is still 1.2.0" in refused.stdout
    assert "Raise `version` of LibraryLoans" in refused.stdout
