"""Translation: the changes of a translator's tables become dispositions and events."""

from cutline.engine.translate.ended import ended_images
from cutline.engine.translate.images import images_of
from cutline.engine.translate.inputs import Changes, Inputs
from cutline.engine.translate.quarantined import quarantined_tables
from cutline.engine.translate.translate import reference_rows, translate_changes, worth_caching

__all__ = [
    "Changes",
    "Inputs",
    "ended_images",
    "images_of",
    "quarantined_tables",
    "reference_rows",
    "translate_changes",
    "worth_caching",
]
