"""Make recordings of what `measure` left: python -m tests.bench.recording.place OUTDIR [DATE]."""

from __future__ import annotations

import json
import lzma
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from advisor.practice import selfcheck
from advisor.practice.api import Card
from advisor.practice.manifest import Exercise, case, exercise, home
from advisor.practice.selfcheck import Circumstances, Measured, StepData
from advisor.readers.read import read_many
from advisor.records.errors import AdvisorError
from tests.bench.recording.measure import SEED


def launches(jobs: list[dict[str, Any]]) -> dict[tuple[str, str], tuple[int, ...]]:
    """Return the launches of each step in a report, which has them in the order of its jobs.

    Launches of a library are not counted; such a step has one.
    """
    found, at = {}, 0
    for job in jobs:
        many = 1 if job["profiled"] is None else int(job["profiled"])
        if not job["failure"]:
            found[job["exercise"], job["step"]] = tuple(range(at, at + many))
        at += many
    return found


def measured(one: Exercise, result: dict[str, Any], jobs: list[dict[str, Any]], report: Path, copy: float) -> Measured:
    """Return the data of one exercise."""
    places = launches(jobs)
    times = {j["step"]: j for j in result["jobs"] if j["exercise"] == one.name}
    steps = {
        step.id: StepData(tuple(times[step.id]["times_ns"]), places[one.name, step.id], times[step.id]["correct"])
        for step in one.steps
    }
    sizes = result["exercises"][one.name]["sizes"]
    return Measured(one, result["card"]["name"], copy, sizes, steps, report)


def main(out: Path, date: str) -> None:
    """Write kernels/NAME/recorded/GPU of every exercise whose steps were all timed, right and profiled."""
    result = json.loads(lzma.decompress((out / "result.json.xz").read_bytes()))
    card = Card(**result["card"])
    copy = next(j for j in result["jobs"] if j["exercise"] == "copy")
    middle = sorted(copy["times_ns"])[len(copy["times_ns"]) // 2]
    rate = result["exercises"]["copy"]["work"]["bytes"] / middle * 1e9
    cuda, cupy = selfcheck.versions_of({k: str(v) for k, v in result["versions"].items()})
    gpu = card.name.removeprefix("NVIDIA ").split(" ")[0].lower()
    with tempfile.TemporaryDirectory() as place:
        for made in result["reports"]:
            if not (out / made["file"]).is_file():
                print(f"{made['file']}: missing")
                continue
            report = Path(place) / made["file"].removesuffix(".xz")
            report.write_bytes(lzma.decompress((out / made["file"]).read_bytes()))
            frame, infos = read_many([report])
            tool = infos[0].tool.removeprefix("ncu ")
            sm, memory = selfcheck.clocks(frame)
            driver = result["driver"].split(",")[0].strip()
            said = Circumstances(card, driver, cuda, cupy, tool, sm, memory, date, SEED)
            for name in dict.fromkeys(j["exercise"] for j in made["jobs"]):
                try:
                    one = exercise(name)
                    if dict(case(name).sizes(card)) != result["exercises"][name]["sizes"]:
                        raise KeyError("other sizes")
                    data = measured(one, result, made["jobs"], report, rate)
                    wrong = [k for k, v in data.steps.items() if not v.right]
                    if wrong:
                        raise KeyError(f"wrong results: {wrong}")
                    selfcheck.write(data, said, home(name) / "recorded" / gpu)
                    print(f"{name}: recorded")
                except (AdvisorError, KeyError) as e:
                    print(f"{name}: {e}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else datetime.now(UTC).date().isoformat())
