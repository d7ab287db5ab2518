"""Step 0b: calculate the overlap of a kernel's memory-only and math-only halves from the three run times.

If m and a are the times of the memory-only and the math-only variant, a kernel that overlaps them perfectly takes
max(m, a), and one that runs them one after the other takes m + a. `hidden` is the share of the shorter half that the
full kernel hides behind the longer one:

    hidden = (m + a - full) / min(m, a)        1: full = max(m, a); 0: full = m + a; below 0: longer than both together

The verdicts (guide.step0b.verdict): if full ~ max, the overlap is good and the longer half is the one to optimise; if
full ~ sum, there is no overlap; if full is far above both, the kernel is latency-bound, which no throughput explains.
The cuts are midway between the guide's values (1 and 0) and a half: three quarters hidden is good, a quarter is none,
between them the overlap is partial. More than a tenth above the sum is latency. If the noise of the times crosses a
cut, `sure` is False.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

from advisor.reasoning.time_model.noise import Spread

Word = Literal["overlap", "partial", "none", "latency"]
GOOD, NONE = 0.75, 0.25
LATENCY = 1.1  # of m + a
CITES = ("guide.step0b", "guide.step0b.verdict", "guide.step0b.occupancy")
# If the shorter half takes less than this share of the longer one, its overlap cannot be measured.
_SMALL = 0.05
_EQUAL_COUNTS = 0.02  # maximum difference of loads and stores between a variant and the full kernel
_EQUAL_OCCUPANCY = 0.10


class Overlap(Struct, frozen=True):
    """The verdict. hidden: see the module; times in ns; longer: `memory` or `math`; sure: the noise allows no other.

    visible: whether the shorter half is long enough for a meaningful verdict.
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
    """Judge the overlap from the three spreads of run times."""
    m, a, f = memory.median, math.median, full.median
    word, hidden = _word(f, m, a)
    # The noise of each time affects the verdict; evaluate both ends of each.
    others = {
        _word(f * (1 + i * full.noise), m * (1 + j * memory.noise), a * (1 + k * math.noise))[0]
        for i in (-1, 1)
        for j in (-1, 1)
        for k in (-1, 1)
    }
    longer: Literal["memory", "math"] = "memory" if m >= a else "math"
    visible = min(m, a) >= _SMALL * max(m, a)
    return Overlap(word, hidden, longer, max(m, a), m + a, f, others == {word}, visible)


class Held(Struct, frozen=True):
    """A condition that the experiment holds equal: its metric, the variant, its value there and in the full kernel.

    equal: whether it holds, None if a report does not say.
    """

    variant: str
    metric: str
    value: float
    full: float
    equal: bool | None


# The metrics of each variant that must match the full kernel's: the memory-only variant keeps every access; the
# math-only variant may drop them; both keep the occupancy.
ACCESSES = ("global_load_inst", "global_store_inst")
OCCUPANCY = "occupancy_theoretical_pct"


def held_equal(
    full: Mapping[str, float], variants: Mapping[str, Mapping[str, float]], accesses: Sequence[str] = ACCESSES
) -> tuple[Held, ...]:
    """Check which conditions hold. variants: {"memory": metrics, "math": metrics} by canonical names."""
    out = []
    for name, metrics in variants.items():
        wanted = [*(accesses if name == "memory" else ()), OCCUPANCY]
        for metric in wanted:
            a, b = metrics.get(metric, float("nan")), full.get(metric, float("nan"))
            limit = _EQUAL_OCCUPANCY if metric == OCCUPANCY else _EQUAL_COUNTS
            known = a == a and b == b
            out.append(Held(name, metric, a, b, abs(a - b) <= limit * max(abs(a), abs(b)) if known else None))
    return tuple(out)
