"""What a translator makes of the changes within one transaction of its source."""

from __future__ import annotations

from enum import StrEnum


class WithinTransaction(StrEnum):
    """How often one transaction is asked what it means, said as `within_transaction`.

    `WHOLE` (the default): once, by the image that its commit left. Nobody could read what stood
    there in between, so a row that moves twice is asked about where it ended; its earlier changes
    are `no-op`, `within-its-transaction`, and what rose and fell with them is counted. `EACH`: each
    change of a row is asked by itself, where an application writes every step of a row and each has
    a meaning; of the subject's other rows it sees those that the commit left.
    """

    WHOLE = "whole"
    EACH = "each"


WHOLE, EACH = WithinTransaction.WHOLE, WithinTransaction.EACH
"""What `within_transaction` of a translator may be: see WithinTransaction."""
