"""What pydantic found wrong, in words that name the key and what is allowed there."""

from __future__ import annotations

import json
import re
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import ValidationError

from cutline.errors import did_you_mean, nearest
from cutline.project.base import Section
from cutline.project.model import ProjectFile
from cutline.project.names import IN_WORDS
from cutline.project.rollout import is_database_url

Key = tuple[str | int, ...]


def problems(
    error: ValidationError,
    document: Any,
    override: Any = None,
    region: str | None = None,
    *,
    model: type[Section] = ProjectFile,
    file: str = "cutline.yaml",
) -> list[str]:
    """One line per problem: `cutline.yaml: sources.erp.kind: …`.

    `model` is what the file called `file` was read as. `document` is what the file holds (before
    references were replaced, so that no secret is shown) with the region's `override` laid over; a
    key that the override sets is named there.
    """
    lines = []
    for problem in error.errors(include_url=False):
        key = _key(problem["loc"], document)
        message = problem["msg"], problem.get("ctx") or {}
        says = _sentence(model, problem["type"], *message, key, document)
        if problem["type"].startswith("union_tag"):
            key = (*key, _tag_at(model, key, document))
        if override and _value_at(override, key) is not _NOTHING:
            key = ("regions", str(region), "override", *key)
        lines.append(f"{file}: {'.'.join(str(part) for part in key) or 'the file'}: {says}")
    return list(dict.fromkeys(lines))


def _sentence(
    model: type[Section],
    kind: str,
    message: str,
    context: Mapping[str, Any],
    key: Key,
    document: Any,
) -> str:
    if kind == "extra_forbidden":
        known_keys = _keys_at(model, key[:-1], document)
        similar = did_you_mean(str(key[-1]), known_keys)
        return f"unknown key.{similar} Known here: {', '.join(known_keys)}."
    if kind == "missing":
        return "is missing."
    if kind == "union_tag_not_found":
        value = _value_at(document, key)
        named = map(str, value) if isinstance(value, Mapping) else ()
        mistyped = nearest(_tag_at(model, key, document), named)
        says = f"is missing; one of {', '.join(_kinds_at(model, key, document))}."
        return says + (f" Is {mistyped!r} meant for it?" if mistyped else "")
    if kind == "union_tag_invalid":
        kinds = list(_kinds_at(model, key, document))
        tag = str(context["tag"]).strip("[]")
        return f"{tag!r} is none of {', '.join(kinds)}.{did_you_mean(tag, kinds)}"
    if kind in ("model_type", "model_attributes_type", "dict_type"):
        known_keys = _keys_at(model, key, document)
        return "must hold keys of its own" + (f": {', '.join(known_keys)}." if known_keys else ".")
    says = re.sub(r"^(Input|String) should ", "must ", message.removeprefix("Value error, "))
    if kind == "too_short":
        says = "must not be empty"
    if kind == "timezone_aware":
        says = "must be a date and time with its zone, such as 2026-11-01T06:00:00Z"
    if kind == "string_pattern_mismatch":
        pattern = str(context["pattern"])
        says = IN_WORDS.get(pattern, f"must match {pattern}")
    document_value = _value_at(document, key)
    is_secret = is_database_url(key)
    if document_value is _NOTHING or isinstance(document_value, dict | list) or is_secret:
        return f"{says}."
    hint = (
        _meant(document_value, context.get("expected", ""))
        if isinstance(document_value, str)
        else ""
    )
    return f"{says}, not {_in_yaml(document_value)}.{hint}"


def _meant(written: str, expected: str) -> str:
    """Which of the expected values is meant by what is written, as a sentence after a space."""
    return (
        " Write it without quotes."
        if written == expected
        else did_you_mean(written, expected.split("'"))
    )


def _in_yaml(value: Any) -> str:
    """A value that is no mapping and no list, as a file has it."""
    return json.dumps(value) if value is None or isinstance(value, bool) else repr(value)


def _key(location: Sequence[str | int], document: Any) -> Key:
    """The keys as they stand in the file, without what pydantic adds to tell types apart."""
    key: list[str | int] = []
    node = document
    for place, part in enumerate(location):
        last = place == len(location) - 1
        # pydantic's own `[key]`, and tags of types that a value itself does not name.
        if re.fullmatch(r"\[\w+\]", str(part)) or (
            not last and isinstance(node, Mapping) and part not in node and part in _tags(node)
        ):
            continue
        key.append(part)
        node = _value_at(node, (part,))
    return tuple(key)


_NOTHING = object()


def _value_at(document: Any, key: Key) -> Any:
    for part in key:
        inside = (isinstance(document, Mapping) and part in document) or (
            isinstance(document, list) and isinstance(part, int) and part < len(document)
        )
        if not inside:
            return _NOTHING
        document = document[part]
    return document


def _keys_at(model: type[Section], key: Key, document: Any) -> list[str]:
    """The keys that the section at `key` may have, in the order of declaration."""
    for section in _sections(model, key, document, ()):
        return list(section.model_fields)
    return []


def _tag_at(model: type[Section], key: Key, document: Any) -> str:
    for section in _sections(model, key, document, (), every_kind=True):
        for tag in _TAGS:
            if tag in section.model_fields:
                return tag
    return _TAGS[0]


def _kinds_at(model: type[Section], key: Key, document: Any) -> Iterator[str]:
    for section in _sections(model, key, document, (), every_kind=True):
        yield from _tag_values(section)


_TAGS = ("kind", "policy")
"""The keys by which one kind of section is told from another."""

_UNSAID = ("files",)
"""The kinds that need not be said: of topics."""


def _tag_values(section: Any) -> tuple[Any, ...]:
    """What a section has to say of itself under its tag; empty if it has none."""
    fields = getattr(section, "model_fields", {})
    return next((get_args(fields[tag].annotation) for tag in _TAGS if tag in fields), ())


def _tags(node: Any) -> list[Any]:
    return [node[tag] for tag in _TAGS if tag in node] if isinstance(node, Mapping) else []


def _tags_of(node: Any) -> list[Any]:
    """What a section says of its kind, else the kinds that are meant where nothing is said."""
    return _tags(node) or list(_UNSAID)


def _sections(
    type_: Any, key: Key, document: Any, so_far: Key, *, every_kind: bool = False
) -> Iterator[type[Section]]:
    """The models of what stands at `key`: one, or each of a union's with `every_kind`."""
    origin = get_origin(type_)
    if origin is Annotated:
        yield from _sections(get_args(type_)[0], key, document, so_far, every_kind=every_kind)
    elif origin in (Union, types.UnionType):
        tags = _tags_of(_value_at(document, so_far))
        members = [m for m in get_args(type_) if m is not type(None)]
        for member in members:
            chosen = len(members) == 1 or any(tag in _tag_values(member) for tag in tags)
            if chosen or (every_kind and not key):
                yield from _sections(member, key, document, so_far, every_kind=every_kind)
    elif isinstance(type_, type) and issubclass(type_, Section):
        if not key:
            yield type_
        elif key[0] in type_.model_fields:
            inner = type_.model_fields[str(key[0])].annotation
            yield from _sections(inner, key[1:], document, (*so_far, key[0]), every_kind=every_kind)
    elif origin in (dict, tuple) and key:
        inner = get_args(type_)[1 if origin is dict else 0]
        yield from _sections(inner, key[1:], document, (*so_far, key[0]), every_kind=every_kind)
