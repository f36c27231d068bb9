"""The example at the top of docs/language.md keeps what every translator must keep."""

from __future__ import annotations

import pytest

from cutline.conformance import conformance
from support.lending import LIBRARY_1

pytestmark = [pytest.mark.usefixtures("spark"), pytest.mark.slow]

test_conforms = conformance(LIBRARY_1, histories=60)
