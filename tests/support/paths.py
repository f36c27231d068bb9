"""Where the project's files are, for tests that read its pages, examples and scripts."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
SHARED = ROOT.parent / "shared"
"""Real data beside the checkout, if it is there."""
