"""Hostile names in every output: `python -m tests.bench.hostile_names [--browser chromium]`.

Pages are parsed by html5lib if it is installed; with --browser, by what that browser has made of them and run.

Kernels, files, calls and NVTX ranges get names that are markup, escape sequences, formulas, links, 100 kB long, or no
text at all. Each output is opened by a parser of its format and compared with the one of harmless names: a page must
have no other elements, attributes or links, Markdown no HTML and no links, a table the same columns, text no
characters that are not printed. Prints each failure and a count by format; exit 1 after any.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from advisor.cli.main import main as program
from tests import damaged
from tests.timeline.generator import MS, US, Planted

NAMES = {
    "script": "<script>alert(1)</script><img src=x onerror=alert(1)><svg/onload=alert(1)>",
    "attribute": "\" onmouseover=\"alert(1)\" style='position:fixed' x='",
    "closing": "</title></style></script></pre></td></table><iframe src=//evil.example>--><!-- ]]>",
    "entities": "&lt;b&gt;&#x3c;script&#x3e;&amp;quot;",
    "template": "{{7*7}}{% raw %}${7*7}<%= 7*7 %>",
    "link": "[x](javascript:alert(1)) ![i](http://evil.example/i.png) <http://evil.example> https://evil.example/a",
    "markdown": "`|x|` **b** # h\n\n---\n<details>~~~\n[a]: http://evil.example",
    "formula": "=cmd|' /C calc'!A0",
    "formulas": "@SUM(1+1)*cmd|' /C calc'!A0",
    "osc": "\x1b]8;;http://evil.example\x1b\\x\x1b]8;;\x1b\\\x1b]52;c;ZWNobyBoaQ==\x07\x1b[2J\x9b31m\x1bP$q\x1b\\",
    "direction": "safe\u202egnp.exe\u2066\u200f\u061c\u200b\ufeff\u00ad\U000e0041",
    "controls": "a\x00b\x0b\x0c\x7f\x85\u2028\u2029\x08\x08c",
    "surrogates": "h\ud800a\udfff\udce9",
    "long": "L" * 100_000,
    "commands": "$(touch /tmp/x); `id` && rm -rf ~ | sh\t'\"\\",
}
HARMLESS = "harmless"
# Elements of our own without attributes, which depend on what a name holds: a name with a backtick is <code>.
_OURS = {"ul", "li", "code", "html_inline <code>", "html_inline </code>"}


def _report(folder: Path, name: str) -> Path:
    """The details page of three launches, one of them called so, in a file that is called so as far as it can be."""
    rows = list(csv.reader(io.StringIO((damaged.DATA / "tour_details.csv").read_text())))
    at = rows[0].index("Kernel Name")
    for row in rows[1:]:
        if row[at].startswith("transpose_tile"):
            row[at] = f"{name}(float *)"
    made = io.StringIO()
    csv.writer(made, quoting=csv.QUOTE_ALL).writerows(rows)
    path = folder / f"{_file_name(name)}.csv"
    path.write_text(made.getvalue(), encoding="utf-8", errors="replace", newline="")
    return path


def _file_name(name: str) -> str:
    return name.replace("/", "_").replace("\x00", "_").encode("utf-8", "replace")[:120].decode("utf-8", "ignore")


def _trace(folder: Path, name: str) -> Path:
    """A trace whose kernels, calls and ranges are called so."""
    stored, planted, at = name.encode("utf-8", "replace").decode(), Planted(), MS
    for turn in range(40):
        asked = at
        planted.call(stored, asked, asked + 5 * US)
        at = planted.kernel(at + 20 * US, 300 * US, stored, stored, asked=asked) + (
            2 * MS if turn % 4 == 0 else 10 * US
        )
        at = planted.copy(at, 200 * US, pageable=True) + 5 * US
        planted.range(stored, asked, at)
    return planted.write(folder / f"{_file_name(name)}.sqlite")


def _session(folder: Path, name: str) -> Path:
    """A saved session whose file and words are called so."""
    stored = name.encode("utf-8", "replace").decode()[:2000]
    lines = [
        {"format": "ncu-advisor/transcript/1"},
        {"do": "began", "paths": [stored]},
        {"do": "volunteered", "values": [["dram_pct", 80.0], ["sm_pct", 20.0]], "text": stored},
        {"do": "not_understood", "text": stored},
    ]
    path = folder / "session.jsonl"
    path.write_text("\n".join(json.dumps(one) for one in lines) + "\n")
    return path


def commands(folder: Path, name: str) -> Iterator[tuple[str, list[str]]]:
    """(format, command line)"""
    report, trace = str(_report(folder, name)), str(_trace(folder, name))
    for form in ("text", "json", "markdown", "html", "sarif"):
        yield form, ["diagnose", report, "--format", form]
        yield form, ["triage", report, "--jobs", "1", "--format", form]
    for form in ("text", "json", "markdown", "html", "junit"):
        yield form, ["compare", report, report, "--format", form]
    for form in ("text", "json", "markdown", "html"):
        yield form, ["timeline", trace, "--format", form]
    yield "parquet", ["triage", report, "--jobs", "1", "--format", "parquet", "--out", str(folder / "t.parquet")]
    for form in ("html", "md", "json"):
        yield form, ["replay", str(_session(folder, name)), "--export", form, "--out", str(folder / f"s.{form}")]
    yield "text", ["ask", report, f"why is {name[:300]} slow"]


class _Elements(HTMLParser):
    """The elements and attributes of a page, where html5lib is missing."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))


def elements(page: str) -> list[tuple[str, dict[str, str]]]:
    """Each element of a page with its attributes, as a browser sees them if html5lib is installed."""
    try:
        import html5lib  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        parser = _Elements()
        parser.feed(page)
        return parser.found
    tree = html5lib.parse(page, namespaceHTMLElements=False)
    return [
        (str(one.tag), {str(k): v for k, v in one.attrib.items()}) for one in tree.iter() if isinstance(one.tag, str)
    ]


def in_browser(page: str, browser: str) -> str:
    """The page as it stands in a browser after its scripts have run. Raises CalledProcessError, TimeoutExpired."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(page, encoding="utf-8")
        options = ("--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/data", "--dump-dom")
        command = [browser, *options, path.as_uri()]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


_browser = ""  # the program, if one was named


def _page_shape(page: str) -> set[str]:
    """What a page is made of: element and attribute names, and where its links lead."""
    if _browser:
        page = in_browser(page, _browser)
    shape = set()
    for tag, attributes in elements(page):
        shape |= {f"{tag} {name}" for name in attributes} | {tag}
        for name, value in attributes.items():
            if name in ("href", "src", "action", "srcset", "data", "formaction") and not value.startswith("#"):
                shape.add(f"{name} to {value[:60]}")
    return shape


def _markdown_shape(text: str) -> set[str]:
    shape = set()
    for token in MarkdownIt("commonmark", {"html": True}).enable("table").parse(text):
        for one in (token, *(token.children or ())):
            if one.type in ("html_block", "html_inline"):
                shape.add(f"{one.type} {re.sub(r'[^<>/a-z ]', '', one.content)[:40]}")
            if one.type in ("link_open", "image", "heading_open", "hr"):
                shape.add(f"{one.type} {one.attrGet('href') or one.attrGet('src') or ''}"[:80])
    return shape


def _words(out: str) -> set[str]:
    return {f"{c!r} of line {line[:40]!r}" for line in out.split("\n") for c in line if not c.isprintable()}


def _json_shape(out: str) -> set[str]:
    json.loads(out)
    return _words(out)


def _junit_shape(out: str) -> set[str]:
    return {one.tag for one in ET.fromstring(out).iter()} | _words(out)


SHAPES: dict[str, Callable[[str], set[str]]] = {
    "html": _page_shape,
    "markdown": _markdown_shape,
    "md": _markdown_shape,
    "json": _json_shape,
    "sarif": _json_shape,
    "junit": _junit_shape,
    "text": _words,
}


def _parquet_shape(path: Path) -> set[str]:
    import pyarrow.parquet as pq

    return {f"{one.name}: {one.type}" for one in pq.read_table(path).schema}


def shape_of(form: str, arguments: list[str]) -> tuple[int, set[str], str]:
    """Exit code, what the output is made of, and stderr."""
    out, err = io.StringIO(), io.StringIO()
    code: Any = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            program(arguments)
        except SystemExit as end:
            code = end.code or 0
    if code != 0:
        return code, set(), err.getvalue()
    if "--out" in arguments:
        path = Path(arguments[-1])
        if form == "parquet":
            return code, _parquet_shape(path), err.getvalue()
        return code, SHAPES[form](path.read_text(encoding="utf-8")), err.getvalue()
    return code, SHAPES[form](out.getvalue()), err.getvalue()


def main() -> int:
    """Prints failures and counts; 1 after any failure."""
    global _browser
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--browser", default="")
    _browser = parser.parse_args().browser
    counts: Counter[str] = Counter()
    bad = 0
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "whole").mkdir()
        sound = [(form, *shape_of(form, words)) for form, words in commands(Path(place) / "whole", HARMLESS)]
        for title, name in NAMES.items():
            folder = Path(place) / title
            folder.mkdir()
            for (form, words), (_, code, wanted, _) in zip(commands(folder, name), sound, strict=True):
                counts[form] += 1
                try:
                    got, found, err = shape_of(form, words)
                except Exception as error:
                    got, found, err = 70, set[str](), f"{type(error).__name__}: {error}"
                more = sorted(found - wanted - _OURS)
                wrong = [*more[:3], *sorted(_words(err))[:2], *([f"exit {got}: {err[:200]}"] if got != code else [])]
                if len(err) > 20_000:
                    wrong.append(f"{len(err)} characters on stderr")
                if wrong:
                    bad += 1
                    print(f"{title}, {words[0]} {form}: {'; '.join(wrong)[:600]}".encode("ascii", "replace").decode())
                    sys.stdout.flush()
    print(f"{sum(counts.values())} outputs, {bad} wrong: {dict(counts)}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
