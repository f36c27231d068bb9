"""The command line as another process sees it: exit code, stdout, stderr."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).with_name("fake_cutline.py")


def cutline(*args: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run it and wait. Without FAKE_RUN in `env`, everything is real."""
    return subprocess.run(
        [sys.executable, str(SCRIPT), *(str(a) for a in args)],
        capture_output=True,
        text=True,
        env={**os.environ, "NO_COLOR": "1", **(env or {})},
        timeout=120,
        check=False,
    )
