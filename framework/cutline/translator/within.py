"""How a translator reads the changes within one transaction of its source."""

from __future__ import annotations

from enum import StrEnum


class WithinTransaction(StrEnum):
    """How often one transaction is translated; declared as `within_transaction`.

    `WHOLE` (the default): once, by the image after its commit. Nobody could read the images in
    between, so earlier changes of a row are `no-op`, `within-its-transaction`, and facts that held
    only between them are counted. `EACH`: once per change of a row, for an application that writes
    every step and whose steps have a meaning; the subject's other rows are those after the commit.
    """

    WHOLE = "whole"
    EACH = "each"


WHOLE, EACH = WithinTransaction.WHOLE, WithinTransaction.EACH
"""The values of `within_transaction` of a translator: see WithinTransaction."""
