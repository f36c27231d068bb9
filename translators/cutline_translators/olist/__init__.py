"""Olist: Brazilian e-commerce as published, and what its rows mean to a marketplace."""

from cutline_translators.olist.translation import OLIST_1

__all__ = ["OLIST_1"]
