"""Olist: the published data of a Brazilian marketplace, with contracts, translator and truth."""

from cutline_translators.olist.translation import OLIST_1

__all__ = ["OLIST_1"]
