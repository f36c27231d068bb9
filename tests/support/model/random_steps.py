"""Histories by the seed: the same number gives the same history, in tens of microseconds a step."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from support.model.steps import (
    HIGH,
    LOW,
    SNAPSHOT,
    Commit,
    Drop,
    Key,
    Load,
    Mark,
    Rename,
    Rollback,
    Show,
    Step,
    Steps,
    Upsert,
)

KEYS: tuple[Key, ...] = (("a",), ("b",), ("ab",), ("a", "b"), ("a", "c"), ("ab", ""))
"""Few keys meet often. Some would be one if their parts were joined as text."""


@dataclass(frozen=True)
class Mix:
    """What a history may be made of."""

    renames: bool = True
    at_once: bool = True
    """Whether a transaction may use a key again that it has deleted, or given another, itself."""
    reborn: bool = True
    """Whether a key that was deleted may be used again."""
    taken_over: bool = True
    """Whether a row may be given a key that another row had before, or lose one that it took."""
    concurrent: int = 4
    events: int = 32


def random_steps(seed: int, mix: Mix = Mix()) -> Steps:
    """The history with that number."""
    return tuple(_steps(random.Random(seed), mix))


def _steps(rng: random.Random, mix: Mix) -> Iterator[Step]:
    keys = rng.sample(KEYS, rng.randint(2, 4))
    for key in keys:
        if rng.random() < 0.5:
            yield Load(key, rng.randint(0, 2), rng.randint(0, 9), rng.choice("xyz"))
    length = rng.randint(6, mix.events)
    # The marks stand close together more often than far apart: there the rules differ.
    middle = rng.randint(1, length)
    marks: dict[int, list[str]] = {}
    for name, at in ((LOW, middle - rng.choice((0, 1, 2, 4))), (SNAPSHOT, middle)):
        marks.setdefault(max(at, 0), []).append(name)
    marks.setdefault(middle + rng.choice((0, 1, 2, 4)), []).append(HIGH)
    begun, open_, logged = 0, [], []
    used = _Used()
    for place in range(length + 5):
        for name in marks.get(place, ()):
            yield Mark(name)
        chance = rng.random()
        if logged and chance < 0.2:
            yield Show(logged.pop(rng.randrange(len(logged))))
        elif open_ and chance < 0.42:
            tx = open_.pop(rng.randrange(len(open_)))
            logged.append(tx)
            yield Commit(tx)
        elif open_ and chance < 0.46:
            yield Rollback(open_.pop(rng.randrange(len(open_))))
        else:
            if len(open_) < mix.concurrent and (not open_ or chance > 0.7):
                begun += 1
                open_.append(begun)
            yield _write(rng, rng.choice(open_), keys, used, mix)
    for tx in rng.sample(open_, len(open_)):
        yield Commit(tx) if rng.random() < 0.8 else Rollback(tx)


@dataclass
class _Used:
    """The keys that transactions deleted, gave another to, and gave to a row in place of another."""

    dropped: set[tuple[int, Key]] = field(default_factory=set)
    left: set[tuple[int, Key]] = field(default_factory=set)
    reassigned: set[tuple[int, Key]] = field(default_factory=set)

    def may_write(self, tx: int, key: Key, mix: Mix) -> bool:
        if not mix.reborn and any(other == key for _, other in self.dropped):
            return False
        return mix.at_once or (tx, key) not in self.dropped | self.left

    def may_rename(self, tx: int, key: Key, mix: Mix) -> bool:
        once = mix.at_once or (tx, key) not in self.left | self.reassigned
        return once and (mix.taken_over or all(other != key for _, other in self.dropped))


def _write(rng: random.Random, tx: int, keys: list[Key], used: _Used, mix: Mix) -> Step:
    key = rng.choice(keys)
    chance = rng.random()
    if chance < 0.12:
        used.dropped.add((tx, key))
        return Drop(tx, key)
    if chance < 0.3 and mix.renames and used.may_rename(tx, key, mix):
        to = _new_key(rng, key, keys, mix)
        if to is not None:
            used.left.add((tx, key))
            used.reassigned.add((tx, to))
            return Rename(tx, key, to)
    if not used.may_write(tx, key, mix):
        used.dropped.add((tx, key))
        return Drop(tx, key)
    return Upsert(
        tx,
        key,
        rng.choice((None, 0, 1, 2)),
        rng.choice((None, rng.randint(0, 9))),
        rng.choice((None, None, rng.choice("xyz"))),
    )


def _new_key(rng: random.Random, key: Key, keys: list[Key], mix: Mix) -> Key | None:
    """The key that a row gets in place of another; null if there is none."""
    if not mix.taken_over:
        keys.append((*key[:-1], f"n{len(keys)}"))
        return keys[-1]
    others = [other for other in keys if len(other) == len(key) and other != key]
    return rng.choice(others) if others else None
