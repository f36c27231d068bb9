"""The Sakila translators keep what every translator must keep."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutline.conformance import conformance
from cutline_translators.sakila import SAKILA_1

pytestmark = [pytest.mark.usefixtures("spark"), pytest.mark.slow]

test_conforms = conformance(
    SAKILA_1, histories=60, fingerprints=Path(__file__).with_name("fingerprints.json")
)
