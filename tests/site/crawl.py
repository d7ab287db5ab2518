"""Follow every link, anchor, image, style and script of a built site in its files."""

from __future__ import annotations

import posixpath
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("use", "href")}


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[tuple[str, str, str]] = []
        self.ids: set[str] = set()
        self.twice: set[str] = set()
        self.nested = 0
        self._open = False

    def handle_endtag(self, tag: str) -> None:
        self._open = self._open and tag != "a"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.nested += self._open
            self._open = True
        for name, value in attrs:
            if name == "id" and value:
                (self.twice if value in self.ids else self.ids).add(value)
                self.ids.add(value)
            if name in ("href", "src", "xlink:href", "poster") and value is not None:
                self.links.append((tag, name.removeprefix("xlink:"), value))


class Crawled:
    """A site.

    broken: links without a target; loads: what a page loads from elsewhere; twice: repeated ids; nested: pages with a
    link in a link; unreached: pages that no other page links to.
    """

    def __init__(self, folder: Path) -> None:
        self.pages: dict[str, _Links] = {}
        for path in sorted(folder.rglob("*.html")):
            parser = _Links()
            parser.feed(path.read_text(encoding="utf-8"))
            self.pages[path.relative_to(folder).as_posix()] = parser
        self.broken: list[str] = []
        self.loads: list[str] = []
        self.checked = 0
        self.twice = [f"{page}#{name}" for page, found in self.pages.items() for name in sorted(found.twice)]
        self.nested = [page for page, found in self.pages.items() if found.nested]
        reached = {"index.html"}
        for page, found in self.pages.items():
            for tag, name, value in found.links:
                self._check(folder, page, tag, name, value, reached)
        self.unreached = sorted(set(self.pages) - reached)

    def _check(self, folder: Path, page: str, tag: str, name: str, value: str, reached: set[str]) -> None:
        parts = urlsplit(value)
        if parts.scheme or parts.netloc:
            if (tag, name) in LOADS and parts.scheme != "data":
                self.loads.append(f"{page}: {value}")
            return
        self.checked += 1
        path = unquote(parts.path)
        # The page of an error is served from any address, so its links begin at the root.
        base = "" if path.startswith("/") else posixpath.dirname(page)
        target = posixpath.normpath(posixpath.join(base, path.lstrip("/"))) if path else page
        if (folder / target).is_dir():
            target = posixpath.join(target, "index.html")
        if not (folder / target).is_file():
            self.broken.append(f"{page}: {value}")
            return
        if target != page:
            reached.add(target)
        wanted = unquote(parts.fragment)
        if wanted and target in self.pages and wanted not in self.pages[target].ids:
            self.broken.append(f"{page}: {value}")
