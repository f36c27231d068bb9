"""Which statements bring a slice's writes back to the legacy, as one short text."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import SecretStr
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from cutline.project.rollout import RolloutSection

_PASSWORDS = ("password", "sslpassword")


def way_back_digest(rollout: RolloutSection) -> str:
    """16 hexadecimal digits over all that a rehearsal tries of it: `legacy_writes` but for
    `seconds`, and `reverse_feed`.

    Of a URL without its password, so that a new password leaves it as it is.
    """
    legacy, feed = rollout.legacy_writes, rollout.reverse_feed
    sections = {
        "legacy_writes": legacy and legacy.model_dump(mode="json", exclude={"url", "seconds"}),
        "reverse_feed": feed and feed.model_dump(mode="json", exclude={"url"}),
        "urls": [_place(legacy.url if legacy else None), _place(feed.url if feed else None)],
    }
    text = json.dumps(sections, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _place(url: SecretStr | None) -> Any:
    """Which database a URL leads to, and as whom; null without one, and where it is none."""
    if url is None:
        return None
    try:
        where = make_url(url.get_secret_value())
    except (ArgumentError, ValueError):
        return None
    return where.set(password=None).difference_update_query(_PASSWORDS).render_as_string()
