"""Debian's Chromium, driven by playwright. Not there: skipped, unless everything is required."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from support.missing import missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium; with CUTLINE_REQUIRE_ALL=1 its absence is a failure, not a skip."""
    chromium = shutil.which("chromium")
    if chromium is None:
        missing("chromium is not installed (apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=chromium, args=list(_QUIET))
        yield started
        started.close()
