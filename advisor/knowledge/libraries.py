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
    reach: float = 1.0  # of fixes that only say what to call instead (FixDef.reach)
    kinds: dict[str, tuple[str, ...]] = {}  # what kernels are for -> further patterns of their names
    without: dict[str, tuple[str, ...]] = {}  # diagnosis -> ids of the fixes that it does not get


def libraries(folder: Path | None = None) -> LibrariesDef:
    """Return the libraries of a knowledge folder, by default the bundled one. Raises KnowledgeError for a mistake."""
    return load((folder or resources.folder("knowledge")) / FILE, LibrariesDef)


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile("|".join(forms))) for name, forms in libraries().names.items())


@lru_cache(maxsize=1)
def _kinds() -> dict[str, re.Pattern[str]]:
    return {kind: re.compile("|".join(forms)) for kind, forms in libraries().kinds.items()}


# CUTLASS has one kernel, whose first template argument names the operation.
_WRAPPED = re.compile(r"\bcutlass::\w*[Kk]ernel\w*<\s*([^<(>,]*)")
_ENABLED = re.compile(r"^(void )?std::enable_if<.*?>::type ")
_ANONYMOUS = re.compile(r"(\(anonymous namespace\)|<unnamed>)::")


@lru_cache(maxsize=4096)
def library_of(kernel: str) -> str:
    """Return the library that a kernel's full name belongs to; empty if it is none of those in the file.

    Types of a library among a kernel's own template or function arguments do not make it a library's kernel.
    """
    own = _own_name(kernel)
    return next((name for name, pattern in _patterns() if pattern.search(own)), "")


@lru_cache(maxsize=4096)
def kinds_of(kernel: str) -> frozenset[str]:
    """Return what a library's kernel is for, by its full name (`kinds` of the file); empty for other kernels.

    A kernel whose purpose is integer work is no element-wise operation, even if its name says so.
    """
    if not library_of(kernel):
        return frozenset()
    name, _ = name_and_types(kernel)
    found = {kind for kind, pattern in _kinds().items() if pattern.search(name)}
    return frozenset(found - {"element_wise"} if "integer_work" in found else found)


def name_and_types(kernel: str) -> tuple[str, str]:
    """Return a kernel's own name, with the operation that CUTLASS's one kernel is given, and its arguments."""
    wrapped = _WRAPPED.search(kernel)
    name = _own_name(kernel)
    return (f"{name} {wrapped[1]}" if wrapped else name), _plain(kernel)[len(name) :]


def _own_name(kernel: str) -> str:
    return re.split(r"[<(]", _plain(kernel))[0]


def _plain(kernel: str) -> str:
    """Return a kernel's full name without anonymous namespaces and without a type that precedes it."""
    return _ENABLED.sub("", _ANONYMOUS.sub("", kernel))


def with_library_fixes(entry: DiagnosisDef, found: LibrariesDef) -> DiagnosisDef:
    """Return a diagnosis with the fixes for kernels of libraries before its own."""
    applies = entry.kind == "diagnosis" and entry.scope == "launch" and entry.fixes
    fixes = [fix for fix in found.fix if fix.id not in found.without.get(entry.id, ())] if applies else []
    return msgspec.structs.replace(entry, fixes_given=(*fixes, *entry.fixes)) if fixes else entry
