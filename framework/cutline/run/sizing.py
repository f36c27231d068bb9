"""How Spark is set up for a run by what its inputs hold and what this machine has.

What cutline.yaml says always holds; only what it leaves out is chosen. Results never depend on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from cutline.project.spark import SparkSection
from cutline.spark.machine import Memory, amount, heap_bytes, heap_text
from cutline.spark.session import cores_of

_LITTLE = 16 << 20
"""The most bytes for which a quick start pays."""
_LEAST = 1 << 30
"""The heap that a run needs for itself, beside what it needs by the bytes of its inputs."""
_PER_BYTE = 1
"""Bytes of heap for each byte of the inputs."""
_ROOM = 1 << 30
"""What is chosen above what is needed, so that plans that turn out larger fit as well."""
_SHARE = 0.6
"""The share of this machine's memory that a heap is chosen within; Python and the system's cache
of files have the rest."""
_PER_PARTITION = 64 << 20
"""Bytes of the inputs for each partition of an exchange."""
_MOST_PARTITIONS = 2_000


@dataclass(frozen=True)
class Sizing:
    """The section as a session is started by it, and sentences for people.

    `choices` says what was chosen, `warning` what cutline.yaml says that is too little; each is
    empty where there is nothing to say.
    """

    section: SparkSection
    choices: str = ""
    warning: str = ""


def size_session(section: SparkSection, inputs: int, memory: Memory) -> Sizing:
    """How a session is set up for a run whose inputs hold that many bytes.

    On a cluster nothing is chosen: there the workers' memory counts, which is not known here.
    """
    if not section.is_local:
        return Sizing(section)
    quick = inputs <= _LITTLE if section.quick_start is None else section.quick_start
    partitions = section.shuffle_partitions or (0 if quick else partitions_for(inputs, section))
    chosen = section.memory or heap_text_within(inputs, memory)
    sized = section.model_copy(
        update={"memory": chosen, "quick_start": quick, "shuffle_partitions": partitions}
    )
    return Sizing(
        sized, _choices(section, sized, inputs), _warning(section, chosen, inputs, memory)
    )


def needed_heap(inputs: int) -> int:
    """The bytes of heap below which a run is warned of."""
    return _LEAST + _PER_BYTE * inputs


def heap_text_within(inputs: int, memory: Memory) -> str:
    """The heap that is chosen: what is needed and some room, within this machine's memory."""
    most = max(_LEAST, int(min(memory.total * _SHARE, memory.available - (_LEAST >> 1))))
    step = 256 << 20
    return heap_text(min(needed_heap(inputs) + _ROOM, most // step * step))


def partitions_for(inputs: int, section: SparkSection) -> int:
    """The partitions of an exchange: two a core, or more where each would hold too much."""
    return min(_MOST_PARTITIONS, max(2 * cores_of(section.master), ceil(inputs / _PER_PARTITION)))


def _choices(declared: SparkSection, sized: SparkSection, inputs: int) -> str:
    chosen = [f"heap {sized.memory}"] if declared.memory is None else []
    if declared.quick_start is None and sized.quick_start:
        chosen.append("a quick start")
    if not declared.shuffle_partitions and sized.shuffle_partitions:
        chosen.append(f"{sized.shuffle_partitions} partitions")
    return f"Spark for {amount(inputs)} of inputs: {', '.join(chosen)}" if chosen else ""


def _warning(declared: SparkSection, heap: str, inputs: int, memory: Memory) -> str:
    needed = needed_heap(inputs)
    if inputs <= _LITTLE or heap_bytes(heap) >= needed:
        return ""
    if declared.memory is None:
        return (
            f"warning: {amount(inputs)} of inputs need a heap of {heap_text(needed)}, and this "
            f"machine, with {amount(memory.available)} of memory unused, gives {heap}: it may not "
            "suffice (docs/sizing.md)"
        )
    return (
        f"warning: spark.memory is {heap}, and for {amount(inputs)} of inputs docs/sizing.md says "
        f"{heap_text(needed + _ROOM)}: set it, or leave it out"
    )
