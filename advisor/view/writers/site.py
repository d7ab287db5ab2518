"""Write a page as Markdown for MkDocs: headings in Markdown, for contents and search, and the blocks as in HTML.

The blocks come from the templates of the HTML writer, so a page looks alike here and in an exported file. Two things
differ: words that have a page are links, and code is coloured by Pygments.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from advisor.view.blocks import Block, Code, Command, Page, Section
from advisor.view.text import shown
from advisor.view.writers.html import environment, rich

# Returns address and text of a word, seen from the page that is written; empty for a word without a page.
Find = Callable[[str], tuple[str, str]]

_WORD = re.compile(r"page:[\w/-]*\w|(?:[a-z_]+:)?[A-Za-z0-9](?:[\w.-]*\w)?")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]#!|])")


def _no_page(word: str) -> tuple[str, str]:
    return "", ""


class SiteWriter:
    """Writes pages; one writer compiles the templates once for all of them."""

    def __init__(self) -> None:
        self._find: Find = _no_page
        self._target: Callable[[str], str] = str
        self._hidden = ""
        templates = environment(self.rich, self._address)
        self._block = templates.get_template("blocks.html").module.block  # type: ignore[attr-defined]

    def page(
        self,
        page: Page,
        front: Mapping[str, Any],
        find: Find,
        target: Callable[[str], str],
        secret: bool = False,
    ) -> str:
        """Write the whole page.

        front: fields of its front matter; find: address and text of a word; target: the address of the link of a cell
        or mark; secret: whether what is folded is an answer, which the search must not show.
        """
        self._find, self._target = find, target
        self._hidden = " data-search-exclude" if secret else ""
        head = ["---", *(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in front.items()), "---", ""]
        return "\n".join([*head, *_heading(1, page.title), *self._blocks(page.made), *self.sections(page.sections)])

    def _address(self, link: str) -> str:
        return self._target(link)

    def sections(self, sections: tuple[Section, ...]) -> list[str]:
        """Return the lines of the sections."""
        return [line for part in sections for line in self._section(part)]

    def _section(self, part: Section) -> list[str]:
        if part.folded:
            inner = "".join(self._drawn(block) for block in part.blocks)
            name = f' id="{html.escape(part.id)}"' if part.id else ""
            head = f'<details class="advisor"{name}{self._hidden}><summary>{self.rich(part.title)}</summary>'
            return [f"{head}\n{inner}</details>", ""]
        return [*_heading(part.level, part.title, part.id), *self._blocks(part.blocks)]

    def _blocks(self, blocks: tuple[Block, ...]) -> list[str]:
        inner = "".join(self._drawn(block) for block in blocks)
        return [f'<div class="advisor">\n{inner}</div>', ""] if inner else []

    def _drawn(self, block: Block) -> str:
        if isinstance(block, Code):
            return self._code(block)
        if isinstance(block, Command):
            return _coloured(block.text, "console")
        # MkDocs' theme rearranges tables that have no class.
        return str(self._block(block)).replace("<table>", '<table class="rows">')

    def _code(self, block: Code) -> str:
        caption = f"<figcaption>{self.rich(block.caption)}</figcaption>" if block.caption else ""
        text = "\n".join(shown(line) for line in block.lines)
        return f"<figure>{caption}{_coloured(text, 'diff' if block.diff else 'cuda')}</figure>\n"

    def rich(self, text: str) -> Markup:
        """Return escaped text with text between two backticks as code, and with links."""
        return rich(text, self._linked)

    def _linked(self, text: str) -> Markup:
        out, at = [], 0
        for match in _WORD.finditer(text):
            address, said = self._find(match[0])
            if address:
                out += [Markup.escape(text[at : match.start()]), Markup('<a href="{}">{}</a>').format(address, said)]
                at = match.end()
        return Markup("").join([*out, Markup.escape(text[at:])])


def _heading(level: int, title: str, name: str = "") -> list[str]:
    """Return a heading in Markdown; text of the knowledge base is never markup."""
    if not title:
        return []
    text = html.escape(_MARKDOWN.sub(r"\\\1", shown(title).replace("`", "")), quote=False)
    return [f"{'#' * level} {text}{f' {{#{name}}}' if name else ''}", ""]


def _coloured(text: str, language: str) -> str:
    """Return code with the classes of Pygments, in a region that the keyboard can scroll."""
    inner = highlight(text.rstrip("\n"), get_lexer_by_name(language), HtmlFormatter(nowrap=True))
    return f'<div class="highlight"><pre tabindex="0"><code>{inner}</code></pre></div>\n'
