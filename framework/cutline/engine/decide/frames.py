"""The frames of decisions: images with their ends, and rows that wait for another."""

from __future__ import annotations

from cutline.engine.announce import FALLEN_TYPES, FALLEN_WITHIN, TRANSLATED_CHANGES
from cutline.engine.compose import (
    BY_COMMIT,
    GROUP,
    IMAGES,
    PART,
    STANDS_FOR,
    SUPERSEDED,
    lookup_image,
)
from cutline.engine.end import END_TYPE
from cutline.engine.frames import ColumnFamily, Frame, FrameColumn
from cutline.engine.restore import ROW_GROUP
from cutline.engine.rules import WAS
from cutline.translator.translator import Translator

IMAGE_END = FrameColumn(
    "image_end", END_TYPE, "the end that the image has by itself; null where it is sound"
)
FAULT = FrameColumn(
    "fault", "string", "what is wrong with an event of the image, by name; null where nothing is"
)
LAST_SOUND = ColumnFamily(
    f"{WAS}_", "", "the table's row in the subject's last sound image; null where there is none"
)
RISEN = ColumnFamily("risen_", "", "what `Fact.risen` returns for the fact of this place")
WAS_READABLE = FrameColumn("was_readable", "boolean", "whether the row had no end by itself", False)

DECIDED_ALONE = TRANSLATED_CHANGES.without_columns(FALLEN_WITHIN).with_columns(
    WAS_READABLE, STANDS_FOR, GROUP, SUPERSEDED, FALLEN_TYPES
)
"""One image with the end that it has by itself, and its events."""

DECIDED = DECIDED_ALONE.with_columns(*BY_COMMIT)
"""The same of images that were composed: they have a place in their subject."""

NTH = FrameColumn("nth_of_subject", "int", "the image's place among its subject's", False)
AWAITS = FrameColumn(
    "awaits", "boolean", "whether the image lacks what the subject's rows wait for", False
)
WAITING_COLUMNS = (NTH, AWAITS, ROW_GROUP, PART)

WAITING = DECIDED.with_columns(*WAITING_COLUMNS)
"""The same of a translator whose rows may be held until another comes."""

ENDED_IMAGES = Frame("one image with its end", (*IMAGES.columns, IMAGE_END))
"""What all images have that have their ends, whatever their parts are."""


def last_sound_columns(translator: type[Translator]) -> tuple[FrameColumn, ...]:
    """The rows of the subject's last sound image, of each part and lookup."""
    return (
        *(LAST_SOUND.of(name, part.contract.ddl()) for name, part in translator.parts.items()),
        *(LAST_SOUND.of(name, lookup_image(k)) for name, k in translator.lookups.items()),
    )
