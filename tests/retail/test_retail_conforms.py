"""The retail translators whose contracts say enough keep what every translator must keep.

Not here yet: ErpOrders, whose contract has no lifecycle and whose cart may come after the order, and
ErpLines, whose contract does not say that an allocated line has its time.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from cutline.conformance import conformance
from cutline_translators.retail.v2 import RETAIL_2

pytestmark = [pytest.mark.usefixtures("spark"), pytest.mark.slow]

_NOT_YET = ("ErpOrders", "ErpLines")

test_conforms = conformance(
    replace(
        RETAIL_2,
        translators=tuple(t for t in RETAIL_2.translators if t.__name__ not in _NOT_YET),
    ),
    histories=60,
)
