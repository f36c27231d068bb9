"""What the Python workers of a cluster are sent: Cutline's own packages and those of plugins.

Their dependencies are not sent: these must be installed on the workers.
"""

from __future__ import annotations

import hashlib
import importlib.util
import pkgutil
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from cutline.plugin_groups import CONTEXTS, TRANSLATORS

_NATIVE = (*EXTENSION_SUFFIXES, ".so", ".pyd", ".dylib", ".dll")
_EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class TravellingPackage:
    """A package, or a single module, by its first name.

    `places` are its folders or its file; `obstacle` says why it cannot be sent, null if it can.
    `distribution` is what brought it, as far as a plugin's entry point tells.
    """

    name: str
    distribution: str
    places: tuple[Path, ...] = ()
    obstacle: str | None = None


def travelling_packages() -> list[TravellingPackage]:
    """Cutline's packages and those of each installed plugin, by name."""
    brought_by = dict.fromkeys(_own_names(), "cutline")
    for group in (CONTEXTS, TRANSLATORS):
        for entry in entry_points(group=group):
            for name in _names_of(entry):
                brought_by.setdefault(name, entry.dist.name if entry.dist else name)
    return [_package(name, brought_by[name]) for name in sorted(brought_by)]


def write_zip(packages: Iterable[TravellingPackage], folder: Path) -> Path:
    """One archive with the files of the packages, named by a digest of them: same files, same name.

    What Python has compiled for itself is left out.
    """
    contents = {
        name: file.read_bytes()
        for package in packages
        for place in package.places
        for name, file in _files(place)
    }
    digest = hashlib.sha256()
    for name, content in sorted(contents.items()):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    target = folder / f"cutline-code-{digest.hexdigest()[:16]}.zip"
    with zipfile.ZipFile(target, "w") as archive:
        # Python finds a package without an __init__ in an archive by the entry of its folder.
        for name in sorted({f"{parent}/" for n in contents for parent in _parents(n)}):
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), b"")
        for name, content in sorted(contents.items()):
            entry = zipfile.ZipInfo(name, _EPOCH)
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return target


def _own_names() -> Iterator[str]:
    for module in pkgutil.iter_modules():
        if module.name.partition("_")[0] == "cutline":
            yield module.name


def _names_of(entry: EntryPoint) -> Iterator[str]:
    """The first names of what an entry point loads, and of what is installed beside it."""
    yield entry.module.partition(".")[0]
    for file in (entry.dist.files or ()) if entry.dist else ():
        first = file.parts[0]
        if len(file.parts) == 1 and file.suffix == ".py":
            yield file.stem
        elif file.name == "__init__.py" and first.isidentifier():
            yield first


def _package(name: str, distribution: str) -> TravellingPackage:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        spec = None
    places = _places(spec) if spec else ()
    if not places:
        return TravellingPackage(
            name, distribution, obstacle="it is not found as files in a folder"
        )
    native = next((f for place in places for _, f in _files(place) if _is_native(f)), None)
    if native is not None:
        return TravellingPackage(
            name, distribution, places, f"{native} is no Python, but machine code"
        )
    return TravellingPackage(name, distribution, places)


def _places(spec: ModuleSpec) -> tuple[Path, ...]:
    if spec.submodule_search_locations is not None:
        places = [Path(place) for place in spec.submodule_search_locations]
        return tuple(places) if all(place.is_dir() for place in places) else ()
    file = Path(spec.origin or "")
    return (file,) if spec.has_location and file.is_file() else ()


def _is_native(file: Path) -> bool:
    return file.name.endswith(_NATIVE)


def _files(place: Path) -> Iterator[tuple[str, Path]]:
    """Each file of a package with its name in an archive."""
    if place.is_file():
        yield place.name, place
        return
    for file in sorted(place.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts and file.suffix != ".pyc":
            yield f"{place.name}/{file.relative_to(place).as_posix()}", file


def _parents(name: str) -> list[str]:
    return [str(parent) for parent in Path(name).parents if parent.name]
