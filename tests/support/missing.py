"""What a test needs and this machine has not."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def missing(reason: str) -> NoReturn:
    """Skips the test for want of a program; with CUTLINE_REQUIRE_ALL=1 fails it."""
    if os.environ.get("CUTLINE_REQUIRE_ALL") == "1":
        pytest.fail(reason)
    pytest.skip(reason)
