"""`--help` is quick because it loads little."""

from __future__ import annotations

import subprocess
import sys
import time

from cutline.version import __version__
from support.cli_process import cutline

LOADED = """
import sys
from cutline.cli import main
try:
    main()
except SystemExit as end:
    heavy = {"pyspark", "pandera", "sqlalchemy", "pandas", "pyarrow", "jinja2", "py4j", "numpy"}
    print("LOADED", sorted(heavy & set(sys.modules)), end.code)
"""


def test_help_loads_nothing_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, "--help"], capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith("LOADED [] 0\n")
    for command in ("run", "status", "runs", "show", "check", "demo"):
        assert f"│ {command} " in done.stdout


def test_the_help_of_each_command_loads_nothing_heavy() -> None:
    for command in ("run", "status", "runs", "show", "check", "demo"):
        done = subprocess.run(
            [sys.executable, "-c", LOADED, command, "--help"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.endswith("LOADED [] 0\n"), command


def test_help_takes_less_than_a_second() -> None:
    def seconds() -> float:
        began = time.monotonic()
        assert cutline("--help").returncode == 0
        return time.monotonic() - began

    assert min(seconds() for _ in range(3)) < 1


def test_version() -> None:
    done = cutline("--version")
    assert (done.returncode, done.stdout) == (0, f"cutline {__version__}\n")
