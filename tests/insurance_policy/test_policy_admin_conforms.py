"""The policy administration system's translators keep what every translator must keep."""

from __future__ import annotations

import pytest

from cutline.conformance import conformance
from cutline_translators.policy_admin.v1 import POLICY_ADMIN_1

pytestmark = [pytest.mark.usefixtures("spark"), pytest.mark.slow]

test_conforms = conformance(POLICY_ADMIN_1, histories=60)
