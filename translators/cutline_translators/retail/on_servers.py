"""What the retailer has on servers: tables whose changes are sent, and topics of native events."""

from __future__ import annotations

TABLES = tuple(f"erp.{t}" for t in ("products", "bundle_components", "orders", "order_lines"))
"""The tables of the ERP that translators read."""
LIVE_TOPICS = tuple(
    f"fulfilment.{aggregate}.live"
    for aggregate in ("customer_order", "fulfilment_line", "reservable_inventory")
)
"""The topics of native events, without the prefix."""
PARTITIONS = 4
"""The number of partitions of each of them."""
