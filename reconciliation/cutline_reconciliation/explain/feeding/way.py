"""In which way a subject, or the decision on it, depends on what feeds its break."""

from __future__ import annotations

ITSELF = "itself"
LOOKS_AT = "looks-at"
PART = "part"
BY_ROW = "row"
WAYS = (ITSELF, LOOKS_AT, PART, BY_ROW)
"""It is of the very subject; the outcome says that the decision looks at it; it is of a declared
part of the subject; a legacy row of it announced an event of the subject. Of several ways the
first counts; sorted as texts they have the same order."""
