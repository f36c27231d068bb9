"""Major version 1: each source is read as it shows itself.

An ERP line reserves what is written on it. Where that is a bundle, the bundle is reserved as a
unit; the store that picks it reserves its components. For single articles both speak of the same
reservation, and the merge keeps one. For bundles they do not meet, and stock is taken twice.
"""

from __future__ import annotations

from cutline.translator import Translation
from cutline_domains.fulfilment import FULFILMENT
from cutline_translators.retail.adjustments import StockAdjustments
from cutline_translators.retail.ledger import FinanceLedger
from cutline_translators.retail.lines_v1 import ErpLinesV1
from cutline_translators.retail.orders import ErpOrders
from cutline_translators.retail.payments import ShopPayments
from cutline_translators.retail.picks import StorePicks
from cutline_translators.retail.shipments import WarehouseShipments
from cutline_translators.retail.stock import StoreStock
from cutline_translators.retail.truth import TRUTH

RETAIL_1 = Translation(
    name="retail",
    version="1.0.0",
    context=FULFILMENT,
    translators=(
        ErpOrders,
        ShopPayments,
        ErpLinesV1,
        StorePicks,
        StoreStock,
        FinanceLedger,
        StockAdjustments,
        WarehouseShipments,
    ),
    truth=TRUTH,
)
