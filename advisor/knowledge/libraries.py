"""Libraries by the names of their kernels, and the fix that suits all their kernels: knowledge/libraries.yaml."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

import msgspec

from advisor.knowledge.loader import load
from advisor.knowledge.schemas import DiagnosisDef, FixDef
from advisor.records import resources

FILE = "libraries.yaml"


class LibrariesDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the file; its first lines describe the fields."""

    names: dict[str, tuple[str, ...]]
    fix: FixDef
    without: tuple[str, ...] = ()


def libraries(folder: Path | None = None) -> LibrariesDef:
    """Return the libraries of a knowledge folder, by default the bundled one. Raises KnowledgeError for a mistake."""
    return load((folder or resources.folder("knowledge")) / FILE, LibrariesDef)


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile("|".join(forms))) for name, forms in libraries().names.items())


_ANONYMOUS = re.compile(r"(\(anonymous namespace\)|<unnamed>)::")


@lru_cache(maxsize=4096)
def library_of(kernel: str) -> str:
    """Return the library that a kernel's full name belongs to; empty if it is none of those in the file.

    Types of a library among a kernel's own template or function arguments do not make it a library's kernel.
    """
    own = re.split(r"[<(]", _ANONYMOUS.sub("", kernel))[0]
    return next((name for name, pattern in _patterns() if pattern.search(own)), "")


def with_library_fix(entry: DiagnosisDef, found: LibrariesDef) -> DiagnosisDef:
    """Return a diagnosis with the fix for kernels of libraries before its own."""
    applies = entry.kind == "diagnosis" and entry.scope == "launch" and entry.fixes and entry.id not in found.without
    return msgspec.structs.replace(entry, fixes_given=(found.fix, *entry.fixes)) if applies else entry
