"""What the tests of pages share: names that try to be more than names, and a reader of the page's elements."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from advisor.records.diagnosis import Diagnosis, LaunchGpu, Location, Place
from tests.changed import replace

HOSTILE = {
    "markup": "k<img src=x onerror=alert(1)>&<b>\"'`",
    "script": "k</style></script></title><script>alert(1)</script>",
    "template": "{{ 7 * 7 }}{% include '/etc/passwd' %}${7*7}",
    "terminal": "k\x1b[31mred\x1b]8;;http://x\x07\x00\r\n# head\n- item\n\n<p>",
    "bidi": "k\u202e(tac)\u2066x\u2069\u200b\ufeff\u2028",
    "markdown": "k|[l](javascript:alert(1))![i](http://x)<http://y>**b** @me #1 $x$ `c` ``` ~~~ www.x.org http://x.org\\",
    "long": "k<" + "x" * 10_000 + ">",
    "odd": "\ud800\udc00\ufffe kernel",
}
INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
# Elements and attributes that a page is made of, and no others.
_KNOWN = set(
    re.findall(
        r"\w+",
        "html head meta title style body header main section details summary h1 h2 h3 p dl div dt dd ul ol li a code "
        "pre table thead tbody tr th td figure figcaption span svg rect path line text script",
    )
)
_EMPTY = {"meta"}
_SAFE = set(
    re.findall(
        r"[\w-]+",
        "charset http-equiv content name lang class id href tabindex role aria-label aria-hidden scope data-key "
        "data-name colspan viewbox preserveaspectratio x y x1 y1 x2 y2 width height d text-anchor",
    )
)


class Page(HTMLParser):
    """Elements and text of a page; what a report could have smuggled in stands in `strange`."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: dict[str, int] = {}
        self.strange: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.script = ""
        self.style = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        self.strange += [f"unclosed {tag}" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1
        if tag not in _KNOWN:
            self.strange.append(tag)
        for name, value in attrs:
            if name not in _SAFE:
                self.strange.append(f"{tag} {name}")
            if name == "href":
                self.links.append(value or "")
            if name == "id":
                self.ids.append(value or "")
        if tag not in _EMPTY:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _EMPTY:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.strange.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "script":
            self.script += data
        elif self._open and self._open[-1] == "style":
            self.style += data
        else:
            self.text += data


def sound(text: str) -> Page:
    """The page, after the checks that hold for every one: it is whole, loads nothing, and obeys no name."""
    page = Page(text)
    assert page.strange == [] and page.tags["script"] == 1 and page.tags["style"] == 1
    assert not INVISIBLE.search(text.replace("\n", ""))
    assert len(page.ids) == len(set(page.ids))
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links), page.links
    assert "alert" not in page.script and "None" not in page.text
    assert not re.search(r"url\(|@import|fetch|import\(|http", page.style + page.script)
    return page


def some(tour: Any, *indexes: int) -> Diagnosis:
    return replace(tour.diagnosis, launches=tuple(tour.diagnosis.launches[at] for at in indexes))


def renamed(diagnosis: Diagnosis, name: str) -> Diagnosis:
    launches = tuple(
        replace(
            launch,
            kernel=name,
            kernel_full=name,
            gpu=LaunchGpu(name, launch.cc, ""),
            findings=tuple(
                replace(
                    f, because=name, locations=(Location(f"{name}.cu", 2, 16, name, "samples", 0.5, (Place(name, 3),)),)
                )
                for f in launch.findings
            ),
        )
        for launch in diagnosis.launches
    )
    return replace(diagnosis, launches=launches, reports=tuple(replace(r, path=name) for r in diagnosis.reports))
