"""Time and memory against size: `python -m tests.bench.scale [--part PART]... [--size N]...`.

launches: a raw page of 1,000, 3,000 and 10,000 launches as JSON; text, markdown, html, sarif: the same in this format;
trace: a database of 0.5, 1.5 and 5 million kernels; reports: a triage of 50, 150 and 500 reports. Each in a process of
its own: seconds of processor time of all its processes, per item too, the peak memory of the largest of them, and the
digest of its output. alike: 100 processes under other hash seeds, locales, time zones, widths, umasks and Pythons
(those named by --python, which need the dependencies) must print the same bytes of JSON. Exit 1 if a size takes over
1.5 times the time per item of the next smaller one, or if any bytes differ.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests import damaged
from tests.timeline.generator import MS, US, Planted

_ROOT = Path(__file__).resolve().parents[2]
_MEASURED = """
import hashlib, json, resource, subprocess, sys
process = subprocess.Popen([sys.executable, "-m", "advisor", *sys.argv[1:]], stdout=subprocess.PIPE)
digest = hashlib.file_digest(process.stdout, "sha256").hexdigest()[:12]
code = process.wait()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([code, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, digest]))
"""
_LOCALES = ("C", "POSIX", "C.UTF-8", "en_US.UTF-8", "tr_TR.UTF-8", "de_DE.ISO-8859-1", "ja_JP.eucJP", "nowhere")
_ZONES = ("UTC", "Asia/Kathmandu", "America/St_Johns", "Pacific/Kiritimati", "XYZ-25:17", "")


def _launches(folder: Path, count: int) -> list[str]:
    """A raw page with so many launches of different names, grids and numbers."""
    rows = list(csv.reader(io.StringIO(damaged.raw_csv())))
    head, units, body = rows[0], rows[1], rows[2:]
    ids, names = head.index("ID"), head.index("Kernel Name")
    chance = random.Random(1)
    path = folder / f"{count}.csv"
    with path.open("w", newline="") as file:
        out = csv.writer(file, quoting=csv.QUOTE_ALL)
        out.writerows([head, units])
        for number in range(count):
            row = list(body[number % len(body)])
            row[ids], row[names] = str(number), f"{row[names]}_{number % 500}"
            for at in range(len(row)):
                if at not in (ids, names) and "." in row[at] and chance.random() < 0.02:
                    row[at] = row[at].replace("1", "2")
            out.writerow(row)
    return ["diagnose", str(path), "--format", "json"]


def _launches_as(form: str) -> Callable[[Path, int], list[str]]:
    return lambda folder, count: [*_launches(folder, count)[:-1], form]


def _trace(folder: Path, count: int) -> list[str]:
    """A trace with so many kernels, each with its call."""
    planted, at = Planted(), MS
    for number in range(10):
        at = planted.kernel(at + 20 * US, 300 * US, f"kernel {number}", f"kernel {number}", asked=at) + 10 * US
    path = planted.write(folder / f"{count}.sqlite")
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = OFF")
    db.execute("PRAGMA synchronous = OFF")
    numbers = f"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT {count - 10})"
    for table in ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME"):
        names = [str(name) for (name,) in db.execute("SELECT name FROM pragma_table_info(?)", [table])]
        later = {"start": "+ n * 10000", "end": "+ n * 10000 - 290000", "correlationId": "+ n + 1000"}
        later["end"] = "- 295000 + n * 10000" if table.endswith("KERNEL") else "+ n * 10000"
        chosen = ", ".join(f'one."{name}" {later.get(name, "")}' for name in names)
        db.execute(f"INSERT INTO {table} {numbers} SELECT {chosen} FROM c JOIN (SELECT * FROM {table} LIMIT 1) AS one")
    db.close()
    return ["timeline", str(path), "--format", "json"]


def _reports(folder: Path, count: int) -> list[str]:
    """A folder of so many reports."""
    place = folder / str(count)
    place.mkdir()
    small = (damaged.DATA / "section_report.ncu-rep.xz").read_bytes()
    text = (damaged.DATA / "tour_details.csv").read_text()
    for number in range(count):
        if number % 4 == 0:
            (place / f"{number}.ncu-rep.xz").write_bytes(small)
        else:
            (place / f"{number}.csv").write_text(text.replace("transpose_tile", f"transpose_tile{number % 40}"))
    return ["triage", str(place), "--jobs", "2", "--format", "json"]


PARTS: dict[str, tuple[Callable[[Path, int], list[str]], tuple[int, ...]]] = {
    "launches": (_launches, (1_000, 3_000, 10_000)),
    **{form: (_launches_as(form), (1_000, 3_000, 10_000)) for form in ("text", "markdown", "html", "sarif")},
    "trace": (_trace, (500_000, 1_500_000, 5_000_000)),
    "reports": (_reports, (50, 150, 500)),
}


def measured(part: str, chosen: list[int] | None = None) -> bool:
    """Prints a line for each size; whether the time stays linear."""
    make, sizes = PARTS[part][0], chosen or PARTS[part][1]
    linear, before = True, 0.0
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            arguments = make(Path(folder), size)
            command = [sys.executable, "-c", _MEASURED, *arguments]
            done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(_ROOT)})
            code, seconds, peak, digest = json.loads(done.stdout.splitlines()[-1])
        each = seconds / size
        linear = linear and code == 0 and (not before or each < 1.5 * before)
        before = each
        print(
            f"{part:9} {size:9,}  exit {code}  {seconds:7.2f} s  {1e6 * each:10.1f} us each  {peak:6.0f} MB  {digest}",
            flush=True,
        )
    return linear


def alike(pythons: list[str], times: int = 100) -> bool:
    """Whether JSON is the same in processes under all kinds of surroundings."""
    chance, digests = random.Random(1), dict[str, Counter[str]]()
    inputs = {
        "report": ["diagnose", str(damaged.DATA / "section_report.ncu-rep.xz")],
        "text": ["diagnose", str(damaged.DATA / "tour_details.csv")],
        "compare": ["compare", *[str(damaged.DATA / "tour_details.csv")] * 2],
        "triage": ["triage", str(damaged.DATA / "tour_details.txt"), "--jobs", "1"],
    }
    for number in range(times):
        python, (name, words) = pythons[number % len(pythons)], list(inputs.items())[number // len(pythons) % 4]
        surroundings = {
            "PYTHONHASHSEED": str(chance.randrange(1 << 32)),
            "LC_ALL": chance.choice(_LOCALES),
            "TZ": chance.choice(_ZONES),
            "COLUMNS": str(chance.choice((1, 20, 80, 400))),
            "PYTHONUTF8": chance.choice("01"),
            "PYTHONPATH": str(_ROOT),
        }
        done = subprocess.run(
            [python, "-m", "advisor", *words, "--format", "json"],
            env={**os.environ, **surroundings},
            capture_output=True,
            umask=chance.choice((0o000, 0o022, 0o077, 0o777)),
        )
        digest = hashlib.sha256(done.stdout).hexdigest()[:12] if done.returncode == 0 else f"exit {done.returncode}"
        digests.setdefault(name, Counter())[digest] += 1
        if len(digests[name]) > 1:
            print(f"{name} differs under {python} {surroundings}: {done.stderr[-200:]!r}", flush=True)
    print(f"alike: {times} processes, {len(pythons)} Pythons: " + json.dumps({k: dict(v) for k, v in digests.items()}))
    return all(len(found) == 1 and not any(one.startswith("exit") for one in found) for found in digests.values())


def main() -> int:
    """Prints the figures; 1 if something is not linear or not alike."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--part", choices=(*PARTS, "alike"), action="append")
    parser.add_argument("--size", type=int, action="append")
    parser.add_argument("--python", action="append")
    given = parser.parse_args()
    fine = True
    for part in given.part or (*PARTS, "alike"):
        fine &= alike(given.python or [sys.executable]) if part == "alike" else measured(part, given.size)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
