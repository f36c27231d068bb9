"""What the rows of Sakila look like: one contract per table that is read."""

from cutline_translators.sakila.contracts.inventory import Copy
from cutline_translators.sakila.contracts.payments import TillPayment
from cutline_translators.sakila.contracts.rentals import Rental

__all__ = ["Copy", "Rental", "TillPayment"]
