"""What a sequence of records comes to: a digest that knows no order, and one of the order."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


class RecordTally:
    """Counts rows by the hashes of their contents, batch by batch."""

    def __init__(self) -> None:
        self.records = 0
        self._sums = [0, 0]
        self._chain = hashlib.blake2b(digest_size=16)

    def add(self, hashes: NDArray[Any]) -> None:
        """The next hashes, 64 bits each, in the order of the records."""
        plain = np.ascontiguousarray(hashes, dtype="<i8").view("<u8")
        self.records += len(plain)
        for place, numbers in enumerate((plain, plain * plain)):
            high = int((numbers >> _HALF).sum(dtype="u8"))
            low = int((numbers & _LOW).sum(dtype="u8"))
            self._sums[place] += (high << 32) + low
        self._chain.update(plain.tobytes())

    @property
    def digest(self) -> str:
        """32 hexadecimal digits: equal for equal multisets of records, whatever their order."""
        text = ":".join(str(part) for part in (self.records, *self._sums))
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @property
    def chain(self) -> str:
        """32 hexadecimal digits: equal for equal sequences of records."""
        return self._chain.hexdigest()
