"""Orders whose buyer may be a question mark: version 1 does not know who pays, version 2 does."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.logged import install_plugin

PYPROJECT = """\
[project]
name = "cash-orders"
version = "0.1.0"
[project.entry-points."cutline.contexts"]
shop = "{package}:SHOP"
[project.entry-points."cutline.translators"]
cash-orders-1 = "{package}:DOUBTED"
cash-orders-2 = "{package}:UNDERSTOOD"
"""
PLUGIN = '''\
"""Orders with their lines, by two versions of one translator."""

from cutline.translator import Translation, Truth
from support.late_orders import SHOP, Orders


class PaidInCash(Orders):
    """Who pays in cash has no name."""

    version, no_buyer = "2.0.0", None

    @classmethod
    def name(cls):
        return Orders.name()


_TRUTH = Truth(aggregates={"order": "SELECT CAST(no AS TEXT) AS subject, placed FROM web.orders"})
DOUBTED = Translation("cash-orders", "1.0.0", SHOP, (Orders,), _TRUTH)
UNDERSTOOD = Translation("cash-orders", "2.0.0", SHOP, (PaidInCash,), _TRUTH)
'''


def install_cash_orders(monkeypatch: pytest.MonkeyPatch, folder: Path, package: str) -> None:
    """Has both versions installed for this process, as a package of that name, until the test ends."""
    install_plugin(monkeypatch, folder, package, PYPROJECT.format(package=package), PLUGIN)
