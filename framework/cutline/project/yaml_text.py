"""Reading YAML so that nothing in it is lost or guessed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from cutline.errors import ConfigurationError

_LONGEST = 1 << 20
_MOST_VALUES = 200_000
_SAMPLE = "Start from the cutline.yaml of a sample: cutline demo --dir DIR"


def read_yaml(path: Path, next_step: str = _SAMPLE) -> dict[str, Any]:
    """The mapping that a YAML file holds; `next_step` is told of a file that holds none.

    Keys are text as written, duplicate keys are refused, and only `true` and `false` are booleans,
    so that a region may be called NO. ConfigurationError names the file and the line; it is raised
    too, before the file is understood, where it is or would become larger than any project.
    """
    try:
        if (size := path.stat().st_size) > _LONGEST:
            raise ConfigurationError(
                f"{path.name} has {size:,} bytes; at most {_LONGEST:,} are read."
            )
        document = parsed_yaml(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path} is not UTF-8 text (byte {error.start}).") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path.name}: {_problem(error)}") from error
    if not isinstance(document, dict):
        message = "is empty" if document is None else "holds no mapping of keys to values"
        raise ConfigurationError(
            f"{path.name} {message}.",
            next_step=next_step,
        )
    return document


def parsed_yaml(text: str) -> Any:
    """What a YAML text holds, as `read_yaml` reads it.

    YAMLError, ValueError or RecursionError where it cannot be understood.
    """
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        _refuse_too_large(node)
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _refuse_too_large(root: yaml.Node) -> None:
    """An alias stands for all that its anchor holds: what comes of it is counted before it does."""
    sizes: dict[int, int] = {}

    def size(node: yaml.Node) -> int:
        known_size = sizes.get(id(node))
        if known_size is None:
            # A node that holds itself is refused when it is built; here it ends.
            sizes[id(node)] = 0
            inside = (
                [part for parts in node.value for part in _parts(parts)] if _holds(node) else []
            )
            node_size = 1 if _holds(node) else 1 + len(node.value) // 64
            known_size = sizes[id(node)] = node_size + sum(map(size, inside))
            if known_size > _MOST_VALUES:
                raise yaml.MarkedYAMLError(
                    problem="with its aliases written out, what stands here has more than "
                    f"{_MOST_VALUES:,} values",
                    problem_mark=node.start_mark,
                )
        return known_size

    size(root)


def _holds(node: yaml.Node) -> bool:
    return isinstance(node, yaml.MappingNode | yaml.SequenceNode)


def _parts(parts: Any) -> tuple[yaml.Node, ...]:
    return parts if isinstance(parts, tuple) else (parts,)


class _Loader(yaml.SafeLoader):
    """A safe loader, deep so that an anchor cannot hold itself."""

    def mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        lines: dict[str, int] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(
                    None, None, "a key must be text", key.start_mark
                )
            if key.value in lines and key.value != "<<":
                raise yaml.constructor.ConstructorError(
                    None,
                    None,
                    f"key {key.value!r} stands here again; it stands on line {lines[key.value]}",
                    key.start_mark,
                )
            lines[key.value] = line
        self.flatten_mapping(node)
        return {key.value: self.construct_object(value, deep=True) for key, value in node.value}

    def sequence(self, node: yaml.SequenceNode) -> list[Any]:
        return [self.construct_object(child, deep=True) for child in node.value]


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern in (
    ("bool", r"true|True|TRUE|false|False|FALSE"),
    ("null", r"~|null|Null|NULL|"),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)"),
    ("float", r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"),
    ("merge", r"<<"),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), None
    )
_Loader.add_constructor("tag:yaml.org,2002:map", _Loader.mapping)
_Loader.add_constructor("tag:yaml.org,2002:seq", _Loader.sequence)


def _problem(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error)
    return f"line {mark.line + 1}: {problem}." if mark else f"{problem}."
