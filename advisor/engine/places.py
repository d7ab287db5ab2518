"""Where an entry of the knowledge base stands in its files: for errors that begin with file:line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.catalog.loader import key_line, read_text
from advisor.errors import KnowledgeError

if TYPE_CHECKING:
    from advisor.catalog import Catalog


def place(catalog: Catalog, entry: str, *keys: str) -> tuple[Path, int]:
    """File and line, from 1, of a finding's or class's `keys`, such as ("seen", "0", "when")."""
    for folder in catalog.folders:
        for kind in ("diagnoses", "trust", "timeline"):
            path = folder / kind / f"{entry}.yaml"
            if path.is_file():
                return path, key_line(path, *keys)
        name = entry.removeprefix("class.")
        for path in (folder / "classification.yaml", folder / "timeline_decisions.yaml"):
            if entry != name and path.is_file() and re.search(rf"^{re.escape(name)}:", read_text(path), re.MULTILINE):
                return path, key_line(path, name, *keys)
    return Path("knowledge"), 1


def mistake(catalog: Catalog, entry: str, keys: tuple[str, ...], text: str) -> KnowledgeError:
    """The error for a mistake in an entry."""
    path, line = place(catalog, entry, *keys)
    return KnowledgeError(f"{path}:{line}: {text}")
