"""Rentals: when a copy went out, and when it came back."""

from __future__ import annotations

from typing import Any

from cutline.translator import COMMIT, Occurrence, Translator, ambiguous, fact, lookup, removed
from cutline_domains.rental import RENTAL_CONTEXT, RentalReturned, RentalStarted, RentalWithdrawn
from cutline_translators.sakila.contracts import Copy, Rental


class SakilaRentals(Translator):
    """The facts of a rental, from its two dates. A rental without a return date is open."""

    context, aggregate, version = RENTAL_CONTEXT, "rental", "1.0.0"
    source, subject = Rental, "rental_id"

    copy = lookup(Copy, on="inventory_id")

    @ambiguous("return-taken-back")
    def return_taken_back(self, row: Any, was: Any) -> Any:
        """The copy was back, and now is out again: typed in by mistake, or a second rental."""
        return was.return_date.isNotNull() & row.return_date.isNull()

    @fact(RentalStarted)
    def started(self, row: Any) -> Occurrence:
        return Occurrence(
            at=row.rental_date,
            data={
                "customer_no": row.customer_id,
                "copy_no": row.inventory_id,
                "film_no": row.copy.film_id,
                "store_no": row.copy.store_id,
                "started_at": row.rental_date,
            },
        )

    @fact(RentalReturned)
    def returned(self, row: Any) -> Occurrence:
        return Occurrence(
            when=row.return_date.isNotNull(),
            at=row.return_date,
            data={"returned_at": row.return_date},
        )

    @removed(RentalWithdrawn)
    def withdrawn(self, _row: Any) -> Occurrence:
        # The row is gone, and nothing says when: it is the commit that counts.
        return Occurrence(when=False, time_basis=COMMIT)
