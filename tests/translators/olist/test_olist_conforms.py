"""The Olist translator keeps what every translator must keep."""

from __future__ import annotations

import pytest

from cutline.conformance import conformance
from cutline_translators.olist import OLIST_1

pytestmark = [pytest.mark.usefixtures("spark"), pytest.mark.slow]

test_conforms = conformance(OLIST_1, histories=60)
