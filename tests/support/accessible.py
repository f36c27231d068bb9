"""What axe-core has against a page: the rules of WCAG 2.2 A and AA, and its best practices."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from support.missing import missing

if TYPE_CHECKING:
    from playwright.sync_api import Page


def violations(page: Page) -> list[str]:
    """Each rule that the page violates, with the elements that do.

    The page's context must bypass its content security policy, or axe-core cannot be run in it.
    """
    package = find_spec("axe_playwright_python")
    if package is None or package.origin is None:
        missing("axe-playwright-python is not installed (make setup-dev)")
    page.evaluate(Path(package.origin).with_name("axe.min.js").read_text(encoding="utf-8"))
    violations = page.evaluate("axe.run().then((result) => result.violations)")
    return [f"{v['id']}: {[node['target'] for node in v['nodes']]}" for v in violations]
