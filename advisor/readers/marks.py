"""What the text of single instructions tells about a launch: traffic of strong loads, local memory of called functions,
checks of precise functions. Runs in the child process: standard library only.

The text is read only where the launch shows that it is worth the time (`looks`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from advisor.hardware.sass_constants import HEAD, checks_of
from advisor.readers.access_tables import GLOBAL, LOCAL
from advisor.readers.actions import known_instances, value_of
from advisor.readers.order import copied_share

# What `from_code` reads of each instruction.
TABLES = (
    "memory_type",
    "inst_executed",
    "memory_l2_theoretical_sectors_global",
    "memory_l2_theoretical_sectors_global_ideal",
)
_STRONG = re.compile(r"\bLDG?\.[\w.]*STRONG\b")
_LOAD = re.compile(r"\bLDG?\b")
_CALL = re.compile(r"\b(?:CALL|CAL|JCAL)\b[\w.]*\s+`?\(?(0x[0-9a-f]+)")
_RETURN = re.compile(r"\bRET\b")
# A 64-bit division first tests whether the upper words of both operands, combined by OR, are 0, and then jumps to the
# way of a 32-bit one, which begins with this conversion, or does not jump away from it.
_DIVISION = re.compile(r"\bU?I2F\.U32\.RP\b")
_LONG_DIVISION = re.compile(r"\bI2F\.U64\.RP\b")
_UPPER_WORDS = re.compile(r"\bU?LOP3\.LUT U?R\d+, .*\bU?RZ, 0xfc\b")
_JUMP = re.compile(r"\bBRA\b")
_GOAL = re.compile(r"(0x[0-9a-f]{1,16})\)?$")
# Instructions from the test to the branch, and from where that leads to the conversion, at most.
_TEST_BEFORE, _LEAD_IN = 12, 5
# The reciprocal of a 32-bit division, and the product with it that gives the quotient; that which refines the
# reciprocal adds to it, and those with a constant belong to divisions by constants.
_RECIPROCAL = re.compile(r"\bU?I2F\.(?:U32\.)?RP\b")
_QUOTIENT = re.compile(HEAD + r"IMAD\.HI\.U32 R\d{1,3}, R\d{1,3}(?:\.reuse)?, U?R\d{1,3}(?:\.reuse)?, RZ")
# Each quotient is compared with the divisor twice and corrected; other high products, such as those with a multiplier
# that the host has computed, are not.
_CORRECTION = re.compile(HEAD + r"ISETP\.(?:GE|GT|LE|LT)\.U32\b")
# An array with a run-time index that the compiler keeps out of local memory: the index is compared with one constant
# after the other (ISETP.EQ), and the element of the one that it equals is moved or selected. Below so many constants
# for a register, it is a choice between a few cases.
_SAME_AS = re.compile(
    HEAD + r"U?ISETP\.(?:EQ|NE)(?:\.U32)?\.AND (U?P\d), U?PT, (U?R\d{1,3})(?:\.reuse)?, (-?0x[0-9a-f]{1,16}|U?RZ), U?PT"
)
_SETS_PREDICATE = re.compile(HEAD + r"U?[A-Z]{1,5}SETP\d?[.\w]{0,40} (U?P\d)\b")
_MOVED = re.compile(r"^\s*@!?(U?P\d)\s+(?:U?MOV|IMAD\.MOV|CS2R|HFMA2)\b")
_SELECTED = re.compile(HEAD + r"(?:U?SEL|FSEL)\b.{0,80}?\b!?(U?P\d)\s*;?\s*$")
_FEWEST_CASES = 8
# Comparisons for equality that take a twentieth of the instructions are worth the time to read the text.
_LEAST_COMPARED = 0.05
# A precise function has a comparison of floats or a saturated product in 7 to 28 instructions
# (knowledge/math_functions.yaml): from here on they take a fifth of all instructions, or more.
_LEAST_TESTS = 0.01


_ISSUE: Final = "sm__issue_active.avg.pct_of_peak_sustained_elapsed"
_DRAM: Final = tuple(f"{unit}_throughput.avg.pct_of_peak_sustained_elapsed" for unit in ("gpu__dram", "dram_"))
# Arithmetic of a fifth of the instructions, with few loads of global memory and no matrix instructions, in a launch
# that uses two of five issue slots, or loads constants in a tenth of its instructions, whose path is slower: only there
# is it worth the time to look whose arithmetic it is.
LEAST_ARITHMETIC, _MOST_LOADS, _LEAST_ISSUE, _MANY_CONSTANTS = 0.2, 0.1, 40.0, 0.1
# Each warp reaches four barriers on average (eight, where a kernel has two ends), and waits at them for a cycle or more
# per instruction.
_LEAST_MEETINGS, _LEAST_WAIT = 4.0, 1.0
_BARRIER_WAIT: Final = ("smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",)
# Loops of two rounds or more on average, in a launch that uses a quarter of DRAM's rate: below, reading bytes again
# costs little.
_LEAST_DRAM, _LEAST_ROUNDS = 25.0, 2.0
# Integers in two fifths of the instructions: fewer take about the same time, with data or with addresses.
_MANY_INTEGERS: Final = 0.4
_INTEGERS: Final = ("IMAD", "IADD3", "LOP3", "SHF", "LEA", "PRMT", "SEL", "ISETP", "VIADD", "IMNMX", "VIMNMX", "FMNMX")
# The number of blocks along each axis, at its place in constant bank 0, until Hopper and since Blackwell.
_GRID_SIZE = re.compile(r"\bc\[0x0\]\[0x(?:c|10|14)\]|\bSR_NCTAID\b")
_GRID_SIZE_BLACKWELL = re.compile(r"\bc\[0x0\]\[0x(?:36c|370|374)\]|\bSR_NCTAID\b")
_MAJOR: Final = "device__attribute_compute_capability_major"
# A grid of less than half a wave: if its threads walk through the data in steps of the grid, more blocks help.
_WAVES: Final = ("launch__waves_per_multiprocessor",)
_SMALL_GRID: Final = 0.5
_FLOAT = re.compile(r"(?:FFMA|FADD|FMUL|DFMA|DADD|DMUL|HFMA2|HADD2|HMUL2|MUFU)(?:32I|2)?\b")
_MATRIX = re.compile(r"[A-Z]+MMA\b")


class Looks(NamedTuple):
    """What the text of a launch's instructions is read for.

    marks: its own metrics (`from_code`); the others are followed (`followed`): arithmetic: whose it is; loads: what
    they read again; barriers: what is executed between them; integers: which of them compute with data.
    """

    marks: bool
    arithmetic: bool
    loads: bool
    barriers: bool
    integers: bool = False

    @property
    def followed(self) -> list[str]:
        """Return the names of what is to be followed through the code."""
        return [name for name in self._fields if name != "marks" and getattr(self, name)]


def looks(opcodes: Mapping[str, float] | None, values: Mapping[str, Sequence[Any]], local: bool) -> Looks:
    """Return what to read of a launch. values: its metrics, number first; local: whether it accesses local memory."""
    issue = _first(values, (_ISSUE,), 100.0)
    return Looks(
        has_marks(opcodes, local) or _first(values, _WAVES, math.inf) < _SMALL_GRID,
        computes(opcodes, issue),
        reads_in_loops(opcodes, _first(values, _DRAM, 0.0)),
        waits_at_barriers(opcodes, _first(values, _BARRIER_WAIT, 0.0)),
        many_integers(opcodes, issue),
    )


def _first(values: Mapping[str, Sequence[Any]], names: Iterable[str], unknown: float) -> float:
    return next((float(values[name][0]) for name in names if name in values), unknown)


def has_marks(opcodes: Mapping[str, float] | None, local: bool) -> bool:
    """Whether the text of the instructions has metrics of its own. local: whether the launch accesses local memory."""
    found = opcodes or {}
    strong = any(_STRONG.match(name) for name in found)
    calls = local and any(name.partition(".")[0] in ("CALL", "CAL", "JCAL") for name in found)
    functions = any(name.startswith(("MUFU.RCP", "MUFU.RSQ")) and not name.endswith("64H") for name in found)
    compared = math.fsum(count for name, count in found.items() if name.startswith(("ISETP.EQ", "ISETP.NE")))
    arrays = compared > _LEAST_COMPARED * math.fsum(found.values())
    copies = _of(found, "LDGDEPBAR") > _LEAST_MEETINGS * _of(found, "EXIT") > 0
    return strong or calls or functions or arrays or copies or has_functions(found)


def has_functions(found: Mapping[str, float]) -> bool:
    """Whether precise functions may take a part of the instructions that is worth the time to read the text."""
    products = math.fsum(count for name, count in found.items() if name.startswith("FFMA.SAT"))
    return _of(found, "FSETP", "DADD") + products > _LEAST_TESTS * math.fsum(found.values())


def computes(opcodes: Mapping[str, float] | None, issue: float) -> bool:
    """Whether arithmetic takes much of the time. issue: the share of the issue slots used, in percent."""
    found = opcodes or {}
    total = math.fsum(found.values())
    constants = _of(found, "LDC") > _MANY_CONSTANTS * total
    if not (issue > _LEAST_ISSUE or constants) or any(_MATRIX.match(name) for name in found):
        return False
    arithmetic = math.fsum(count for name, count in found.items() if _FLOAT.match(name))
    return arithmetic > LEAST_ARITHMETIC * total and _of(found, "LD", "LDG") < _MOST_LOADS * total


def reads_in_loops(opcodes: Mapping[str, float] | None, dram: float) -> bool:
    """Whether loads in loops take much of DRAM's rate. dram: the rate, in percent of the peak."""
    found = opcodes or {}
    warps = _of(found, "EXIT")
    return dram > _LEAST_DRAM and _of(found, "LDG") > 0 and _of(found, "BRA") > _LEAST_ROUNDS * warps > 0


def steps_of(action: Any, key: str, look: Looks, executed: Mapping[int, float]) -> tuple[Any, ...]:
    """Return what is followed of a launch as `followed.Followed` takes it. key: of its code; executed: by address."""
    threads = known_instances(action, "thread_inst_executed_true") if look.arithmetic or look.barriers else None
    sectors = known_instances(action, TABLES[2]) if look.loads or look.arithmetic else None
    return (key, look.followed, *(list((table or {}).items()) for table in (executed, threads, sectors)))


def waits_at_barriers(opcodes: Mapping[str, float] | None, wait: float) -> bool:
    """Whether warps wait much at many barriers. wait: cycles at barriers for each instruction."""
    found = opcodes or {}
    return wait > _LEAST_WAIT and _of(found, "BAR") > _LEAST_MEETINGS * _of(found, "EXIT") > 0


def many_integers(opcodes: Mapping[str, float] | None, issue: float) -> bool:
    """Whether integers and bits take much of the time. issue: the share of the issue slots used, in percent."""
    found = opcodes or {}
    return issue > _LEAST_ISSUE and _of(found, *_INTEGERS) > _MANY_INTEGERS * math.fsum(found.values())


def _of(opcodes: Mapping[str, float], *stems: str) -> float:
    return math.fsum(count for name, count in opcodes.items() if name.partition(".")[0] in stems)


def texts_of(action: Any, pcs: Iterable[int]) -> dict[int, str]:
    """Return address -> text of some instructions of a launch; empty if its code is not there.

    action: with its code (see container.slim).
    """
    texts = {pc: action.sass_by_pc(pc) for pc in pcs}
    return texts if all(map(str.strip, texts.values())) else {}


def from_code(action: Any, texts: Mapping[int, str]) -> dict[str, float]:
    """Return the metrics of a launch from the texts of its instructions; empty where one that it executed lacks."""
    tables = {name: known_instances(action, name) for name in TABLES}
    executed = [pc for pc, count in (tables["inst_executed"] or {}).items() if count]
    whole = bool(executed) and all(pc in texts for pc in executed)
    major = value_of(action, _MAJOR)
    blackwell = isinstance(major, (int, float)) and major >= 10
    return of_texts({pc: texts[pc] for pc in executed}, tables, blackwell) if whole else {}


def of_texts(
    texts: Mapping[int, str], tables: Mapping[str, Mapping[int, float] | None], blackwell: bool = False
) -> dict[str, float]:
    """Return the metrics from the text of each executed instruction. tables: as `TABLES` names them, by address.

    blackwell: whether the GPU has compute capability 10.0 or higher.
    """
    grid_size = _GRID_SIZE_BLACKWELL if blackwell else _GRID_SIZE
    executed, spaces = tables["inst_executed"] or {}, tables["memory_type"] or {}
    out = {
        "function_check_inst": checks_of(texts, executed),
        "short_division_inst": math.fsum(executed[pc] for pc in _short_divisions(texts)),
        "reused_reciprocal_inst": _reused_reciprocals(texts, executed),
        "selected_inst": _selected(texts, executed),
        "grid_size_inst": math.fsum(executed[pc] for pc, text in texts.items() if grid_size.search(text)),
    }
    loads = [pc for pc, text in texts.items() if _LOAD.search(text) and int(spaces.get(pc, 0.0)) & GLOBAL]
    out |= _strong_shares(loads, texts, *(tables[name] for name in TABLES[2:]))
    copied = copied_share(texts, executed)
    out |= {} if copied is None else {"copied_work_share": copied}
    accesses = [pc for pc, space in spaces.items() if int(space) & LOCAL and executed.get(pc)]
    if accesses:
        called = _called(texts)
        inside = math.fsum(executed[pc] for pc in accesses if any(start <= pc <= stop for start, stop in called))
        out["called_local_share"] = inside / math.fsum(executed[pc] for pc in accesses)
    return out


def _short_divisions(texts: Mapping[int, str]) -> Iterable[int]:
    """Yield where 64-bit divisions whose operands both have 32 bits begin."""
    pcs = sorted(texts)
    lines = [texts[pc].rstrip() for pc in pcs]
    # The first jump behind each test of upper words, and where it leads.
    tests: dict[int, int] = {}
    for k in (k for k, line in enumerate(lines) if _UPPER_WORDS.search(line)):
        jump = next((i for i in range(k, min(len(lines), k + _TEST_BEFORE)) if _JUMP.search(lines[i])), None)
        if jump is not None:
            goal = _GOAL.search(lines[jump])
            tests[jump] = int(goal[1], 16) if goal else -1
    goals = set(tests.values())
    for i, line in enumerate(lines):
        if _DIVISION.search(line):
            near = range(max(0, i - _LEAD_IN), i + 1)
            if any(pcs[k] in goals or k in tests for k in near):
                yield pcs[i]


def _reused_reciprocals(texts: Mapping[int, str], executed: Mapping[int, float]) -> float:
    """Return the executed 32-bit divisions beyond one for each reciprocal.

    0 without reciprocals, and beside those of 64-bit divisions, whose products look alike.
    """

    def count(what: re.Pattern[str]) -> float:
        return math.fsum(executed[pc] for pc, text in texts.items() if what.search(text))

    reciprocals = count(_RECIPROCAL)
    if not reciprocals or count(_LONG_DIVISION):
        return 0.0
    return max(0.0, min(count(_QUOTIENT), count(_CORRECTION) / 2) - reciprocals)


def _selected(texts: Mapping[int, str], executed: Mapping[int, float]) -> float:
    """Return the executed comparisons of an index with one constant after the other that choose an element.

    Only comparisons whose result a move or a selection uses count, not those of a branch.
    """
    waiting: dict[str, tuple[int, str, str]] = {}
    chosen: dict[str, dict[int, str]] = {}
    for pc in sorted(texts):
        text = texts[pc]
        if used := _MOVED.search(text) or _SELECTED.search(text):
            if test := waiting.get(used[1]):
                chosen.setdefault(test[1], {})[test[0]] = test[2]
        elif found := _SAME_AS.search(text):
            waiting[found[1]] = (pc, found[2], found[3])
        elif other := _SETS_PREDICATE.search(text):
            waiting.pop(other[1], None)
    many = [pcs for pcs in chosen.values() if len(set(pcs.values())) >= _FEWEST_CASES]
    return math.fsum(executed[pc] for pcs in many for pc in pcs)


def _strong_shares(
    loads: Iterable[int],
    texts: Mapping[int, str],
    sectors: Mapping[int, float] | None,
    ideals: Mapping[int, float] | None,
) -> dict[str, float]:
    if sectors is None or ideals is None:
        return {}
    total = excess = strong = strong_excess = 0.0
    for pc in loads:
        cost, over = sectors.get(pc, 0.0), max(0.0, sectors.get(pc, 0.0) - ideals.get(pc, 0.0))
        total, excess = total + cost, excess + over
        if _STRONG.search(texts[pc]):
            strong, strong_excess = strong + cost, strong_excess + over
    shares = {"strong_sector_share": strong / total} if total else {}
    return shares | {"strong_excess_share": strong_excess / excess if excess else 0.0}


def _called(texts: Mapping[int, str]) -> list[tuple[int, int]]:
    """Return the first and last addresses of the called functions: from each target to the last return before the next.

    Empty where a target is not in the text, as of a call through a pointer.
    """
    targets = sorted({int(found[1], 16) for text in texts.values() if (found := _CALL.search(text))} & texts.keys())
    returns = [pc for pc, text in texts.items() if _RETURN.search(text)]
    out = []
    for place, start in enumerate(targets, 1):
        after = targets[place] if place < len(targets) else math.inf
        ends = [pc for pc in returns if start <= pc < after]
        if ends:
            out.append((start, max(ends)))
    return out
