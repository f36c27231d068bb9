"""Major version 1 of the translation from Olist's tables to the marketplace."""

from __future__ import annotations

from cutline.translator import Translation
from cutline_domains.marketplace import MARKETPLACE
from cutline_translators.olist.orders import OlistOrders
from cutline_translators.olist.truth import TRUTH

OLIST_1 = Translation(
    name="olist",
    version="1.0.0",
    context=MARKETPLACE,
    translators=(OlistOrders,),
    truth=TRUTH,
)
