"""The retail translators keep what every translator must keep."""

from __future__ import annotations

import pytest

from cutline.conformance import conformance
from cutline_translators.retail.v2 import RETAIL_2

pytestmark = [pytest.mark.usefixtures("spark"), pytest.mark.slow]

test_conforms = conformance(RETAIL_2, histories=60)
