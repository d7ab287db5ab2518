"""The installed knowledge packs that are sound: those with a mistake are named and left out.

The check of all rules takes seconds, so its verdict on a pack is kept in the user's cache folder, by a digest of the
pack, of the packs before it and of our own knowledge.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from advisor import __version__
from advisor.knowledge.packs import SWITCH, installed
from advisor.records import resources
from advisor.records.errors import AdvisorError
from advisor.records.escapes import printable
from advisor.records.own_files import read_own, write_own

_MOST_FILES: Final = 2000  # of one pack
_FILE: Final = "packs.json"
_KEPT: Final = 50  # verdicts
_LARGEST: Final = 1 << 20  # bytes of the file of verdicts


def sound_packs(teams: Sequence[Path], warn: Callable[[str], None]) -> tuple[Path, ...]:
    """Return the folders of the installed packs that can be used beside these folders of a team.

    warn: called with one line for each pack that is left out.
    """
    accepted: list[Path] = []
    for pack in installed():
        problem = pack.problem
        if pack.folder is not None and pack.folder.resolve() in {folder.resolve() for folder in teams}:
            continue
        if pack.folder is not None:
            problem = _problem(pack.folder, [*teams, *accepted])
        if problem or pack.folder is None:
            warn(f"the knowledge pack {pack.name!r} is left out: {problem} ({SWITCH}=off hides this)")
        else:
            accepted.append(pack.folder)
    return tuple(accepted)


def _problem(folder: Path, others: Sequence[Path]) -> str:
    """Return the first mistake of a pack, empty for a sound one."""
    folders = [resources.folder("knowledge"), *others, folder]
    try:
        if sum(1 for _ in folder.rglob("*")) > _MOST_FILES:
            return f"{folder}: it has over {_MOST_FILES} files"
        key = _digest(folders)
        kept = _verdicts()
        if key in kept:
            return kept[key]
        from advisor.lint.lint import lint  # loads NumPy and the engine, which most runs with packs do not need here

        mistakes = lint(folders, about=[folder])
        of_pack = (m for m in mistakes if m.severity == "error" and m.file.is_relative_to(folder))
        found = next((printable(str(m).replace("\n", " ")) for m in of_pack), "")
        _keep({**kept, key: found})
    except (AdvisorError, OSError, RecursionError) as e:
        return f"{folder}: {e}"
    return found


def _digest(folders: Sequence[Path]) -> str:
    """Return a digest of the program's version and of the names, sizes and times of change of all files."""
    made = hashlib.blake2b(__version__.encode(), digest_size=16)
    for folder in folders:
        made.update(str(folder).encode("utf-8", "surrogatepass"))
        for path in sorted(folder.rglob("*.yaml")):
            about = path.stat()
            made.update(f"{path.name}\0{about.st_size}\0{about.st_mtime_ns}\0".encode("utf-8", "surrogatepass"))
    return made.hexdigest()


def _verdicts() -> dict[str, str]:
    with contextlib.suppress(OSError, ValueError, RecursionError, AdvisorError):
        found = json.loads(read_own(resources.user_cache() / _FILE, _LARGEST))
        if isinstance(found, dict) and all(isinstance(text, str) for text in found.values()):
            return found
    return {}


def _keep(verdicts: dict[str, str]) -> None:
    with contextlib.suppress(OSError, AdvisorError):
        latest = dict(list(verdicts.items())[-_KEPT:])
        write_own(resources.user_cache() / _FILE, json.dumps(latest, indent=1).encode("utf-8", "replace"))
