"""The policy administration system's translators keep what every translator must keep.

Not here yet: PasPremiums, whose contract cannot say that a revision moves with its premium only.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from cutline.conformance import conformance
from cutline_translators.policy_admin.v1 import POLICY_ADMIN_1

pytestmark = [pytest.mark.usefixtures("spark"), pytest.mark.slow]

_NOT_YET = ("PasPremiums",)

test_conforms = conformance(
    replace(
        POLICY_ADMIN_1,
        translators=tuple(t for t in POLICY_ADMIN_1.translators if t.__name__ not in _NOT_YET),
    ),
    histories=60,
)
