"""Give the knowledge that the exporter wrote into this file, in place of YAML files: advisor.knowledge.loader."""

from __future__ import annotations

import fnmatch
from typing import Any

import msgspec

# Set by the exported file: for each folder of knowledge, its parsed files by their path in it.
FOLDERS: list[dict[str, Any]] = []


class Place:
    """A file or folder of the knowledge, with the part of pathlib.Path that a catalogue uses."""

    def __init__(self, folder: int, path: str = "") -> None:
        self.folder, self.path = folder, path

    def __truediv__(self, other: str) -> Place:
        return Place(self.folder, f"{self.path}/{other}".lstrip("/"))

    def __lt__(self, other: Place) -> bool:
        return (self.folder, self.path) < (other.folder, other.path)

    def __hash__(self) -> int:
        return hash((self.folder, self.path))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and (self.folder, self.path) == (other.folder, other.path)

    def __str__(self) -> str:
        return self.path

    @property
    def name(self) -> str:
        """The file's name."""
        return self.path.rpartition("/")[2]

    @property
    def stem(self) -> str:
        """The file's name without suffix."""
        return self.name.rpartition(".")[0]

    def glob(self, pattern: str) -> list[Place]:
        """Return the files of the folder that match; `*` does not match a slash."""
        found = (
            path
            for path in FOLDERS[self.folder]
            if path.count("/") == pattern.count("/") and fnmatch.fnmatchcase(path, pattern)
        )
        return [Place(self.folder, path) for path in found]

    def is_file(self) -> bool:
        """Whether there is such a file."""
        return self.path in FOLDERS[self.folder]

    def is_dir(self) -> bool:
        """Whether there are files in it."""
        return True


def _content(path: Place) -> Any:
    return FOLDERS[path.folder].get(path.path, {})


def load(path: Place, kind: Any) -> Any:
    """Return the content of a file as a type."""
    return msgspec.convert(_content(path), kind)


def load_mapping(path: Place, kind: Any) -> dict[str, Any]:
    """Return the entries of a file, each as a type."""
    return {key: msgspec.convert(value, kind) for key, value in _content(path).items()}


def key_line(path: Place, *keys: str) -> int:
    """Return line 1: the exporter has checked the files."""
    return 1


def read_text(path: Place) -> str:
    """Return no text: the exporter has checked the files."""
    return ""
