"""The reports of the exercises that are read: launches of the bundled recordings, some changed as described here.

A report is a container of blocks of launches (advisor/readers/container.py). A launch is copied without page layouts;
numbers and texts of its metrics are replaced where an exercise needs a
fact that the recordings lack. What is changed stands in `CHANGES` and, in words, under `changed` in reading.yaml.
"""

from __future__ import annotations

import io
import lzma
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from advisor.readers import container
from advisor.readers.container import encoded, fields, number_and_end, strings_of, walk
from advisor.records import resources

Value = float | str


@dataclass(frozen=True)
class Part:
    """A launch of a recording. values: metric -> its new value, or a factor of the old one (`times`); without: metrics
    left out; relabel: opcode -> the name that its counts get."""

    launch: int
    values: Mapping[str, Value] = field(default_factory=dict)
    times: Mapping[str, float] = field(default_factory=dict)
    without: Callable[[str], bool] = lambda name: False
    relabel: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Change:
    """A report. recording: folder under kernels/; parts: its launches in order; lines: whether the code keeps its line
    table; lost: bytes cut off at the end."""

    recording: str
    parts: tuple[Part, ...]
    lines: bool = True
    lost: int = 0


_DURATION = "gpu__time_duration.sum"
_CLOCK = "gpc__cycles_elapsed.avg.per_second"
_WAIT = "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"
_LONG = "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"
_WARPS = "smsp__warps_active.avg.per_cycle_active"
_ISSUE = "smsp__issue_active.avg.per_cycle_active"
_DRAM = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"
_MEMORY = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"
# Of shared memory: what was needed, and what the hardware counted, whose ratio to the requests shows conflicts too.
_WAVEFRONTS = (
    *("memory_l1_wavefronts_shared", "derived__memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal"),
    "l1tex__data_pipe_lsu_wavefronts_mem_shared",
)
_NAN = float("nan")

CHANGES: dict[str, Change] = {
    "plain-copy": Change("good-copy", (Part(0),)),
    "cooling-law": Change("double-literals", (Part(1, {_WAIT: 14.2, _LONG: 6.63}),)),
    "list-variance": Change(
        "linked-list", (Part(1, times={_DURATION: 1.46}), Part(1), Part(1, times={_DURATION: 1.01}))
    ),
    "series-sum": Change("transcendental-loop", (Part(2, times={_CLOCK: 0.62, _DURATION: 1 / 0.62}),)),
    "tile-turn": Change("transpose-ladder", (Part(1, without=lambda n: n.startswith(_WAVEFRONTS)),)),
    "bin-counts": Change("few-bin-histogram", (Part(2, times={_DRAM: 1.8, _MEMORY: 1.8}),)),
    "first-arrivals": Change(
        "few-bytes-in-flight", (Part(1, {"device__attribute_display_name": "NVIDIA Graphics Device"}),)
    ),
    "index-shuffle": Change("division-indexing", (Part(2),), lines=False),
    "three-vectors": Change("tiny-blocks", (Part(2, times={_WARPS: 0.6}),)),
    "row-totals": Change("interleaved-reduction", (Part(2, {_DRAM: _NAN, _ISSUE: _NAN, _WARPS: _NAN}),)),
    "price-update": Change("one-block-too-many", (Part(1, {"launch__sm_count": 60.0}),)),
    "state-chains": Change("memory-math", (Part(4),)),
    "moving-average": Change("averaging-ladder", (Part(3),)),
    "photo-clip": Change(
        "unfused-chain", tuple(Part(0, times={_DURATION: t}) for t in (1.0, 1.004, 0.997, 1.002)), lost=40_000
    ),
    "codon-table": Change("indexed-array", (Part(1),)),
    "copy-again": Change("good-copy", (Part(2), Part(2, times={_CLOCK: 0.87, _DURATION: 1.04}))),
    "scale-array": Change("averaging-ladder", (Part(5),)),
    "reaction-rates": Change("inner-barrier", (Part(1, relabel={"LEA": "CS2R.32"}),)),
    "small-update": Change("tour", (Part(18),)),
    "particle-paths": Change("dependent-chain", (Part(0),)),
}


@lru_cache(maxsize=4)
def _recording(name: str) -> tuple[bytes, container.Container]:
    folder = resources.folder("kernels") / name / "recorded" / "h200"
    data = lzma.decompress(next(folder.glob("*.ncu-rep.xz")).read_bytes())
    return data, walk(data)


def report(name: str) -> bytes:
    """The report of an exercise, the same every time."""
    change = CHANGES[name]
    data, found = _recording(change.recording)
    launches = sorted({part.launch for part in change.parts})
    small = io.BytesIO()
    container.extract(data, found, frozenset(launches), small)
    whole = small.getvalue()
    slim = io.BytesIO()

    container.slim(whole, walk(whole), 0, len(launches), lambda n: True, slim, code=True)
    rest = slim.getvalue()
    blocks = walk(rest)
    strings = strings_of(rest, blocks)
    records = [rest[a:b] for a, b in container.spans(blocks)]
    sources = [rest[a:b] for block in blocks.blocks for a, b in block.sources]
    if not change.lines:
        sources = [one.replace(b".debug_line", b".debug_none") for one in sources]
    edited = [_edited(records[launches.index(part.launch)], strings, part) for part in change.parts]
    out = io.BytesIO()
    out.write(rest[: 8 + container.LENGTH.unpack_from(rest, 4)[0]])
    for at, block in enumerate(blocks.blocks):
        # Names of metrics stand in the headers of all blocks, so the launches are in the last one.
        last = at == len(blocks.blocks) - 1
        head = rest[block.header[0] : block.header[1]]
        container.write_block(head, sources if last else [], edited if last else [], out)
    made = out.getvalue()
    return made[: len(made) - change.lost] if change.lost else made


def _edited(record: bytes, strings: list[str], part: Part) -> bytes:
    out, asked = [], {*part.values, *part.times}
    for number, key, start, end in fields(record):
        if number != container.METRIC:
            out.append(record[key:end])
            continue
        name_id, value = number_and_end(record, start + 1)
        name = strings[name_id]
        if part.without(name):
            continue
        metric = record[start:end]
        if name in asked:
            asked.remove(name)
            metric = _with_value(metric, value - start, part.values.get(name), part.times.get(name, 1.0))
        if "opcode" in name:
            for old, new in part.relabel.items():
                metric = _relabelled(metric, old, new)
        out.append(_field(container.METRIC, metric))
    assert not asked, asked
    return b"".join(out)


def _field(number: int, message: bytes) -> bytes:
    return encoded(number << 3 | 2) + encoded(len(message)) + message


def _with_value(metric: bytes, at: int, value: Value | None, factor: float) -> bytes:
    """A metric with another aggregate value; `at` is where the value begins."""
    number, start, end = container.field_at(metric, at)
    assert number == 2
    if isinstance(value, str):
        new = _field(1, value.encode())
    else:
        new = b"\x19" + struct.pack("<d", value if value is not None else factor * _double(metric[start:end]))
    return metric[:at] + _field(2, new) + metric[end:]


def _double(message: bytes) -> float:
    (number, _, start, end), *_ = fields(message)
    if number == 3:
        return float(struct.unpack("<d", message[start:end])[0])
    return float(number_and_end(message, start)[0])


def _relabelled(metric: bytes, old: str, new: str) -> bytes:
    """A metric whose instances of one opcode have another name."""
    out = []
    for number, key, start, end in fields(metric):
        part = metric[key:end]
        if number == 3:
            label = _field(1, _field(1, old.encode()))
            inside = metric[start:end]
            if inside.startswith(label):
                part = _field(3, _field(1, _field(1, new.encode())) + inside[len(label) :])
        out.append(part)
    return b"".join(out)
