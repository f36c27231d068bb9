"""What the rows of the retail estate look like: one contract per legacy table."""

from cutline_translators.retail.contracts.adjustments import Adjustment
from cutline_translators.retail.contracts.bundle_components import BundleComponent
from cutline_translators.retail.contracts.carts import Cart
from cutline_translators.retail.contracts.order_lines import ErpOrderLine
from cutline_translators.retail.contracts.orders import ErpOrder
from cutline_translators.retail.contracts.payments import Payment
from cutline_translators.retail.contracts.picks import Pick
from cutline_translators.retail.contracts.products import Product
from cutline_translators.retail.contracts.releases import WarehouseRelease
from cutline_translators.retail.contracts.shipments import Shipment
from cutline_translators.retail.contracts.stock import Stock
from cutline_translators.retail.contracts.stock_ledger import StockLedger

__all__ = [
    "Adjustment",
    "BundleComponent",
    "Cart",
    "ErpOrder",
    "ErpOrderLine",
    "Payment",
    "Pick",
    "Product",
    "Shipment",
    "Stock",
    "StockLedger",
    "WarehouseRelease",
]
