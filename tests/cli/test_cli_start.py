"""`--help` is quick because it loads little."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from cutline.version import __version__
from support.cli_process import cutline

pytestmark = pytest.mark.process

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
    for command in ("run", "status", "runs", "show", "check", "coverage", "translators", "demo"):
        assert f"│ {command} " in done.stdout


def test_the_help_of_each_command_loads_nothing_heavy() -> None:
    for command in ("run", "status", "runs", "show", "check", "coverage", "translators", "demo"):
        done = subprocess.run(
            [sys.executable, "-c", LOADED, command, "--help"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.endswith("LOADED [] 0\n"), command


def test_help_takes_less_than_a_second() -> None:
    """Measured as processor time, so that a busy machine fails nothing."""

    def seconds() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", LOADED, "--help"], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(seconds() for _ in range(3)) < 1


def test_version() -> None:
    done = cutline("--version")
    assert (done.returncode, done.stdout) == (0, f"cutline {__version__}\n")


def test_the_command_that_is_installed() -> None:
    command = Path(sys.executable).with_name("cutline")
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"cutline {__version__}\n"
