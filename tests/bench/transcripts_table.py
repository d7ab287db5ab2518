"""The bundled sessions as a table, and which steps of the method each one reaches.

`python -m tests.bench.transcripts_table` writes transcripts/README.md; `--check` exits with 1 where that is out of
date.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from advisor.records import resources

FOLDER = resources.folder("transcripts")


def steps_of(path: Path) -> tuple[str, ...]:
    """The steps that a session was at, in order, each once, as its conclusions say."""
    found: dict[str, None] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        step = json.loads(line).get("concluded", {}).get("step")
        if step:
            found[step] = None
    return tuple(found)


def header(path: Path) -> dict[str, Any]:
    """The first line."""
    with path.open(encoding="utf-8") as file:
        return dict(json.loads(file.readline()))


def all_steps() -> tuple[str, ...]:
    """The steps of the method in its order (knowledge/catalogue.yaml)."""
    known = yaml.safe_load((resources.folder("knowledge") / "catalogue.yaml").read_text(encoding="utf-8"))
    return tuple(str(step) for step in known["steps"])


def lines() -> Iterator[str]:
    """The page."""
    paths = sorted(FOLDER.glob("*.jsonl"))
    reached = {path: steps_of(path) for path in paths}
    yield "# Bundled sessions"
    yield ""
    yield "Worked cases of the sources and sessions on real reports, each a test: `ncu-advisor replay NAME` plays one,"
    yield "and `ncu-advisor replay transcripts --check` says whether all of them still conclude the same. Each was"
    yield "recorded from its script in `scripts/`: `ncu-advisor replay --record scripts/NAME.yaml --out NAME.jsonl`."
    yield "This page is made by `python -m tests.bench.transcripts_table`."
    yield ""
    yield "| session | what it is | sources | steps reached |"
    yield "| --- | --- | --- | --- |"
    for path in paths:
        head = header(path)
        cites = ", ".join(head.get("cites", ()))
        yield f"| `{path.stem}` | {head['title']} | {cites} | {', '.join(reached[path])} |"
    yield ""
    yield "| step | sessions that reach it |"
    yield "| --- | --- |"
    for step in all_steps():
        names = [path.stem for path in paths if step in reached[path]]
        shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
        yield f"| {step} | {shown or '**none**'} |"


def page() -> str:
    """The page as text."""
    return "\n".join(lines()) + "\n"


def main() -> int:
    """Write or check."""
    target, text = FOLDER / "README.md", page()
    if "--check" in sys.argv[1:]:
        return int(not target.exists() or target.read_text(encoding="utf-8") != text)
    target.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
