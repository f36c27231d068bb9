"""YAML is read without guessing and without losing a key."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from cutline.errors import ConfigurationError
from cutline.project.yaml_text import read_yaml


def read(folder: Path, text: str) -> dict[str, object]:
    path = folder / "cutline.yaml"
    path.write_text(text, encoding="utf-8")
    return read_yaml(path)


def test_values_are_what_they_look_like(tmp_path: Path) -> None:
    text = "NO: yes\n12: 007\nat: 2026-11-01\nrate: 0.5\nn: -3\non: true\nnothing:\nten: 1e1\n"
    assert read(tmp_path, text) == {
        "NO": "yes",
        "12": "007",
        "at": "2026-11-01",
        "rate": 0.5,
        "n": -3,
        "on": True,
        "nothing": None,
        "ten": 10.0,
    }


def test_anchors_and_merges_work(tmp_path: Path) -> None:
    text = "a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\nc: {<<: *a}\nd: [*a]\n"
    assert read(tmp_path, text) == {
        "a": {"x": 1, "y": 2},
        "b": {"x": 1, "y": 3},
        "c": {"x": 1, "y": 2},
        "d": [{"x": 1, "y": 2}],
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: 1\nb:\n  c: 1\n  c: 2\n", "line 4: key 'c' stands here again; it stands on line 3"),
        ("a: [1, 2\nb: 3\n", "line 2"),
        ("? [a]\n: 1\n", "line 1: a key must be text"),
        ("", "is empty"),
        ("- a\n", "holds no mapping"),
        ("a: &a [*a]\n", "line 1"),
        ("a: " + "[" * 5000, "recursion"),
        ("a: !!python/object/apply:os.getcwd []\n", "line 1: could not determine a constructor"),
    ],
)
def test_what_cannot_be_read_names_the_line(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(tmp_path, text)
    assert caught.value.what.startswith("cutline.yaml")
    assert says in caught.value.what


def test_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cutline.yaml"
    path.write_bytes("name: Köln\n".encode("iso-8859-1"))
    with pytest.raises(ConfigurationError, match=r"is not UTF-8 text \(byte 7\)"):
        read_yaml(path)


def test_a_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read: Is a directory"):
        read_yaml(tmp_path)


def bomb(depth: int, line: str) -> str:
    lines = ["a0: &a0 [x, x]"]
    lines += [line.format(i=i, before=i - 1) for i in range(1, depth)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "text",
    [
        bomb(40, "a{i}: &a{i} [" + ", ".join(["*a{before}"] * 9) + "]"),
        "b0: &b0 {x: 1}\n"
        + "".join(
            f"b{i}: &b{i} {{l: *b{i - 1}, r: *b{i - 1}, <<: [*b{i - 1}, *b{i - 1}]}}\n"
            for i in range(1, 60)
        ),
        f"long: &long {'x' * 500_000}\nmany: [{', '.join(['*long'] * 1_000)}]\n",
    ],
    ids=["lists", "merges", "a long text"],
)
def test_aliases_that_grow_beyond_any_project_are_refused_at_once(
    tmp_path: Path, text: str
) -> None:
    began = time.monotonic()
    with pytest.raises(ConfigurationError, match="with its aliases written out"):
        read(tmp_path, text)
    assert time.monotonic() - began < 10


def test_a_file_that_is_too_long_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"cutline.yaml has 1,100,00\d bytes"):
        read(tmp_path, "a: " + "x" * 1_100_000)


def test_an_alias_is_what_its_anchor_holds(tmp_path: Path) -> None:
    text = "a: &a {x: [1, 2]}\nb: *a\nc:\n  <<: *a\n  y: 3\n"
    assert read(tmp_path, text) == {
        "a": {"x": [1, 2]},
        "b": {"x": [1, 2]},
        "c": {"x": [1, 2], "y": 3},
    }
