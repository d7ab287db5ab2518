"""Read and diagnose the recording of a reading exercise: its facts, the right answer and the number to estimate."""

from __future__ import annotations

import lzma
from functools import lru_cache
from pathlib import Path
from typing import Final

from advisor.knowledge.base import catalog
from advisor.knowledge.expressions import parse
from advisor.practice.reading_answers import ProfileShown, Shown, TimelineShown
from advisor.practice.readings import Reading
from advisor.reasoning.diagnose import analyse
from advisor.records.scratch import ScratchFolder
from advisor.timeline.analyse import conclude
from advisor.timeline.facts import facts
from advisor.timeline.overview import overview
from advisor.timeline.read import read_trace

_NS_PER_US: Final = 1000


@lru_cache(maxsize=4)
def shown(one: Reading) -> Shown:
    """Read and diagnose the recording of an exercise."""
    return _timeline(one) if one.kind == "timeline" else _profile(one)


def _timeline(one: Reading) -> Shown:
    with ScratchFolder() as folder:
        path = Path(folder) / one.recording.removesuffix(".xz")
        path.write_bytes(lzma.decompress(one.path.read_bytes()))
        trace = read_trace(path)
    result = conclude((trace,), (), catalog())
    gpu = result.gpus[0]
    about = overview(trace, facts(trace)[0])
    assert about is not None
    assert one.estimate is not None
    time = _NS_PER_US * parse(one.estimate.value).scalar(gpu.values)
    window = gpu.values["window_us"] / _NS_PER_US
    values = {**gpu.values, "window_ms": window, "time_ms": time / 1e6}
    return Shown(one, gpu.patterns, values, timeline=TimelineShown(result.traces[0], gpu, about, time))


def _profile(one: Reading) -> Shown:
    diagnosis = analyse([one.path]).diagnosis
    launch = next(x for x in diagnosis.launches if x.index == one.launch)
    found = tuple(f for f in launch.findings if f.kind == "trust")
    return Shown(one, found, launch.metrics, profile=ProfileShown(diagnosis, launch))
