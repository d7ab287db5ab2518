"""The output formats, one module each. A page format needs one module and one line in PAGE_FORMATS."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from advisor.view.blocks import Page


class PageFormat(Struct, frozen=True):
    """A format of pages. writer: `module:function`, Page to text; endings: file endings, the usual one first."""

    writer: str
    endings: tuple[str, ...]


# All commands with pages and the session's exports have these. Writers are imported on use, since Jinja is slow.
PAGE_FORMATS: Final[Mapping[str, PageFormat]] = {
    "markdown": PageFormat("markdown:page_markdown", ("md", "markdown")),
    "html": PageFormat("html:page_html", ("html", "htm")),
}


def page_writer(name: str) -> Callable[[Page], str]:
    """Return the writer of a format of PAGE_FORMATS."""
    module, _, function = PAGE_FORMATS[name].writer.partition(":")
    writer: Callable[[Page], str] = getattr(import_module(f"{__name__}.{module}"), function)
    return writer
