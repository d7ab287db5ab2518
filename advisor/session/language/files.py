"""Find and complete names of files in a line of text."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from advisor.view.writers import PAGE_FORMATS

REPORTS: Final = (".ncu-rep", ".ncu-repz", ".csv", ".txt", ".log", ".out", ".yaml", ".yml")
TRACES: Final = (".sqlite", ".nsys-rep", ".qdrep", ".parquet", ".arrow", ".csv")
_WRAPPED: Final = (".xz", ".gz", ".zst")
_ENDING = "|".join(re.escape(ending[1:]) for ending in dict.fromkeys(REPORTS + TRACES))
_FILE = re.compile(
    rf"(?P<path>.*?\.(?:{_ENDING})(?:\.(?:xz|gz|zst))?(?:#\d{{1,9}})?)(?=$|[\s,;:])[\s,;:]*(?P<rest>.*)", re.IGNORECASE
)
_QUOTED = re.compile(r"(?P<mark>[\"'])(?P<path>.*?)(?P=mark)[\s,;:]*(?P<rest>.*)")
_LAUNCH = re.compile(r"#\d{1,9}\Z")  # REPORT#3 is a launch of a report
_SEEN: Final = 2000  # maximum entries of a folder to read, so that a large folder never delays a key press
_MOST: Final = 40
_FORM: Final = {ending: name for name, page in PAGE_FORMATS.items() for ending in page.endings} | {"json": "json"}
ENDINGS: Final = {name: f".{page.endings[0]}" for name, page in PAGE_FORMATS.items()} | {
    "json": ".json",
    "transcript": ".jsonl",
}


def file_and_rest(text: str) -> tuple[str, str]:
    """Return the file's name at the start of the text (in quotes, up to a known ending, or all of it) and the rest."""
    found = _QUOTED.fullmatch(text) or _FILE.fullmatch(text)
    path, rest = (found["path"], found["rest"]) if found else (text, "")
    return home(path.strip()), rest.strip()


def home(path: str) -> str:
    """Return the path with ~ replaced by the user's folder."""
    # Path.expanduser raises for an unknown user.
    if not path.startswith("~") or "\0" in path:
        return path
    return os.path.expanduser(path)  # noqa: PTH111


def named_file(text: str) -> str:
    """Return the file that the text names, by its ending; empty for other text."""
    path, rest = file_and_rest(text)
    return path if path and not rest and _has(path, REPORTS + TRACES) else ""


def names_file(text: str) -> bool:
    """Return whether the text begins with the name of a report, a trace or a transcript, by its ending."""
    return _has(file_and_rest(text)[0], (*REPORTS, *TRACES, *ENDINGS.values()))


def is_trace(path: str) -> bool:
    """Return whether the name is that of a trace and not of another input."""
    return _has(path, TRACES) and not _has(path, REPORTS)


def form_of(word: str) -> str:
    """Return the format that the word names: markdown, html, json; empty for other words."""
    return _FORM.get(word.casefold().lstrip("."), "")


def form_by_ending(path: str) -> str:
    """Return the file format of the path's extension; empty for an unknown extension."""
    return form_of(Path(path).suffix)


def default_name(paths: tuple[str, ...], what: str) -> str:
    """Return the default name for a file of the session, from its first report or trace."""
    name = Path(paths[0]).name if paths else ""
    for ending in (*_WRAPPED, *REPORTS, *TRACES):
        name = name.removesuffix(ending)
    kept = re.sub(r"[^\w.-]+", "-", name, flags=re.ASCII).strip("-.")[:60]
    return f"{kept + '-' if kept else ''}session{ENDINGS[what]}"


def listed(typed: str, endings: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the completions of a typed path: subfolders, and files with one of `endings` (if any)."""
    folder, begun = os.path.split(typed)
    try:
        found = _entries(home(folder) or ".", begun, endings)
    except (OSError, ValueError):
        return ()
    lead = folder if not folder or folder.endswith(("/", os.sep)) else folder + "/"
    return tuple(lead + name for name in sorted(found))[:_MOST]


def _entries(folder: str, begun: str, endings: tuple[str, ...]) -> list[str]:
    names = []
    with os.scandir(folder) as entries:
        for at, entry in enumerate(entries):
            if at >= _SEEN:
                break
            name = entry.name
            if not name.startswith(begun) or (name.startswith(".") and not begun) or not name.isprintable():
                continue
            if entry.is_dir():
                names.append(name + "/")
            elif not endings or _has(name, endings):
                names.append(name)
    return names


def _has(path: str, endings: tuple[str, ...]) -> bool:
    return has_ending(_LAUNCH.sub("", path), endings)


def has_ending(name: str, endings: tuple[str, ...]) -> bool:
    """Return whether the name of a file has one of these endings, also before that of a compressed file."""
    bare = name.casefold()
    for wrapped in _WRAPPED:
        bare = bare.removesuffix(wrapped)
    return bare.endswith(endings)
