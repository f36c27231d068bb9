"""What cannot be followed from subject to subject, so that everything is translated anew."""

from __future__ import annotations

from cutline.translator.checks import unique_columns
from cutline.translator.translation import Translation


def why_not_by_subject(translation: Translation) -> str | None:
    """Why the results of a subject may depend on rows that no key and no lookup leads to; null if
    they never do."""
    for translator in translation.translators:
        if translator.views:
            return f"{translator.name()} asks what else a commit did"
    for contract in translation.contracts():
        if any(True for _ in unique_columns(contract)):
            return f"contract {contract.__name__} compares its rows with each other"
    return None
