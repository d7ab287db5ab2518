"""The kinds of patches, knowledge/patches.yaml."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from advisor.knowledge.loader import load_mapping
from advisor.records import resources

FILE = "patches.yaml"


class PatchDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of patch; the fields are described in the file."""

    title: str
    diagnoses: tuple[str, ...]
    counter: str
    costs: str
    cites: tuple[str, ...]
    rounds: bool = False


@lru_cache(maxsize=1)
def patch_kinds() -> dict[str, PatchDef]:
    """Return the kinds by name. Raises KnowledgeError with file and line."""
    return load_mapping(resources.folder("knowledge") / FILE, PatchDef)
