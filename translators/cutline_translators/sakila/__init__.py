"""Sakila: the published sample of a film rental, with contracts, translators and truth."""

from cutline_translators.sakila.translation import SAKILA_1

__all__ = ["SAKILA_1"]
