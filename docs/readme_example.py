"""Write the example of the README: the text of one diagnosis, and a picture of the session (docs/session.svg).

python docs/readme_example.py            # rewrite README.md and docs/session.svg
python docs/readme_example.py --check    # exit 1 if the text in README.md is out of date
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REPORT = "kernels/bank-conflicts/recorded/h200/profile.ncu-rep.xz"
BEGIN = "<!-- example: begin (docs/readme_example.py) -->\n"
END = "<!-- example: end -->\n"
LINES = 43
SIZE = (150, 36)
TOUR = "kernels/tour/recorded/h200/tour.ncu-rep.xz"
PICTURE = ROOT / "docs" / "session.svg"


def text(home: Path) -> str:
    """The first lines of `diagnose` for the slow kernel of an exercise."""
    env = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "HOME": str(home), "XDG_CACHE_HOME": str(home)}
    command = [sys.executable, "-m", "advisor", "diagnose", REPORT, "--launch", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env, cwd=ROOT)
    return "\n".join(line.rstrip() for line in done.stdout.splitlines()[:LINES])


async def draw() -> str:
    """The list of launches of the bundled report as SVG, with its preview."""
    from advisor.session.executor import Executor, sources
    from advisor.tui.app import AdvisorApp

    app = AdvisorApp(Executor(sources()), (str(ROOT / TOUR),))
    async with app.run_test(size=SIZE) as pilot:
        for _ in range(200):
            await pilot.pause(0.05)
            if app.state.diagnosis is not None and not app.state.waiting:
                break
        await pilot.pause(0.5)
        return app.export_screenshot(title="ncu-advisor")


def main() -> int:
    """Rewrite README.md and the picture, or check the text."""
    readme = ROOT / "README.md"
    before = readme.read_text(encoding="utf-8")
    head, _, rest = before.partition(BEGIN)
    _, _, tail = rest.partition(END)
    with tempfile.TemporaryDirectory() as home:
        shown = text(Path(home))
    after = (
        f"{head}{BEGIN}\n```text\n{shown}\n…\n```\n\n![The session in the terminal](docs/session.svg)\n\n{END}{tail}"
    )
    if "--check" in sys.argv:
        return int(after != before)
    readme.write_text(after, encoding="utf-8")
    PICTURE.write_text(asyncio.run(draw()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
