"""Which cases of a test run each time, and which in `make soak` only."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest


def some_in_soak(cases: Iterable[object], is_often: Callable[..., bool]) -> list[object]:
    """A parameter set per case; those that `is_often` refuses are left to `make soak`.

    A case that is a tuple has several parameters, and `is_often` takes these one by one.
    """
    parts = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [
        pytest.param(*values, marks=() if is_often(*values) else pytest.mark.soak)
        for values in parts
    ]
