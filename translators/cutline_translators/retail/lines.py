"""Order lines: the facts that both versions of their translator share."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.translator import Occurrence, Translator, fact, lookup, reject, understood
from cutline_domains.fulfilment import LineAllocated, LineCancelled, LineOrdered, LineShipped
from cutline_translators.retail.contracts import BundleComponent, ErpOrder, ErpOrderLine, Product

BUNDLE = "BUNDLE"


class LineFacts(Translator):
    """The facts of an ERP order line, but for reservations, in which the versions differ."""

    source, subject = ErpOrderLine, ("order_no", "line_no")

    order = lookup(ErpOrder, on="order_no")
    product = lookup(Product, on="sku")
    components = lookup(BundleComponent, on="sku", by="bundle_sku", many=True)

    @reject("orphan-line")
    def orphan_line(self, row: Any) -> Any:
        """The order that the line belongs to is gone from the ERP."""
        return row.order.order_no.isNull()

    @reject("unknown-article")
    def unknown_article(self, row: Any) -> Any:
        """The ERP no longer knows the article."""
        return row.product.sku.isNull()

    @reject("bundle-without-components")
    def bundle_without_components(self, row: Any) -> Any:
        """The article is a bundle, and nobody knows what is in it."""
        return (row.product.kind == BUNDLE) & row.components.isNull()

    @understood("open-line")
    def open_line(self, row: Any) -> Any:
        """Ordered, and nothing was done for it yet."""
        return row.line_status == "OPEN"

    @fact(LineOrdered)
    def ordered(self, row: Any) -> Occurrence:
        return Occurrence(
            when=F.lit(True),
            at=F.coalesce(row.ordered_at, row.order.ordered_at),
            data={
                "order_no": row.order_no,
                "line_no": row.line_no,
                "region": row.region,
                "sku": row.sku,
                "quantity": row.quantity,
                "needs": needs(row),
            },
        )

    # Without its time, a cancelled line does not show any more that stock was set aside for it.
    @fact(LineAllocated, transient=True)
    def allocated(self, row: Any) -> Occurrence:
        return Occurrence(when=was_allocated(row), at=row.allocated_at, data=_line(row))

    @fact(LineShipped)
    def shipped(self, row: Any) -> Occurrence:
        return Occurrence(when=row.line_status == "SHIPPED", at=row.shipped_at, data=_line(row))

    @fact(LineCancelled)
    def cancelled(self, row: Any) -> Occurrence:
        return Occurrence(when=row.line_status == "CANCELLED", at=row.cancelled_at, data=_line(row))


def was_allocated(row: Any) -> Any:
    """Whether stock was ever set aside for the line, as it was for shipped lines."""
    return row.line_status.isin("ALLOCATED", "SHIPPED") | (
        (row.line_status == "CANCELLED") & row.allocated_at.isNotNull()
    )


def is_over(row: Any) -> Any:
    """Whether stock was set aside for the line and no longer is."""
    return was_allocated(row) & (row.line_status != "ALLOCATED")


def ended_at(row: Any) -> Column:
    """The time of shipping or cancellation; null if it was not recorded."""
    return F.when(row.line_status == "SHIPPED", row.shipped_at).otherwise(row.cancelled_at)


def needs(row: Any) -> Column:
    """The stock that one unit needs: an array of (quantity, sku), the article or its components."""
    itself = F.array(F.struct(F.lit(1).cast("bigint").alias("quantity"), row.sku.alias("sku")))
    parts = F.transform(
        row.components,
        lambda component: F.struct(
            component.getField("quantity").alias("quantity"),
            component.getField("component_sku").alias("sku"),
        ),
    )
    return F.when(row.product.kind == BUNDLE, F.array_sort(parts)).otherwise(itself)


def _line(row: Any) -> dict[str, Column]:
    return {"order_no": row.order_no, "line_no": row.line_no}
