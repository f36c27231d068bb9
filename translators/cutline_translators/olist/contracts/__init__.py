"""What the rows of the Olist data look like: one contract per table that is translated."""

from cutline_translators.olist.contracts.customers import Customer
from cutline_translators.olist.contracts.order_items import OrderItem
from cutline_translators.olist.contracts.orders import Order

__all__ = ["Customer", "Order", "OrderItem"]
