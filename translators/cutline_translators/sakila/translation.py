"""Major version 1 of the translation from Sakila's tables to the context of rentals."""

from __future__ import annotations

from cutline.translator import Translation
from cutline_domains.rental import RENTAL_CONTEXT
from cutline_translators.sakila.payments import SakilaPayments
from cutline_translators.sakila.rentals import SakilaRentals
from cutline_translators.sakila.truth import TRUTH

SAKILA_1 = Translation(
    name="sakila",
    version="1.0.0",
    context=RENTAL_CONTEXT,
    translators=(SakilaRentals, SakilaPayments),
    truth=TRUTH,
)
