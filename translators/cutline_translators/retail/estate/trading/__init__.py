"""The retailer on servers: its ERP in PostgreSQL, and the business that goes on there."""

from cutline_translators.retail.estate.trading.database import load
from cutline_translators.retail.estate.trading.projectfile import write_live_project
from cutline_translators.retail.estate.trading.trade import open_trade

__all__ = ["load", "open_trade", "write_live_project"]
