"""The sales regions; columns hold the index."""

from __future__ import annotations

REGIONS = ("eu-west", "us-east")
