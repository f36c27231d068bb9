"""The retailer while it trades: both translations, with the truth of an ERP in PostgreSQL."""

from __future__ import annotations

from dataclasses import replace

from cutline_translators.retail.live_truth import LIVE_TRUTH
from cutline_translators.retail.v1 import RETAIL_1
from cutline_translators.retail.v2 import RETAIL_2

LIVE_NAME = "retail-live"
"""What cutline.yaml selects."""
RETAIL_LIVE_1 = replace(RETAIL_1, name=LIVE_NAME, truth=LIVE_TRUTH)
RETAIL_LIVE_2 = replace(RETAIL_2, name=LIVE_NAME, truth=LIVE_TRUTH)
