"""A page as one HTML file that needs nothing else: no network, no other file, no script but its own.

Jinja escapes every value. What is not printable (control characters, marks that turn the direction of text) is shown
as its escape before that. A content security policy with the digests of the one style and the one script forbids all
else, so that even text that slipped through could neither run nor load anything.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from advisor.view.blocks import Page
from advisor.view.text import cut, shown

_FOLDER = Path(__file__).parent / "page"
# Names of thousands of characters are cut here; the JSON has all of them.
LONGEST = 600
_QUOTED = re.compile(r"`([^`]+)`")


def page_html(page: Page) -> str:
    """The whole page."""
    style, script = ((_FOLDER / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    template = _environment().get_template("page.html")
    return template.render(page=page, style=Markup(style), script=Markup(script), policy=policy)


def rich(text: str) -> Markup:
    """Text with what stands between two backticks as code; everything is escaped."""
    parts = _QUOTED.split(cut(shown(text), 4 * LONGEST))
    return Markup("").join(Markup("<code>{}</code>").format(part) if at % 2 else part for at, part in enumerate(parts))


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _finished(value: Any) -> Any:
    """Data as it may stand in a page; a value that is missing is a mistake of the template."""
    if value is None:
        raise TypeError("a template was given None")
    return cut(shown(value), 4 * LONGEST) if type(value) is str else value


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_finished,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["rich"] = rich
    environment.filters["short"] = lambda text: cut(shown(text), LONGEST)
    environment.tests["kind"] = lambda block, name: type(block).__name__ == name
    return environment
