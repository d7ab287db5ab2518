"""Knowledge packs: folders with a team's rules that installed distributions name by an entry point.

A distribution names the folder as a package, which is found and never imported, so that none of its code runs here:

    [project.entry-points."ncu_advisor.knowledge"]
    acme = "acme_ncu_rules.knowledge"
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from functools import lru_cache
from pathlib import Path
from typing import Final

from msgspec import Struct

from advisor.records.escapes import printable

GROUP: Final = "ncu_advisor.knowledge"
SWITCH: Final = "NCU_ADVISOR_PACKS"  # `off` leaves installed packs out
_PACKAGE: Final = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)
_SHOWN: Final = 100  # characters of a name or value in a message


class Pack(Struct, frozen=True):
    """An installed pack: the name of its entry point, and its folder or one line with the reason why it has none."""

    name: str
    folder: Path | None = None
    problem: str = ""


def installed() -> tuple[Pack, ...]:
    """Return the packs of all distributions on the path, by name. Imports none of their code."""
    if os.environ.get(SWITCH, "").strip().casefold() == "off":
        return ()
    # Each once, since the same distribution may be on the path twice; two packs may have the same name.
    return tuple(_pack(name, value) for name, value in dict.fromkeys(_entries(tuple(sys.path))))


@lru_cache(maxsize=4)
def _entries(path: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return the names and values of our entry points on this path, sorted."""
    import importlib.metadata  # loads email and zipfile, which commands without knowledge do not need

    found: list[tuple[str, str]] = []
    for distribution in importlib.metadata.distributions(path=list(path)):
        try:
            text = distribution.read_text("entry_points.txt") or ""
            if GROUP in text:
                found += [(entry.name, entry.value) for entry in distribution.entry_points.select(group=GROUP)]
        except Exception:
            # Whatever is wrong with another distribution's metadata, which may raise anything, is not ours to report.
            continue
    return tuple(sorted(found))


def _pack(name: str, value: str) -> Pack:
    shown = printable(name[:_SHOWN])
    if not _PACKAGE.fullmatch(value):
        return Pack(shown, None, f"{printable(value[:_SHOWN])!r} is not the name of a package")
    top, *parts = value.split(".")
    try:
        spec = importlib.util.find_spec(top)  # of a top-level name: imports nothing
        places = [Path(place, *parts) for place in (spec.submodule_search_locations or ())] if spec is not None else []
        folder = next((place for place in places if (place / "team.yaml").is_file()), None)
    except Exception as e:  # import hooks of other packages may raise anything, and the folder may be unreadable
        return Pack(shown, None, f"{value[:_SHOWN]}: cannot be found ({type(e).__name__})")
    if folder is None:
        return Pack(shown, None, f"{value[:_SHOWN]}: there is no folder of that name with a team.yaml")
    return Pack(shown, folder)
