"""Write a page as one self-contained HTML file: no network, no other file, only its own script.

Jinja escapes every value. Before that, unprintable characters (control characters, marks that change the direction of
text) become escapes. A content security policy allows only the digests of the one style and the one script, so even
unescaped text could neither run nor load anything.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from advisor.view.blocks import Page
from advisor.view.text import cut, shown

_FOLDER = Path(__file__).parent / "page"
# Names of thousands of characters are cut here; the JSON has the full names.
LONGEST = 600
_QUOTED = re.compile(r"`([^`]+)`")


def page_html(page: Page) -> str:
    """Write the whole page."""
    style, script = "".join(map(asset, ("page.css", "blocks.css"))), asset("page.js")
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return _template().render(page=page, style=Markup(style), script=Markup(script), policy=policy)


@lru_cache(maxsize=1)
def _template() -> jinja2.Template:
    return environment().get_template("page.html")


def asset(name: str) -> str:
    """Return a style or script of pages: page.css for the frame, blocks.css for the blocks."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def rich(text: str, words: Callable[[str], str] = str) -> Markup:
    """Return escaped text, with text between two backticks as code.

    words: lays out each part, which is escaped afterwards unless it is markup.
    """
    parts = map(words, _QUOTED.split(cut(shown(text), 4 * LONGEST)))
    return Markup("").join(Markup("<code>{}</code>").format(part) if at % 2 else part for at, part in enumerate(parts))


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _finished(value: Any) -> Any:
    """Return data for use in a page; a missing value is a bug in the template."""
    if value is None:
        raise TypeError("a template was given None")
    return cut(shown(value), 4 * LONGEST) if type(value) is str else value


def in_page(link: str) -> str:
    """Return the address of a section of the same page."""
    return f"#{link}"


def environment(words: Callable[[str], Markup] = rich, target: Callable[[str], str] = in_page) -> jinja2.Environment:
    """Return the templates of a page and of its blocks. words: lays out a text; target: the address of a link."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_finished,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["rich"] = words
    made.filters["named"] = rich  # the text of a link, which holds no other link
    made.filters["target"] = target
    made.filters["short"] = lambda text: cut(shown(text), LONGEST)
    made.tests["kind"] = lambda block, name: type(block).__name__ == name
    return made
