"""Build the recordings of the exercises that are read: `python -m tests.bench.reading_exercises [NAME ...]`.

Traces are synthetic (reading_traces.py); reports are launches of the bundled recordings, some of them changed
(reading_reports.py). Both are the same every time; tests/practice/test_readings.py compares them with the
bundled files.
"""

from __future__ import annotations

import lzma
import sys
import tempfile
from pathlib import Path

from advisor.practice.readings import LARGEST, Reading, readings
from tests.bench import reading_reports, reading_traces


def recording(one: Reading) -> bytes:
    """The recording of an exercise, not compressed."""
    if one.kind == "profile":
        return reading_reports.report(one.name)
    with tempfile.TemporaryDirectory() as folder:
        return reading_traces.planted(one.name).write(Path(folder) / "trace.sqlite").read_bytes()


def main(names: list[str]) -> None:
    for one in readings():
        if not names or one.name in names:
            packed = lzma.compress(recording(one), preset=9 | lzma.PRESET_EXTREME)
            assert len(packed) <= LARGEST, (one.name, len(packed))
            one.path.write_bytes(packed)
            print(f"{one.name}: {len(packed):,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
