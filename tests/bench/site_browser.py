"""Look at a built site in a browser: `python -m tests.bench.site_browser DIR`, with options in its `--help`.

Follows every link, anchor, image and script in the files. Then opens pages (one of each kind, and every N-th) as files
in light and dark, 1600 and 400 pixels wide, and runs axe-core on each, with everything unfolded. Counts requests that
leave the folder, pages wider than the screen and errors of scripts, and searches for a word. Needs Playwright and
axe-core (extra `browser-check`) and a Chromium. Prints each failure and a count; exit 1 after any.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.site.crawl import Crawled

SIZES = {1600: 900, 400: 800}  # width -> height, in pixels
SCHEMES = ("light", "dark")
KINDS = (
    *("index.html", "symptoms.html", "causes/index.html", "causes/bank_conflicts.html", "causes/tail_effect.html"),
    *("stalls.html", "gpus.html", "metrics/index.html", "metrics/napkin.html", "units.html", "course/index.html"),
    *("course/01.html", "course/33.html", "timelines/gpu_idle.html", "api/python.html", "api/documents.html"),
    *("method/steps.html", "sources.html", "program/index.html"),
)
SERIOUS = ("serious", "critical")
WORD, FOUND = "bank conflicts", "causes/bank_conflicts.html"


def axe_source() -> str:
    """Return the script of axe-core, which these packages bring."""
    for name in ("axe_playwright_python", "axe_core_python"):
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            found = next(Path(spec.origin).parent.rglob("axe.min.js"), None)
            if found is not None:
                return found.read_text(encoding="utf-8")
    raise SystemExit("axe-core is not here: pip install axe-playwright-python")


def look(page: Page, name: str, axe: str, problems: list[str], counts: Counter[str]) -> None:
    """Open everything that is folded on a page, and check it."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    if wide > 0:
        problems.append(f"{name}: {wide} pixels wider than the screen")
    page.evaluate(axe)
    found: dict[str, Any] = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    counts["looks"] += 1
    for violation in found["violations"]:
        counts[violation["impact"]] += len(violation["nodes"])
        if violation["impact"] in SERIOUS:
            nodes = "; ".join(node["html"][:120] for node in violation["nodes"][:3])
            problems.append(f"{name}: {violation['impact']}: {violation['id']} ({len(violation['nodes'])}): {nodes}")


def search(page: Page, start: str) -> str:
    """Return a problem of the search, or nothing."""
    page.goto(start)
    page.click("label.md-search__icon[for=__search]") if not page.is_visible(".md-search__input") else None
    page.fill(".md-search__input", WORD)
    try:
        page.wait_for_selector(f".md-search-result__link[href*='{FOUND}']", timeout=20_000, state="attached")
    except Exception as e:
        return f"the search for {WORD!r} does not find {FOUND}: {str(e).splitlines()[0]}"
    return ""


def main(argv: list[str] | None = None) -> int:
    """Check a site."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--browser", default=shutil.which("chromium") or shutil.which("google-chrome"))
    parser.add_argument("--every", type=int, default=12, help="also every N-th page")
    parser.add_argument("--pages", nargs="*", help="these pages alone")
    parser.add_argument("--widths", nargs="*", type=int, default=list(SIZES), choices=SIZES, help="pixels")
    parser.add_argument("--schemes", nargs="*", default=list(SCHEMES), choices=SCHEMES)
    given = parser.parse_args(argv)
    folder = given.folder.resolve()
    crawled = Crawled(folder)
    problems = [f"broken link in {one}" for one in crawled.broken]
    problems += [f"loads from elsewhere: {one}" for one in crawled.loads]
    problems += [f"repeated id: {one}" for one in crawled.twice]
    problems += [f"a link in a link: {one}" for one in crawled.nested]
    counts: Counter[str] = Counter()
    names = given.pages or list(dict.fromkeys([*KINDS, *list(crawled.pages)[:: given.every]]))
    axe, told = axe_source(), 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=given.browser, args=["--no-sandbox"])
        for width, scheme in ((width, scheme) for width in given.widths for scheme in given.schemes):
            size = {"width": width, "height": SIZES[width]}
            context = browser.new_context(viewport=size, color_scheme=scheme, bypass_csp=True)  # type: ignore[arg-type]
            page = context.new_page()
            at = ""

            def asked(url: str) -> None:
                counts["requests"] += 1
                if not url.startswith((folder.as_uri(), "data:", "blob:", "about:")):
                    problems.append(f"asks for {url}")

            page.on("request", lambda request: asked(request.url))
            page.on("pageerror", lambda error: problems.append(f"script: {error}"))
            for name in names:
                at = f"{name} ({width}, {scheme})"
                page.goto((folder / name).as_uri())
                print(f"\r\x1b[K{at}", end="", file=sys.stderr, flush=True)
                look(page, at, axe, problems, counts)
                print("".join(f"\r\x1b[K{one}\n" for one in problems[told:]), end="", flush=True)
                told = len(problems)
            if said := search(page, (folder / "index.html").as_uri()):
                problems.append(f"{said} ({width}, {scheme})")
            context.close()
        browser.close()
    print("".join(f"\r\x1b[K{one}\n" for one in problems[told:]), end="")
    print(
        f"{len(crawled.pages)} pages, {crawled.checked} links, {len(crawled.broken)} broken, {len(crawled.loads)} from "
        f"elsewhere; {len(names)} pages in {counts['looks']} looks, {counts['requests']} requests; axe: "
        + ", ".join(f"{counts[impact]} {impact}" for impact in ("critical", "serious", "moderate", "minor"))
    )
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
