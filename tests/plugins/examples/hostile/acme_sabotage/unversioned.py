"""A version that is no version is refused while it is imported."""

from __future__ import annotations

from acme_sabotage.honest import translation

UNVERSIONED = translation("unversioned", "one")
