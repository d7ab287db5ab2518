"""The launch as the operators see it: counts of its instructions and accesses, per launch, and what reads them.

The reader sums the rows of the report's instruction table (one per address) by role, so a launch is one row here:
executed instructions by opcode, 128-byte lines and sectors of global accesses with their ideals, shared wavefronts
with theirs. A report without source counters has hardware totals in the same columns, or NaN, and the operators then
take the nearest total that there is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from msgspec import Struct

from advisor.reasoning.metrics.fills import or_else
from advisor.reasoning.time_model.terms import Array, Needs

# What is left, 0 or more, of the work of each term: arrays of shape (rows,), NaN if unknown.
Left = dict[str, Array]
Given = Mapping[str, Array]
# The pipes that a warp instruction may use, whatever it computes.
PIPES = ("fma", "alu", "fp64", "xu")
# What every instruction pays beside its pipe.
ISSUED = ("issue", "latency_fixed")
# A thread's own overhead: addresses, tests, moves, constants, its start and its end.
CONTROL = ("adu", "cbu", "idc")
LINE_SECTORS = 4.0
# Of any work that leaves, the loop around it stays.
LEAST = 0.02


class Table(Struct, frozen=True):
    """Some launches: canonical metrics by name, shape (rows,), and the needs of their units before any change."""

    columns: Mapping[str, Array]
    rows: int
    now: Needs

    def get(self, name: str) -> Array:
        """Return a metric, NaN where it is unknown."""
        found = self.columns.get(name)
        return np.full(self.rows, np.nan) if found is None else np.asarray(found, dtype=float)

    def total(self, *names: str) -> Array:
        """Return the sum of counts, of which an unknown one counts as none; NaN if all are unknown."""
        found = np.array([self.get(name) for name in names])
        return np.where(np.isfinite(found).any(axis=0), np.nansum(found, axis=0), np.nan)

    def ones(self) -> Array:
        """Return an array of 1."""
        return np.ones(self.rows)


class Operator(Struct, frozen=True):
    """A change of a launch's work. apply: returns what is left of the work of each term.

    says: what it does, for a reader; parameters: what a fix gives it, by name, with the formula that holds if it does
    not (None: it must); unused: the formula of a parameter that then changes nothing; terms: what it may change;
    reads: the metrics that it needs beside its parameters. of_terms: its parameters
    are terms, and it changes those that it is given.
    """

    name: str
    says: str
    apply: Callable[[Table, Given], Left]
    terms: tuple[str, ...]
    parameters: dict[str, str | None] = {}
    reads: tuple[str, ...] = ()
    unused: str = ""
    of_terms: bool = False


def share(part: Array, whole: Array) -> Array:
    """Return part / whole, 0 to 1; NaN if unknown or of nothing."""
    return np.clip(np.where(whole > 0, part / whole, np.nan), 0.0, 1.0)


def useful(table: Table) -> Array:
    """Return the share of instructions that compute with data: floating point, special functions, tensor; 0 if unknown.

    Integers that follow from loaded values count too, where the code was followed. A thread that handles more elements
    executes these once for each, and all others (addresses, tests, moves) less often.
    """
    count = table.total("fp32_inst", "fp64_inst", "half_inst", "tensor_inst", "mufu_inst", "conversion_inst")
    # Comparisons of floats with loaded values count among both.
    compared = np.maximum(table.get("fp32_inst") - table.total("ffma_inst", "fadd_inst", "fmul_inst"), 0.0)
    integers = np.maximum(table.total("data_alu_inst", "data_product_inst") - or_else(compared, 0.0), 0.0)
    return or_else(share(count + or_else(integers, 0.0), table.get("inst_executed")), 0.0)


def alu_inst(table: Table) -> Array:
    """Return the instructions of the ALU pipe, which has 16 lanes of each of the four schedulers; NaN if unknown."""
    return table.get("pipe_alu_pct") / 100 * table.get("sm_cycles_elapsed") * table.get("sm_count") * 2


# Of the cycles that a warp's instruction takes without contention; `latency_fixed` is their sum (terms.py).
_FIXED = (
    "wait",
    "branch_resolving",
    "dispatch_stall",
    "no_instruction",
    "imc_miss",
    "sleeping",
    "membar",
    "misc",
    "gmma",
    "warpgroup_arrive",
)


def fixed_cycles(table: Table) -> Array:
    """Return the cycles that a warp's instruction takes without contention; an unknown stall counts as none."""
    return 1 + np.asarray(sum(np.nan_to_num(table.get(f"stall_{name}")) for name in _FIXED))


def floats_of_fma(table: Table) -> Array:
    """Return the share of the FMA pipe's time that floating point takes; NaN if unknown.

    Comparisons and selections of floats, which also count as fp32 instructions, run on the ALU pipe. Where the FMA pipe
    has 128 lanes per SM (CC 8.6 on), products and moves of integers have half of them. Source: the throughput table of
    the CUDA programming guide.
    """
    products, half = table.total("ffma_inst", "fadd_inst", "fmul_inst"), np.nan_to_num(table.get("half_inst"))
    floats = or_else(products, table.get("fp32_inst")) + half
    major, minor = table.get("device_cc_major"), table.get("device_cc_minor")
    halved = (major > 8) | ((major == 8) & (minor >= 6))
    others = np.maximum(table.get("fma_pipe_inst") - floats, 0) * np.where(halved, 2, 1)
    return share(floats, floats + others)


def left_of_fma(table: Table, others: Array, unknown: Array | float = 1.0) -> Array:
    """Return what is left of the FMA pipe's work if floating point stays, and `others` of the rest.

    unknown: the share of floating point where it is not known.
    """
    floats = or_else(floats_of_fma(table), unknown)
    return np.asarray(floats + (1 - floats) * others)


def left_of_short_waits(table: Table, gone: Array) -> Array:
    """Return what is left of the waits for shared memory and the XU pipe if `gone` instructions leave that pipe."""
    passed = table.get("xu_inst") + np.nan_to_num(table.get("shared_inst"))
    return np.asarray(np.fmax(LEAST, 1 - or_else(share(gone, passed), 0.0)))


def fewer_threads(table: Table, by: Array, each: bool = False) -> Left:
    """Return what is left of the overhead of threads, each of which does the work of `by` threads.

    each: every element has its own accesses and index still, so that those of its instructions stay, too, with the
    divisions of its index.

    Instructions that compute with data stay; those of the thread itself (addresses, tests, parameters, start and end)
    are divided. On the FMA pipe, floating-point instructions stay and integer products and moves are divided, but for
    those with loaded values.
    """
    executed, pipe, passed = table.get("inst_executed"), table.get("fma_pipe_inst"), alu_inst(table)
    kept, of_alu = useful(table), or_else(share(table.get("data_alu_inst"), passed), 0.0)
    products = or_else(share(table.get("data_product_inst"), pipe), 0.0)
    if each:
        # A 32-bit division takes some 23 instructions: two conversions and a reciprocal on the XU pipe, ten on the FMA
        # pipe with two upper halves of products, the others on the ALU pipe (h200.division).
        found = [table.get("conversion_inst") / 2, table.get("mufu_inst"), table.get("high_product_inst") / 2]
        divisions = or_else(np.min(found, axis=0), 0.0)
        accesses = or_else(table.get("memory_inst"), 0.0)
        kept = np.minimum(1.0, kept + or_else(share(accesses + 20 * divisions, executed), 0.0))
        of_alu = np.minimum(1.0, of_alu + or_else(share(10 * divisions, passed), 0.0))
        products = np.minimum(1.0, products + or_else(share(10 * divisions, pipe), 0.0))
    issue = kept + (1 - kept) / by
    return {
        "issue": issue,
        "latency_fixed": issue,
        "fma": np.fmin(1.0, left_of_fma(table, 1 / by, kept) + products * (1 - 1 / by)),
        "alu": of_alu + (1 - of_alu) / by,
        "adu": 1 / by,
        "cbu": 1 / by,
        "idc": 1 / by,
    }
