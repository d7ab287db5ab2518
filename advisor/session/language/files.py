"""Names of files in a line of text, and those that a line could be completed with."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

REPORTS: Final = (".ncu-rep", ".ncu-repz", ".csv", ".txt", ".log", ".out", ".yaml", ".yml")
TRACES: Final = (".sqlite", ".nsys-rep", ".qdrep", ".parquet", ".arrow", ".csv")
_WRAPPED: Final = (".xz", ".gz", ".zst")
_ENDING = "|".join(re.escape(ending[1:]) for ending in dict.fromkeys(REPORTS + TRACES))
_FILE = re.compile(
    rf"(?P<path>.*?\.(?:{_ENDING})(?:\.(?:xz|gz|zst))?(?:#\d{{1,9}})?)(?=$|[\s,;:])[\s,;:]*(?P<rest>.*)", re.IGNORECASE
)
_QUOTED = re.compile(r"(?P<mark>[\"'])(?P<path>.*?)(?P=mark)[\s,;:]*(?P<rest>.*)")
_LAUNCH = re.compile(r"#\d{1,9}\Z")  # REPORT#3 is a launch of a report
_SEEN: Final = 2000  # entries of a folder that are looked at: a key must not wait for a folder of a million
_MOST: Final = 40
_FORM: Final = {"md": "markdown", "markdown": "markdown", "html": "html", "htm": "html", "json": "json"}
ENDINGS: Final = {"markdown": ".md", "html": ".html", "json": ".json", "transcript": ".jsonl"}


def file_and_rest(text: str) -> tuple[str, str]:
    """The file's name at the beginning of the text, and what follows: in quotes, up to a known ending, or all of it."""
    found = _QUOTED.fullmatch(text) or _FILE.fullmatch(text)
    path, rest = (found["path"], found["rest"]) if found else (text, "")
    return home(path.strip()), rest.strip()


def home(path: str) -> str:
    """The path with the user's folder in the place of ~."""
    # Path.expanduser raises for a user that there is not.
    return os.path.expanduser(path) if path.startswith("~") else path  # noqa: PTH111


def named_file(text: str) -> str:
    """The file that the text is the name of, by its ending; empty where it is none."""
    path, rest = file_and_rest(text)
    return path if path and not rest and _has(path, REPORTS + TRACES) else ""


def names_file(text: str) -> bool:
    """Whether the text begins with a name that ends as a report, a trace or a transcript does."""
    return _has(file_and_rest(text)[0], (*REPORTS, *TRACES, *ENDINGS.values()))


def is_trace(path: str) -> bool:
    """Whether the name is one of a trace and of nothing else that is read here."""
    return _has(path, TRACES) and not _has(path, REPORTS)


def form_of(word: str) -> str:
    """What the word calls a form of writing: markdown, html, json; empty where it is none."""
    return _FORM.get(word.casefold().lstrip("."), "")


def form_by_ending(path: str) -> str:
    """The form that the name's ending asks for, empty where it has none of these."""
    return form_of(Path(path).suffix)


def default_name(paths: tuple[str, ...], what: str) -> str:
    """The name of a file of the session in the current folder: after its first report or trace."""
    name = Path(paths[0]).name if paths else ""
    for ending in (*_WRAPPED, *REPORTS, *TRACES):
        name = name.removesuffix(ending)
    kept = re.sub(r"[^\w.-]+", "-", name, flags=re.ASCII).strip("-.")[:60]
    return f"{kept + '-' if kept else ''}session{ENDINGS[what]}"


def listed(typed: str, endings: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The entries of the folder that begin as typed; folders end in a slash, files have one of the endings if given."""
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
    bare = _LAUNCH.sub("", path.casefold())
    for wrapped in _WRAPPED:
        bare = bare.removesuffix(wrapped)
    return bare.endswith(endings)
