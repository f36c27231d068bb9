"""The ordinary plugin's own tests, as its authors would write them: this is all there is to it."""

from __future__ import annotations

from pathlib import Path

from acme_library import LIBRARY_1, LibraryLoans, Loan, LoanGranted, LoanOverdue, LoanReturned

from cutline.conformance import conformance
from cutline.testing import event, given, row, snapshot, specification, translated, updated

LOAN = row(Loan, loan_no="7", book="Emma", status="O", granted_at="2026-10-01T08:00Z")

test_loans = specification(
    LibraryLoans,
    {
        "a loan was granted when it says": given(snapshot(LOAN)).means(
            event(LoanGranted, {"book": "Emma"}, subject="7", time="2026-10-01T08:00Z")
        ),
        "a late book comes back": given(
            snapshot(LOAN, status="L"),
            updated(LOAN.but(status="L"), status="B", at="2026-11-02T08:00Z"),
        ).means(
            translated("LoanGranted, LoanOverdue"),
            translated("LoanReturned"),
            event(LoanGranted),
            event(LoanOverdue, basis="extract"),
            event(LoanReturned, time="2026-11-02T08:00Z", basis="commit"),
        ),
    },
).tests()

test_conforms = conformance(
    LIBRARY_1, fingerprints=Path(__file__).with_name("fingerprints.json"), histories=40
)
