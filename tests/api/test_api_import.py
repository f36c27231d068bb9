"""`import cutline` is quick, loads no Spark, and offers everything by name."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import cutline
from cutline import api

pytestmark = pytest.mark.process

HEAVY = ("pyspark", "pandera", "sqlalchemy", "pandas", "pyarrow", "jinja2", "py4j", "numpy")

IMPORT = f"""
import sys, time
began = time.process_time()
import cutline
took = time.process_time() - began
light = sorted(m for m in {("pydantic", "typer", *HEAVY)!r} if m in sys.modules)
cutline.Project, cutline.Run, cutline.compare, cutline.demo
print(took, light, sorted(m for m in {HEAVY!r} if m in sys.modules))
"""


def test_it_takes_less_than_a_fifth_of_a_second_and_loads_nothing_heavy() -> None:
    """Measured as processor time, so that a busy machine fails nothing."""
    took, loaded = [], set()
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True
        )
        seconds, modules = done.stdout.split(" ", 1)
        took.append(float(seconds))
        loaded.add(modules)
    assert min(took) < 0.2
    assert loaded == {"[] []\n"}


def test_every_name_that_is_offered_is_there() -> None:
    for name in cutline.__all__:
        assert getattr(cutline, name) is not None, name
    assert set(cutline.__all__) <= set(dir(cutline))
    assert set(api.__all__) - {"STAGE_NAMES"} <= set(cutline.__all__)


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'cutline' has no attribute 'Projekt'"):
        cutline.Projekt  # noqa: B018
    with pytest.raises(AttributeError, match=r"'cutline\.api' has no attribute 'Projekt'"):
        api.Projekt  # noqa: B018


def test_everything_that_is_offered_is_documented() -> None:
    for name in api.__all__:
        offered = getattr(api, name)
        if inspect.isclass(offered) or inspect.isfunction(offered):
            assert offered.__doc__, name
    for name, member in vars(cutline.Project).items():
        if not name.startswith("_") and callable(member):
            assert member.__doc__, name
