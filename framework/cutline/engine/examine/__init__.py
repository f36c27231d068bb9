"""What a translator's expressions are, found out before any row is read.

Each rule is analysed by Spark on an empty image: the types it gives, the columns it looks at,
whether it says the same of the same row on every day, and a fingerprint of what it means.
"""

from cutline.engine.examine.examined import Examined, examined
from cutline.engine.examine.fingerprint import made_by
from cutline.engine.examine.reading import Reading

__all__ = ["Examined", "Reading", "examined", "made_by"]
