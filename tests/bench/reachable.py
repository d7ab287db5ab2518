"""What `diagnose` prints for a launch, and the keys that show it in the session.

    PYTHONPATH=.:tests python -m tests.bench.reachable [--report FILE] [--launches 0 4 11]

Opens the report in the session on a very high terminal, so that nothing has to be scrolled, and presses each letter on
the page of each launch. Every paragraph, cell and bullet of `diagnose --format markdown` is looked for on each screen:
it is found where 85 % of its characters stand in one place (rapidfuzz), since cards word some labels differently.
Prints, for each section of the page, how many of its lines each way shows first, and the lines that none shows.
`Enter` opens the launch from the list and is not counted. `v` and a digit show a page of the evidence.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

from rapidfuzz import fuzz

from advisor.cli.main import cli
from advisor.records import resources
from advisor.session.executor import Executor, sources
from advisor.tui.app import AdvisorApp
from advisor.tui.widgets.evidence_pages import PAGES
from tests.tui.driver import Driver

WAYS = ("", "f", "h", "i", "s", *(f"v {page}" for page in range(1, len(PAGES) + 1)))
ENOUGH = 85.0
SIZE = (320, 700)
_HEADS = ("observation", "value and test", "source")
_ESCAPED = re.compile(r"\\([^\w\s])")  # as Markdown escapes its own characters
_MARKUP = re.compile(r"[*_`|#>\\▏▎▍▌▋▊▉█·┊─│├└✓✗!-]+")


def plain(text: str) -> str:
    """Only words and numbers, in lower case, with single blanks."""
    return " ".join(_MARKUP.sub(" ", text).split()).casefold()


def in_panes(rows: Sequence[str]) -> str:
    """The text of a screen, one pane after the other: a border down the screen parts them."""
    parts = [[row] for row in rows]
    for at in range(max(map(len, rows)) - 1, 0, -1):
        if sum(row[at : at + 1] == "│" for row in rows) > len(rows) / 2:
            parts = [[row[0][:at], row[0][at:], *row[1:]] for row in parts]
    return "\n".join(text for pane in zip_longest(*parts, fillvalue="") for text in pane)


def printed(report: Path, launch: int) -> list[tuple[str, str]]:
    """Section and text of each line of the page of one launch."""
    from click.testing import CliRunner

    page = CliRunner().invoke(cli, ["diagnose", str(report), "--launch", str(launch), "--format", "markdown"]).output
    section, out, code = "Summary", [], False
    for line in page.splitlines():
        if line.startswith("```"):
            code = not code
        elif line.startswith("#") and not code:
            section = line.lstrip("# ")
        else:
            # The cells of a table are looked for one by one: the session has them as sentences.
            cells = line.split(" | ") if line.startswith("|") else [line]
            cells = [_ESCAPED.sub(r"\1", cell) for cell in cells]
            out += [(section, cell) for cell in cells if len(plain(cell)) >= 6 and plain(cell) not in _HEADS]
    return out


async def screens(report: Path, launches: Sequence[int] | None) -> dict[int, dict[str, str]]:
    """For each launch, the text of the session after each way from its page."""
    found: dict[int, dict[str, str]] = {}
    app = AdvisorApp(Executor(sources()), (str(report),))
    async with app.run_test(size=SIZE) as pilot:
        at = Driver(app, pilot)
        await at.settle()
        listed = app.state
        assert listed.diagnosis is not None
        for launch in range(len(listed.diagnosis.launches)) if launches is None else launches:
            # Each way begins with a state in which nothing has been asked about any launch.
            app.state = listed
            app.follow()
            await at.settle()
            await at.say(f"/kernel {launch}")
            await at.settle()
            opened, found[launch] = app.state, {}
            for way in WAYS:
                app.state = opened
                app.follow()
                await at.settle()
                for key in way.split():
                    await at.press(key)
                found[launch][way] = plain(in_panes(at.rows))
                await at.press(*("v",) * way.startswith("v"))
    return found


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = resources.folder("kernels") / "tour" / "recorded" / "h200" / "tour.ncu-rep.xz"
    parser.add_argument("--report", type=Path, default=default)
    parser.add_argument("--launches", type=int, nargs="*", help="by default all; 22 take about three minutes")
    given = parser.parse_args()
    shown: Counter[tuple[str, str]] = Counter()
    lost: Counter[tuple[str, str]] = Counter()
    seen = asyncio.run(screens(given.report, given.launches))
    for launch, by in seen.items():
        for section, line in printed(given.report, launch):
            # A way that shows the line whole is found without the search, which takes long.
            text = plain(line)
            ways = [way for way in WAYS if text in by[way]]
            ways = ways or [way for way in WAYS if fuzz.partial_ratio(text, by[way]) >= ENOUGH]
            if ways:
                shown[section, ways[0]] += 1
            else:
                lost[section, line] += 1
    print(f"{'section':<32}{'lines':>7}  shown by")
    for section in dict.fromkeys([s for s, _ in shown] + [s for s, _ in lost]):
        by = {way: n for (s, way), n in shown.items() if s == section}
        none = sum(n for (s, _), n in lost.items() if s == section)
        text = ", ".join(f"{way or 'the page'} {n}" for way, n in by.items()) + (f"; not shown {none}" if none else "")
        print(f"{section[:31]:<32}{sum(by.values()) + none:>7}  {text}")
    for (section, line), number in lost.items():
        print(f"- {section}: {line[:150]} ({number})")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
