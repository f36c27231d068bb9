"""What is personal, by contracts and payloads, and how it is hidden wherever data is shown.

`cutline.masking.frames` does it for tables; importing this does not load Spark.
"""

from cutline.masking.masking import Masking
from cutline.masking.personal import masking
from cutline.masking.texts import MASK

__all__ = ["MASK", "Masking", "masking"]
