"""A page of the site before it is written."""

from __future__ import annotations

from msgspec import Struct

from advisor.explain.entries import Explanation
from advisor.view.blocks import Cell, Column, Page, Section, Table, section
from advisor.view.pages.explain import LINKS, SOURCES, heading_of, section_body, sources_list


class SitePage(Struct, frozen=True):
    """A page. path: without ending; about: a sentence for search engines; nav: its name in the navigation.

    text: Markdown instead of a page of blocks. boost: its weight in the search. contents: whether it shows
    a table of contents; secret: whether what is folded on it stays out of the search.
    """

    path: str
    nav: str
    page: Page | None = None
    about: str = ""
    text: str = ""
    boost: float = 1.0
    contents: bool = True
    secret: bool = False


def parts(made: Explanation, *names: str, level: int = 2) -> list[Section]:
    """Return these parts of an explanation as sections, each under its heading."""
    out = []
    for name in names:
        lines = made.section(name)
        if lines:
            out.append(section(heading_of(name), [section_body(name, lines)], level=level))
    return out


def reading_sections(made: Explanation, level: int = 2) -> list[Section]:
    """Return the cited sources and the addresses of further reading."""
    out = []
    if made.cites:
        out.append(section(SOURCES, [sources_list(made)], level=level))
    if made.links:
        rows = tuple((Cell(title), Cell(url, link=url)) for title, url in made.links)
        out.append(section(LINKS, [Table((Column("Page"), Column("Address")), rows)], level=level))
    return out
