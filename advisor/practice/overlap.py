"""Step 0b: the overlap of a kernel's memory-only and math-only halves, from the three times.

With m and a the times of the memory-only and the math-only variant, a kernel that overlaps them perfectly takes
max(m, a), one that does them one after the other m + a. `hidden` is the share of the shorter half that the full kernel
hides behind the longer one:

    hidden = (m + a - full) / min(m, a)        1: full = max(m, a); 0: full = m + a; below 0: longer than both together

The verdicts (guide.step0b.verdict): full ~ max: the overlap is good, and the longer half is what to work on;
full ~ sum: there is none; full far above both: latency, which no throughput explains. The cuts are the middles between
what the guide names (1 and 0) and even (a half): three quarters hidden is good, a quarter is none, between them the
overlap is partial. More than a tenth above the sum is latency. Where the noise of the three times reaches over a cut,
`sure` is False.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from advisor.reasoning.time_model.noise import Spread

Word = Literal["overlap", "partial", "none", "latency"]
GOOD, NONE = 0.75, 0.25
LATENCY = 1.1  # of m + a
CITES = ("guide.step0b", "guide.step0b.verdict", "guide.step0b.occupancy")
# Below this share of the longer half the shorter one is too small for its overlap to be seen.
_SMALL = 0.05
_EQUAL_COUNTS = 0.02  # loads and stores of a variant against those of the full kernel
_EQUAL_OCCUPANCY = 0.10


@dataclass(frozen=True, slots=True)
class Overlap:
    """The verdict. hidden: see above; times in ns; longer: `memory` or `math`; sure: whether the noise allows no other.

    visible: whether the shorter half is long enough for a verdict to mean anything.
    """

    word: Word
    hidden: float
    longer: Literal["memory", "math"]
    best_ns: float
    worst_ns: float
    full_ns: float
    sure: bool
    visible: bool


def _word(full: float, memory: float, math: float) -> tuple[Word, float]:
    hidden = (memory + math - full) / min(memory, math)
    if full > LATENCY * (memory + math):
        return "latency", hidden
    return ("overlap" if hidden >= GOOD else "none" if hidden <= NONE else "partial"), hidden


def judge(full: Spread, memory: Spread, math: Spread) -> Overlap:
    """The verdict from the three spreads of run times."""
    m, a, f = memory.median, math.median, full.median
    word, hidden = _word(f, m, a)
    # The noise of each time moves the verdict; take each to both ends.
    others = {
        _word(f * (1 + i * full.noise), m * (1 + j * memory.noise), a * (1 + k * math.noise))[0]
        for i in (-1, 1)
        for j in (-1, 1)
        for k in (-1, 1)
    }
    longer: Literal["memory", "math"] = "memory" if m >= a else "math"
    visible = min(m, a) >= _SMALL * max(m, a)
    return Overlap(word, hidden, longer, max(m, a), m + a, f, others == {word}, visible)


@dataclass(frozen=True, slots=True)
class Held:
    """One thing that the experiment holds equal: its metric, the variant, its value there and in the full kernel.

    equal: whether it is, None where a report does not say.
    """

    variant: str
    metric: str
    value: float
    full: float
    equal: bool | None


# Which metrics must agree with the full kernel's, by variant: the memory-only variant keeps every access; the math-only
# one may drop them, and both keep the occupancy.
ACCESSES = ("global_load_inst", "global_store_inst")
OCCUPANCY = "occupancy_theoretical_pct"


def held_equal(
    full: Mapping[str, float], variants: Mapping[str, Mapping[str, float]], accesses: Sequence[str] = ACCESSES
) -> tuple[Held, ...]:
    """The conditions that hold: `variants` is {"memory": metrics, "math": metrics} by canonical names."""
    out = []
    for name, metrics in variants.items():
        wanted = [*(accesses if name == "memory" else ()), OCCUPANCY]
        for metric in wanted:
            a, b = metrics.get(metric, float("nan")), full.get(metric, float("nan"))
            limit = _EQUAL_OCCUPANCY if metric == OCCUPANCY else _EQUAL_COUNTS
            known = a == a and b == b
            out.append(Held(name, metric, a, b, abs(a - b) <= limit * max(abs(a), abs(b)) if known else None))
    return tuple(out)
