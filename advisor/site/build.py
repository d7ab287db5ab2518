"""Write all pages and let MkDocs build the site from them, whole or not at all."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import yaml

from advisor.explain.index import Index
from advisor.practice.manifest import Exercise, all_exercises
from advisor.practice.reading_answers import Shown
from advisor.practice.reading_recordings import shown as recording_shown
from advisor.practice.readings import Reading
from advisor.records import resources
from advisor.records.errors import AdvisorError, UsageError
from advisor.records.extras import install_text
from advisor.site.addresses import COLLECTIONS, OWN, Addresses, relative
from advisor.site.causes import cause_page
from advisor.site.course import course_pages
from advisor.site.evidence import Recorded, recordings, showing
from advisor.site.front import front_page, list_page, symptoms_page
from advisor.site.page import SitePage
from advisor.site.reference import collection_page, documents_page, gpus_page, lookup_page
from advisor.view.numbers import speedup_text
from advisor.view.writers.html import asset
from advisor.view.writers.site import SiteWriter

MARK: Final = ".ncu-advisor-site"  # a file in a finished site: such a folder may be replaced
NEEDED: Final = f"the site needs MkDocs with its Material theme: {install_text('site')}"
_ASSETS: Final = Path(__file__).parent / "assets"
# Pages of docs/ -> their place on the site; the others are about the program's inside.
_DOCUMENTS: Final = {"python": "api/python", "agents": "api/agents", "worked-cases": "worked-numbers"}
_NAMES: Final = {"python": "Python and notebooks", "README": "For contributors"}
_INSIDE: Final = "program"
_LINK: Final = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_TITLE: Final = re.compile(r"^# (.+)$", re.MULTILINE)
_COLOURS: Final = re.compile(r":root \{([^}]*)\}")  # of a page in light, then in dark
Tell = Callable[[str], None]


def build(
    folder: Path, schemas: Mapping[str, Mapping[str, Any]], tell: Tell, exercises: Sequence[str] | None = None
) -> int:
    """Build the site in a folder and return its number of pages.

    schemas: of the JSON documents, by name. tell: takes the current step. exercises: the names of those whose
    recordings are read; None: all. Raises UsageError for a folder that holds something else, AdvisorError if the theme
    is not installed.
    """
    if any(importlib.util.find_spec(name) is None for name in ("mkdocs", "material")):
        raise AdvisorError(NEEDED)
    checked(folder)
    folder = folder.resolve()
    if folder == Path.cwd():
        raise UsageError("the site cannot replace the working folder: name another one, such as `site`")
    tell("reading the knowledge base")
    index = Index((resources.folder("knowledge"),))
    addresses = Addresses(index)
    pages = all_pages(index, addresses, schemas, tell, exercises)
    tell("building the site")
    with suppress(FileExistsError):
        folder.parent.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix=".site-", dir=folder.parent) as place:
        scratch = Path(place)
        _write(scratch, pages, addresses, schemas)
        _mkdocs(scratch)
        # It loads its styles from the root of the host, and the site may lie in any folder there.
        (scratch / "site" / "404.html").unlink(missing_ok=True)
        (scratch / "site" / MARK).touch()
        _replace(folder, scratch)
    return len(pages)


def checked(folder: Path) -> None:
    """Raise UsageError unless the folder is new, empty or a site that was built before."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UsageError(f"{folder} is not a folder: give a new one")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).is_file():
        raise UsageError(f"{folder} holds other files, which the site would replace: give a new or empty folder")


def all_pages(
    index: Index,
    addresses: Addresses,
    schemas: Mapping[str, Mapping[str, Any]],
    tell: Tell,
    exercises: Sequence[str] | None = None,
) -> list[SitePage]:
    """Return all pages, the front page first."""
    course = all_exercises()
    mine = [one for one in course if exercises is None or one.name in exercises]
    tell("diagnosing the recordings of the exercises")
    recorded = recordings(
        [one for one in mine if isinstance(one, Exercise)],
        progress=lambda stage, done, total: tell(f"diagnosing the recordings: {stage} {done} of {total}"),
    )
    read: dict[str, Shown] = {}
    for one in mine:
        if isinstance(one, Reading):
            tell(f"reading recording {one.number}")
            read[one.name] = recording_shown(one)
    tell("writing the pages")
    places = {kind: sorted(addresses.places(kind), key=lambda p: str(p.content.get("title"))) for kind in OWN}
    counts = {OWN[kind]: len(found) for kind, found in places.items()}
    counts |= {"metrics": len(addresses.places("metric")), "course": len(course)}
    pages = [front_page(addresses, counts), symptoms_page(addresses)]
    gains = measured_gains((place.id for place in places["diagnosis"]), recorded)
    for kind, found in places.items():
        pages.append(list_page(kind, found, gains if kind == "diagnosis" else {}))
        pages += [cause_page(index, place, recorded) for place in found]
    pages += course_pages(course, recorded, read)
    pages += [lookup_page(addresses), gpus_page()]
    pages += [collection_page(index, one, addresses) for one in COLLECTIONS]
    pages += [documents_page(schemas), *document_pages()]
    return pages


def measured_gains(causes: Iterable[str], recorded: Mapping[str, Recorded]) -> dict[str, str]:
    """Return the measured speedup of the first exercise that shows each cause."""
    out = {}
    for cause in causes:
        found = next((gain for one, step in showing(cause, recorded) if (gain := one.gain(step.step))), None)
        if found is not None and found[0] > 1:
            out[cause] = speedup_text(found[0])
    return out


def documents_folder() -> Path | None:
    """Return the folder with the pages of docs/: of a checkout, or in the wheel."""
    package = Path(__file__).resolve().parents[1]
    return next((p for p in (package / "_data", package.parent / "docs") if (p / "python.md").is_file()), None)


def document_pages() -> list[SitePage]:
    """Return the pages of docs/, with links between them as they are on the site."""
    folder = documents_folder()
    files = {path.stem: path for path in sorted(folder.glob("*.md"))} if folder is not None else {}
    place = {name: _DOCUMENTS.get(name, f"{_INSIDE}/{'index' if name == 'README' else name}") for name in files}
    out = []
    for name, path in files.items():
        text = path.read_text(encoding="utf-8")
        found = _TITLE.search(text)
        title = _NAMES.get(name) or (found[1].replace("`", "") if found else name)
        linked = _LINK.sub(partial(_relinked, place=place, here=place[name]), text)
        out.append(SitePage(place[name], title, text=linked))
    return out


def _relinked(match: re.Match[str], place: Mapping[str, str], here: str) -> str:
    """Return a link of a page of docs/ on the site; the text alone if its target is not on it."""
    image, text, target = match.groups()
    if "://" in target or target.startswith("#"):
        return match[0]
    path, mark, section = target.partition("#")
    name = path.removesuffix(".md")
    if image or name not in place:
        return text
    return f"[{text}]({relative(f'{place[name]}', here).removesuffix('.html')}.md{mark}{section})"


def _write(
    scratch: Path, pages: Sequence[SitePage], addresses: Addresses, schemas: Mapping[str, Mapping[str, Any]]
) -> None:
    """Write the Markdown, the assets and the configuration of MkDocs."""
    docs = scratch / "docs"
    titles = {page.path: page.nav for page in pages}
    writer = SiteWriter()
    for page in pages:
        path = docs / f"{page.path}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page_text(writer, page, addresses, titles), encoding="utf-8")
    shutil.copytree(_ASSETS, docs / "assets", ignore=shutil.ignore_patterns("__pycache__"))
    (docs / "assets" / "blocks.css").write_text(block_style(), encoding="utf-8")
    (docs / "api" / "schemas").mkdir(parents=True, exist_ok=True)
    for name, schema in schemas.items():
        (docs / "api" / "schemas" / f"{name}.json").write_text(json.dumps(schema, indent=1) + "\n", encoding="utf-8")
    config = {**_CONFIG, "docs_dir": str(docs), "site_dir": str(scratch / "site"), "nav": navigation(pages)}
    (scratch / "mkdocs.yml").write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")


def block_style() -> str:
    """Return the style of the blocks of HTML pages, for the blocks here: its colours by the theme's light and dark.

    The theme's root font has 20 pixels, that of a page 16.
    """
    light, dark = _COLOURS.findall(asset("page.css"))
    blocks = re.sub(r"(?<![\w.])(\d*\.?\d+)rem(?!\))", lambda m: f"{float(m[1]) * 0.8:.3g}rem", asset("blocks.css"))
    schemes = (
        f'[data-md-color-scheme="{name}"] {{{colours}}}' for name, colours in (("default", light), ("slate", dark))
    )
    return "\n".join([*schemes, ".md-typeset .advisor {", blocks, "}"]) + "\n"


def page_text(writer: SiteWriter, page: SitePage, addresses: Addresses, titles: Mapping[str, str]) -> str:
    """Return the Markdown of a page. titles: path -> the name of the page."""
    if page.page is None:
        return page.text

    def find(word: str) -> tuple[str, str]:
        if word.startswith("page:"):
            path = word.removeprefix("page:")
            return (relative(path, page.path), titles[path]) if path in titles else ("", "")
        address, text = addresses.link(word)
        return (relative(address, page.path), text) if address.partition("#")[0] in titles else ("", "")

    def target(link: str) -> str:
        if "://" in link:
            return link
        if link.startswith("file:"):
            return relative(link.removeprefix("file:"), page.path).removesuffix(".html")
        return relative(link, page.path)

    front: dict[str, Any] = {"title": page.nav, "description": page.about or page.nav}
    front |= {"search": {"boost": page.boost}} if page.boost != 1 else {}
    hidden = ["toc", *(["navigation"] if page.path == "index" else [])]
    front |= {} if page.contents else {"hide": hidden}
    return writer.page(page.page, front, find, target, page.secret)


def navigation(pages: Sequence[SitePage]) -> list[Any]:
    """Return the navigation: a tab for each part, with its pages in their order."""
    rest = {page.path: page for page in pages}

    def take(*starts: str) -> list[Any]:
        found = [
            path for start in starts for path in rest if path == start or (start[-1:] == "/" and path.startswith(start))
        ]
        return [{rest.pop(path).nav: f"{path}.md"} for path in dict.fromkeys(found)]

    tabs = [
        *take("index"),
        {"Symptoms": take("symptoms", "stalls", "classes")},
        {"Causes": take("causes/index", "causes/")},
        {"Timelines": take("timelines/index", "timelines/")},
        {"Course": take("course/index", "course/")},
        {
            "Reference": [
                {"Metrics": take("metrics/index", "metrics/")},
                *take("opcodes", "units", "gpus", "library-calls", "glossary"),
                {"Topics": take("topics/")},
                {"Tests": take("tests/")},
                {"Caveats": take("caveats/index", "caveats/")},
                {"Graphics workloads": take("graphics/index", "graphics/")},
            ]
        },
        {
            "Method": [
                *take("method/"),
                {"Cases and sources": take("cases", "worked-numbers", "corrections", "sources")},
            ]
        },
        {"API": take("api/python", "api/")},
        {"Inside": take("program/index", "program/")},
    ]
    return [tab for tab in map(_filled, tabs) if tab]


def _filled(part: dict[str, Any]) -> dict[str, Any]:
    """Return a part of the navigation without empty groups, which MkDocs refuses; empty if nothing is left."""
    out: dict[str, Any] = {}
    for name, value in part.items():
        kept = value if isinstance(value, str) else [one for one in map(_filled, value) if one]
        out |= {name: kept} if kept else {}
    return out


def _mkdocs(scratch: Path) -> None:
    """Run MkDocs. Raises AdvisorError with its last line if it fails."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(scratch / "mkdocs.yml")]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "NO_COLOR": "1"}  # a notice of the theme in any case
    ran = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, env=quiet)
    if ran.returncode or not (scratch / "site" / "index.html").is_file():
        said = [line for line in (ran.stderr + ran.stdout).splitlines() if line.strip()]
        first = next(
            (line for line in said if "WARNING" in line or "ERROR" in line), said[-1] if said else "no message"
        )
        raise AdvisorError(f"mkdocs could not build the site: {first.strip()}")


def _replace(folder: Path, scratch: Path) -> None:
    """Put the finished site in the place of the folder."""
    if folder.exists():
        folder.rename(scratch / "old")
    try:
        (scratch / "site").rename(folder)
    except OSError:
        if (scratch / "old").exists():
            (scratch / "old").rename(folder)
        raise


_SWITCH: Final = (("default", "dark", "weather-sunny"), ("slate", "light", "weather-night"))
_CONFIG: Final[dict[str, Any]] = {
    "site_name": "ncu-advisor",
    "site_description": "Why a CUDA kernel is slow, and what to do about it",
    "use_directory_urls": False,
    "theme": {
        "name": "material",
        "font": False,  # else fonts come from the network
        "icon": {"logo": "material/speedometer"},
        "palette": [
            {
                "scheme": scheme,
                "primary": "custom",
                "accent": "custom",
                "media": f"(prefers-color-scheme: {'light' if scheme == 'default' else 'dark'})",
                "toggle": {"icon": f"material/{icon}", "name": f"Switch to {other} mode"},
            }
            for scheme, other, icon in _SWITCH
        ],
        "features": [
            *("navigation.tabs", "navigation.indexes", "navigation.top", "navigation.footer", "navigation.prune"),
            *("search.highlight", "search.suggest", "content.code.copy", "toc.follow"),
        ],
    },
    # The offline plugin puts the search index in a script, so that the search works in files, too. It would load a
    # replacement for web workers from the network, unless one of this name is here.
    "plugins": [{"search": {"separator": r"[\s\-_.,:;()\[\]{}/|]+"}}, "offline"],
    "extra": {"generator": False, "polyfills": ["assets/iframe-worker.js"]},
    "extra_css": ["assets/blocks.css", "assets/site.css"],
    "extra_javascript": ["assets/site.js"],
    "markdown_extensions": [
        "attr_list",
        "tables",
        {"toc": {"permalink": "#", "permalink_title": "Link to this section", "toc_depth": "2-3"}},
        {"pymdownx.highlight": {"anchor_linenums": False}},
        "pymdownx.superfences",
    ],
    "validation": {"links": {"anchors": "warn", "not_found": "warn", "unrecognized_links": "warn"}},
}
