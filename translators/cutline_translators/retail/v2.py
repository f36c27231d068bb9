"""Major version 2: a bundle stands for its components.

Only the ERP lines are read differently: a line with a bundle reserves each component, in the
quantity that the bundle holds. So ERP and store speak of the same reservation for every article,
and the merge keeps one. All other translators are those of version 1, and their events keep
their ids.
"""

from __future__ import annotations

from cutline.translator import Translation
from cutline_domains.fulfilment import FULFILMENT
from cutline_translators.retail.adjustments import StockAdjustments
from cutline_translators.retail.ledger import FinanceLedger
from cutline_translators.retail.lines_v2 import ErpLines
from cutline_translators.retail.orders import ErpOrders
from cutline_translators.retail.payments import ShopPayments
from cutline_translators.retail.picks import StorePicks
from cutline_translators.retail.shipments import WarehouseShipments
from cutline_translators.retail.stock import StoreStock
from cutline_translators.retail.truth import TRUTH

RETAIL_2 = Translation(
    name="retail",
    version="2.0.0",
    context=FULFILMENT,
    translators=(
        ErpOrders,
        ShopPayments,
        ErpLines,
        StorePicks,
        StoreStock,
        FinanceLedger,
        StockAdjustments,
        WarehouseShipments,
    ),
    truth=TRUTH,
)
