"""A translator that names a column that is not there."""

from acme_library import LENDING, Loan, LoanReturned

from cutline.translator import COMMIT, Occurrence, Translator, fact


class Misdefined(Translator):
    context, aggregate, version = LENDING, "loan", "1.0.0"
    source, subject = Loan, "loan_no"

    @fact(LoanReturned)
    def returned(self, row):
        return Occurrence(when=row.stauts == "B", time_basis=COMMIT)
