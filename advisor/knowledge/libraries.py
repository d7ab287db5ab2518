"""Libraries by the names of their kernels, and the fixes that suit all their kernels: knowledge/libraries.yaml."""

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
    fix: tuple[FixDef, ...]
    element_wise: tuple[str, ...] = ()
    random_numbers: tuple[str, ...] = ()
    integer_work: tuple[str, ...] = ()
    without: dict[str, tuple[str, ...]] = {}  # diagnosis -> ids of the fixes that it does not get


def libraries(folder: Path | None = None) -> LibrariesDef:
    """Return the libraries of a knowledge folder, by default the bundled one. Raises KnowledgeError for a mistake."""
    return load((folder or resources.folder("knowledge")) / FILE, LibrariesDef)


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile("|".join(forms))) for name, forms in libraries().names.items())


@lru_cache(maxsize=1)
def _element_wise() -> re.Pattern[str]:
    return re.compile("|".join(libraries().element_wise) or r"(?!)")


@lru_cache(maxsize=1)
def _integer_work() -> re.Pattern[str]:
    found = libraries()
    return re.compile("|".join((*found.random_numbers, *found.integer_work)) or r"(?!)")


@lru_cache(maxsize=1)
def _random_numbers() -> re.Pattern[str]:
    return re.compile("|".join(libraries().random_numbers) or r"(?!)")


_ANONYMOUS = re.compile(r"(\(anonymous namespace\)|<unnamed>)::")


@lru_cache(maxsize=4096)
def library_of(kernel: str) -> str:
    """Return the library that a kernel's full name belongs to; empty if it is none of those in the file.

    Types of a library among a kernel's own template or function arguments do not make it a library's kernel.
    """
    own = _own_name(kernel)
    return next((name for name, pattern in _patterns() if pattern.search(own)), "")


@lru_cache(maxsize=4096)
def is_element_wise(kernel: str) -> bool:
    """Whether a kernel's full name is that of a library's element-wise operation or reduction."""
    named = bool(library_of(kernel)) and bool(_element_wise().search(_own_name(kernel)))
    return named and not works_on_integers(kernel)


@lru_cache(maxsize=4096)
def works_on_integers(kernel: str) -> bool:
    """Whether a kernel's full name is that of a library's generator of random numbers, sort or hash."""
    return bool(library_of(kernel)) and bool(_integer_work().search(_own_name(kernel)))


@lru_cache(maxsize=4096)
def draws_random_numbers(kernel: str) -> bool:
    """Whether a kernel's full name is that of a library's generator of random numbers."""
    return bool(library_of(kernel)) and bool(_random_numbers().search(_own_name(kernel)))


def _own_name(kernel: str) -> str:
    return re.split(r"[<(]", _ANONYMOUS.sub("", kernel))[0]


def with_library_fixes(entry: DiagnosisDef, found: LibrariesDef) -> DiagnosisDef:
    """Return a diagnosis with the fixes for kernels of libraries before its own."""
    applies = entry.kind == "diagnosis" and entry.scope == "launch" and entry.fixes
    fixes = [fix for fix in found.fix if fix.id not in found.without.get(entry.id, ())] if applies else []
    return msgspec.structs.replace(entry, fixes_given=(*fixes, *entry.fixes)) if fixes else entry
