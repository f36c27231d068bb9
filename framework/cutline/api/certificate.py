"""The convergence certificate of a run: its proven and its assumed obligations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from cutline import display
from cutline.secrets import document_as_written

if TYPE_CHECKING:
    from cutline.cut import Obligation


@dataclass(frozen=True)
class CertifiedObligation:
    """One obligation of a run, of one source or, where that is None, of the whole run.

    `obligation` is O1 to O9, and `says` the condition in words. `status` is proven, held,
    assumed or violated; `by` are the figures that prove it, the person who assumed it, or the
    place of its violation.
    """

    obligation: str
    says: str
    source: str | None
    status: str
    by: str | None


@dataclass(frozen=True, repr=False)
class Certificate:
    """The obligations of a run, in order."""

    run_id: str
    obligations: tuple[CertifiedObligation, ...]

    @property
    def violated(self) -> tuple[CertifiedObligation, ...]:
        """The violated obligations; a run with one has stopped."""
        return tuple(o for o in self.obligations if o.status == "violated")

    def with_proof(self, proof: Obligation) -> Certificate:
        """The certificate with an assumed obligation replaced by its proof."""
        return Certificate(
            self.run_id,
            tuple(
                CertifiedObligation(o.obligation, o.says, o.source, proof.status, proof.by)
                if o.obligation == proof.code
                else o
                for o in self.obligations
            ),
        )

    @document_as_written
    def as_json(self) -> list[dict[str, Any]]:
        """The document of `cutline certify --json`."""
        return [asdict(obligation) for obligation in self.obligations]

    def __iter__(self) -> Iterator[CertifiedObligation]:
        return iter(self.obligations)

    def __repr__(self) -> str:
        violated = ", ".join(o.obligation for o in self.violated)
        return f"<Certificate of {self.run_id}: {f'{violated} violated' if violated else 'holds'}>"

    def _repr_html_(self) -> str:
        columns = ("obligation", "source", "status", "says", "by")
        rows = [[getattr(o, name) for name in columns] for o in self.obligations]
        return display.section(f"certificate of {self.run_id}", display.table(columns, rows))
