"""What the writers of `support.workload` do, read by Cutline while they work.

`WAREHOUSE` says what their rows mean; `LoadedSources` reads them with snapshots of the middle and topics
of the end; `expected_orders` and `expected_stock` are all that must then be announced, by what the
writers know.
"""

from support.under_load.expected import expected_orders, expected_states, expected_stock
from support.under_load.sources import EXPORTED, SALES, SHELVES, VISIBLE, LoadedSources
from support.under_load.warehouse import WAREHOUSE

__all__ = [
    "EXPORTED",
    "SALES",
    "SHELVES",
    "VISIBLE",
    "WAREHOUSE",
    "LoadedSources",
    "expected_orders",
    "expected_states",
    "expected_stock",
]
