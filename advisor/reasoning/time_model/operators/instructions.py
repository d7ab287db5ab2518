"""Operators on instructions: how many are executed, and by which pipe."""

from __future__ import annotations

import numpy as np

from advisor.knowledge.math_functions import math_functions
from advisor.reasoning.metrics.fills import or_else
from advisor.reasoning.time_model.operators.table import (
    CONTROL,
    LEAST,
    PIPES,
    Given,
    Left,
    Operator,
    Table,
    alu_inst,
    fixed_cycles,
    floats_of_fma,
    left_of_fma,
    left_of_short_waits,
    share,
    useful,
)
from advisor.reasoning.time_model.terms import Array, turns_left


def _reconverge(table: Table, given: Given) -> Left:
    """Lanes work together: the same thread instructions in fewer warp instructions, on every pipe.

    left: of them, if all lanes worked; unknown: that, where the active lanes were not counted; reach: how far the fix
    gets there, 0 to 1 on a log scale. Loads and stores are as many fewer, but the lanes' places are the same: of their
    passes through L1 only those of loads of one address leave.
    """
    left = np.clip(or_else(given["left"], given["unknown"]), 0.0, 1.0) ** np.clip(given["reach"], 0.0, 1.0)
    alike = or_else(share(table.get("uniform_load_inst"), table.get("memory_inst")), 0.0)
    out = dict.fromkeys(("issue", *PIPES, "latency", "lsu"), left)
    return out | {"l1_global": 1 - alike * (1 - left)}


def _pack_lanes(table: Table, given: Given) -> Left:
    """Blocks fill their warps: fewer warps execute the same instructions, and start in fewer blocks.

    Accesses and shuffles of few lanes become those of many: as many fewer requests and passes, and where neighbouring
    threads use neighbouring words, sectors that all their lanes use.
    """
    left = np.clip(given["left"], 0.0, 1.0)
    out = dict.fromkeys(("issue", *PIPES, *CONTROL, "lsu", "l1_global", "l1_shared", "latency"), left)
    filled = np.fmax(left, share(table.get("requested_bytes"), 32 * table.get("global_sectors")))
    lookups = or_else(table.get("global_lookup_share"), 1.0)
    l2 = or_else(1 - lookups * (1 - filled), 1.0)
    return out | {"l2": l2, "block_launch": np.clip(given["blocks"], 0.0, 1.0)}


def _scale(table: Table, given: Given) -> Left:
    """`left` of the instructions remain, in the same mix, with the waits that follow from them."""
    left = np.clip(given["left"], 0.0, 1.0)
    return dict.fromkeys(("issue", *PIPES, *CONTROL, "latency_fixed"), left)


def _remove(table: Table, given: Given) -> Left:
    """Instructions leave: `mixed` in the mix of the kernel, the others from the pipe that is named, all from issue.

    Counts of warp instructions. special: those of the XU pipe that stay.
    """
    executed = table.get("inst_executed")
    mixed = given["mixed"]
    named = [given[name] for name in ("fma", "alu", "xu", "fp64", "control", "constants", "accesses")]
    gone = np.maximum(given["instructions"] + mixed, mixed + np.asarray(sum(named)))
    issue = np.maximum(LEAST, 1 - gone / executed)

    def left(count: Array, whole: Array) -> Array:
        part = share(count + mixed * or_else(share(whole, executed), 0.0), whole)
        # Of a pipe whose instructions were not counted, what some of them leave is unknown; none leave it as it is.
        known = np.isfinite(count + mixed) & (np.isfinite(whole) | (count + mixed == 0))
        return np.where(known, np.fmax(LEAST, 1 - or_else(part, 0.0)), np.nan)

    alu = alu_inst(table)
    fma, alu_gone, xu, fp64, control, constants, accesses = named
    served = table.total("control_inst", "constant_inst", "barrier_inst")
    gone_xu = xu + mixed * or_else(share(table.get("xu_inst"), executed), 0.0)
    none = (given["special"] == 0) | (table.get("xu_inst") == 0)
    special = np.where(none, 0.0, share(given["special"], table.get("xu_inst")))
    gone_xu = np.minimum(gone_xu, (1 - special) * table.get("xu_inst"))
    return {
        "issue": issue,
        "fma": left(fma, table.get("fma_pipe_inst")),
        "alu": left(alu_gone, alu),
        "xu": np.maximum(special, left(xu, table.get("xu_inst"))),
        "fp64": left(fp64, table.get("fp64_inst")),
        "adu": left(control + constants, served),
        "cbu": left(control, table.get("control_inst")),
        "idc": left(constants, table.get("constant_inst")),
        "latency_shared": left_of_short_waits(table, gone_xu),
        "lsu": left(accesses, table.get("memory_inst")),
        "latency_fixed": issue,
    }


def _no_waits(table: Table, given: Given) -> Left:
    """Waits leave, in cycles an instruction: `fixed` of those that no other work causes, at least `least` are left of
    them.

    shared, memory: of the waits for shared memory and for loads. barrier: the share of the waits at barriers.
    """
    total = fixed_cycles(table)
    out = {"latency_fixed": np.fmin(1.0, np.fmax(given["least"] / total, 1 - or_else(given["fixed"], 0.0) / total))}
    for term, reason in (("shared", "stall_short_scoreboard"), ("memory", "stall_long_scoreboard")):
        part = or_else(share(given[term], table.get(reason)), 0.0)
        out[f"latency_{term}"] = 1 - part
    gone = np.clip(or_else(given["barrier"], 0.0), 0.0, 1.0)
    # Where no barrier wait is removed, they follow the others (model.py).
    return out | ({"latency_barrier": 1 - gone} if np.any(gone > 0) else {})


def _to_single(table: Table, given: Given) -> Left:
    """fp64 arithmetic becomes fp32: one FMA instruction for each, no conversions, and half the bytes of double data.

    Where there are seeds of double quotients and roots, functions of the library are computed: there a multiply-add
    with a constant of its own, and no conversion, is a step of a polynomial. In single precision the XU pipe gives the
    value of a power, a quotient or a root, and other polynomials are half as long, but what goes with a step leaves too
    (its constants and the handling of both words): about as much as if no step were left. Of the six multiply-adds that
    refine a double seed two are left. Source: the instructions of five kernels before and after, tests/bench/unseen.
    """
    doubles, executed = table.total("dfma_inst", "dadd_inst", "dmul_inst"), table.get("inst_executed")
    converted, moves = or_else(table.get("f64_conversion_inst"), 0.0), or_else(table.get("move_inst"), 0.0)
    seeds = or_else(table.get("double_seed_inst"), 0.0)
    exponentials, of_one = or_else(table.get("double_exponential_inst"), 0.0), math_functions().double_exponential
    # A double constant takes two moves, of the warp or uniform ones; what is left of the moves feeds conversions. Where
    # there are more of both than doubles, and many doubles for each access, polynomials are computed, as those of a
    # sine, also without seeds.
    uniform = or_else(table.get("uniform_inst"), 0.0)
    accesses = or_else(table.get("memory_inst"), 0.0)
    polynomials = (seeds > 0) | ((moves + uniform > doubles) & (doubles > 8 * accesses))
    constants = np.where(polynomials, np.fmin(moves + uniform, 2 * doubles), np.fmin(moves, doubles))
    constants = np.fmax(constants, np.fmin(moves + uniform, of_one.moves * exponentials))
    fed = np.fmin(np.maximum(moves - constants, 0), converted)
    # A conversion to a float may first compare the value with the smallest normal float.
    compared = or_else(np.fmin(np.maximum(table.get("fp64_inst") - doubles, 0), converted), 0.0)
    steps = np.where(seeds > 0, constants / 2 + 4 * seeds, of_one.steps * exponentials)
    steps = np.fmin(steps, np.maximum(doubles - converted, 0))
    issue = or_else(np.maximum(0.1, 1 - (converted + fed + compared + constants + steps) / executed), 1.0)
    pipe, stay = np.fmax(table.get("fma_pipe_inst"), 1.0), np.maximum(doubles - steps - converted, 0)
    by_pipe = 0.5 * table.get("pipe_fp64_pct") / table.get("pipe_fma_pct") * or_else(share(stay, doubles), 1.0)
    # About half of the moves run on the FMA pipe.
    others = pipe - np.nan_to_num(table.total("fp32_inst", "half_inst"))
    moved = share(np.fmin(moves, constants) / 2, others) * (1 - or_else(floats_of_fma(table), 1.0))
    added = np.fmin(by_pipe, stay / pipe) - or_else(moved, 0.0)
    data = or_else(table.get("double_data_share"), 0.0)
    traffic = dict.fromkeys(("dram", "l2", "l1_global"), 1 - 0.5 * data)
    # Sines and cosines of doubles load the coefficients of their polynomials from a table, two of them a load, for at
    # least as many multiply-adds, beside moves of other constants. Those of floats have theirs in the instructions.
    wide, loads = table.get("uniform_load_inst"), table.get("global_load_inst")
    tables = (table.get("uniform_load_bytes") >= 16 * wide) & (wide > 0) & (doubles >= 2 * wide)
    tables &= (seeds > 0) & (moves + uniform > 0.4 * doubles)
    gone = np.where(tables, or_else(share(wide, loads), 0.0), 0.0)
    of_memory = np.where(tables, or_else(share(wide, table.get("memory_inst")), 0.0), 0.0)
    issue = np.maximum(0.1, issue - np.where(tables, or_else(share(wide, executed), 0.0), 0.0))
    traffic |= {"l1_global": traffic["l1_global"] * (1 - gone), "lsu": 1 - of_memory, "latency_memory": 1 - gone}
    return traffic | {
        "fp64": 0.0 * table.ones(),
        # Without counts it is unknown what the XU pipe converts.
        "xu": np.where(
            table.get("xu_inst") == 0, 1.0, 1 - share(table.get("f64_conversion_inst"), table.get("xu_inst"))
        ),
        "issue": issue,
        "fma": or_else(np.maximum(0.1, 1 + added), 1.0),
        "latency_fixed": issue,
    }


def _functions(table: Table, given: Given) -> Left:
    """Special functions leave the XU pipe: `left` of them remain, and each costs `each` FMA instructions instead.

    A function on the XU pipe has one FMA instruction too, which scales its argument or its result. One that guards
    against denormal numbers, as exponentials and logarithms do by default, has a comparison and two more products: as
    many as there are comparisons, and three products for each.
    """
    left = np.clip(given["left"], 0.0, 1.0)
    functions, executed = table.get("mufu_inst"), table.get("inst_executed")
    count = (1 - left) * functions
    tests, products = or_else(table.get("float_test_inst"), 0.0), or_else(table.get("fmul_inst") / 3, functions)
    guarded = (1 - left) * np.fmin(np.fmin(tests, products), functions)
    fma = (given["each"] - 1) * count - 2 * guarded
    return {
        "xu": left,
        "fma": np.fmax(LEAST, 1 + fma / np.maximum(table.get("fma_pipe_inst"), 1.0)),
        "alu": np.fmax(LEAST, 1 - or_else(share(guarded, alu_inst(table)), 0.0)),
        "issue": or_else(np.fmax(LEAST, 1 + (fma - count - guarded) / executed), 1.0),
        "latency_shared": left,
    }


def _convert(table: Table, given: Given) -> Left:
    """Conversions leave the XU pipe: `left` of them remain, and each costs `each` FMA instructions instead."""
    left = np.clip(given["left"], 0.0, 1.0)
    count = (1 - left) * table.get("conversion_inst")
    issue = 1 + (given["each"] - 1) * count / table.get("inst_executed")
    return {
        "xu": np.maximum(LEAST, 1 - share(count, table.get("xu_inst"))),
        "latency_shared": left_of_short_waits(table, count),
        "fma": or_else(1 + given["each"] * count / np.maximum(table.get("fma_pipe_inst"), 1.0), 1.0),
        "issue": or_else(issue, 1.0),
    }


def _matrix(table: Table, given: Given) -> Left:
    """Multiply-adds become matrix instructions: `left` of theirs remain, and `loads` of the loads of operands."""
    left, loads = np.clip(given["left"], 0.0, 1.0), np.clip(given["loads"], 0.0, 1.0)
    arithmetic = dict.fromkeys(("fma", "issue", "latency_fixed"), left)
    operands = dict.fromkeys(("lsu", "l1_shared", "l1_global", "latency_shared", "latency_memory"), loads)
    return arithmetic | operands | {"lsu": np.fmin(left * 2, loads), "latency_fixed": np.fmin(2 * left, 1.0)}


def _warpgroups(table: Table, given: Given) -> Left:
    """A group of four warps starts one matrix instruction that reads its operands from shared memory itself.

    The tensor pipe then runs at its full rate: the instructions of one warp reach at most two thirds of it (CC 9.0).
    Bulk copies bring the operands to shared memory without loads, and compute their addresses. `lookups` of the
    look-ups in L2 remain, or what tiles of 128 by 256 results ask for, if that is less: two operands of two bytes for
    each step of the sum, which serve 256 and 128 multiply-adds, of two operations each. Other arithmetic than that of
    the tensor cores stays, as the softmax between two products does.
    """
    rate = np.clip(given["rate"], 0.0, 1.0)
    started = np.clip(given["started"], 0.0, 1.0)
    tensor = or_else(share(table.get("tensor_inst"), table.get("inst_executed")), 0.0)
    issued = np.fmax(started, np.clip(useful(table) - tensor, 0.0, 1.0))
    tiles = (2 / 256 + 2 / 128) / 2 * table.get("tensor_opcode_ops") / (32 * table.get("l2_read_sectors"))
    loaded = share(table.get("l2_read_sectors"), table.get("l2_sectors"))
    pipes = {"tensor": rate, "alu": issued, "fma": left_of_fma(table, started)}
    out = dict.fromkeys((*CONTROL, "lsu", "l1_global", "latency_memory", "latency_shared", "latency_barrier"), started)
    out |= dict.fromkeys(("issue", "latency_fixed"), issued) | pipes
    # The tensor cores read one operand while they multiply another; other phases stay.
    read = dict.fromkeys(("l1_shared", "l1_global"), 0 * rate)
    return out | {
        "in_turn": turns_left(table.now.terms, {**pipes, **read}),
        "l1_shared": np.clip(given["operands"], 0.0, 1.0),
        "l2": np.clip(np.fmin(given["lookups"], 1 - loaded * (1 - np.fmin(tiles, 1.0))), 0.0, 1.0),
    }


def _constants(table: Table, given: Given) -> Left:
    """Constants are read in `left` of the requests: once for several values, or from shared memory."""
    left = np.clip(given["left"], 0.0, 1.0)
    issue = 1 - (1 - left) * or_else(np.clip(given["issued"], 0.0, 1.0), 0.0)
    waits = 1 - or_else(np.clip(given["waits"], 0.0, 1.0), 0.0)
    # A constant with a computed index waits at the short scoreboard, as shared memory and the XU pipe do.
    others = table.total("shared_inst", "xu_inst")
    short = or_else(share(table.get("ldc_inst"), table.get("ldc_inst") + others), 0.0)
    return {
        "idc": left,
        "adu": left,
        "issue": issue,
        "latency_fixed": np.fmin(issue, waits),
        "latency_shared": 1 - short * (1 - left),
    }


_ISSUED = ("issue", *PIPES)
OPERATORS = (
    Operator(
        "reconverge",
        "all lanes work, in fewer warp instructions",
        _reconverge,
        (*_ISSUED, "latency", "lsu", "l1_global"),
        {"left": "lanes_active / 32", "unknown": "lanes_active / 32", "reach": "1"},
    ),
    Operator(
        "pack_lanes",
        "blocks fill their warps",
        _pack_lanes,
        (*_ISSUED, *CONTROL, "lsu", "l1_global", "l1_shared", "l2", "latency", "block_launch"),
        {"left": "lanes_of_block / 32", "blocks": "min(1, block_size / 256)"},
    ),
    Operator(
        "scale",
        "fewer instructions in the same mix",
        _scale,
        (*_ISSUED, *CONTROL, "latency_fixed"),
        {"left": None},
    ),
    Operator(
        "remove",
        "instructions leave",
        _remove,
        (*_ISSUED, *CONTROL, "lsu", "latency_fixed", "latency_shared"),
        dict.fromkeys(
            ("instructions", "mixed", "fma", "alu", "xu", "fp64", "control", "constants", "accesses", "special"), "0"
        ),
        ("inst_executed",),
        unused="0",
    ),
    Operator(
        "no_waits",
        "waits leave that the fix removes",
        _no_waits,
        ("latency_fixed", "latency_shared", "latency_memory", "latency_barrier"),
        {"fixed": "0", "shared": "0", "memory": "0", "barrier": "0", "least": "1"},
        unused="0",
    ),
    Operator(
        "to_single",
        "fp64 arithmetic becomes fp32",
        _to_single,
        ("fp64", "xu", "issue", "fma", "latency_fixed", "dram", "l2", "l1_global", "lsu", "latency_memory"),
        reads=(
            *("dfma_inst", "dadd_inst", "dmul_inst", "inst_executed", "f64_conversion_inst"),
            *("double_seed_inst", "move_inst", "uniform_inst", "fma_pipe_inst", "fp64_inst"),
        ),
    ),
    Operator(
        "functions",
        "special functions leave the XU pipe for FMA instructions",
        _functions,
        ("xu", "fma", "alu", "issue", "latency_shared"),
        {"left": None, "each": "4"},
        ("mufu_inst", "fma_pipe_inst", "inst_executed"),
    ),
    Operator(
        "convert",
        "conversions leave the XU pipe for FMA instructions",
        _convert,
        ("xu", "latency_shared", "fma", "issue"),
        {"left": "0", "each": "1"},
        ("conversion_inst", "xu_inst", "shared_inst", "fma_pipe_inst", "inst_executed"),
    ),
    Operator(
        "matrix",
        "multiply-adds become matrix instructions",
        _matrix,
        ("fma", "issue", "latency_fixed", "lsu", "l1_shared", "l1_global", "latency_shared", "latency_memory"),
        {"left": None, "loads": None},
    ),
    Operator(
        "warpgroups",
        "four warps start one matrix instruction that reads shared memory itself",
        _warpgroups,
        (
            *("tensor", "in_turn", "issue", "fma", "alu", *CONTROL, "lsu", "l1_shared", "l1_global", "l2"),
            *("latency_memory", "latency_shared", "latency_fixed", "latency_barrier"),
        ),
        dict.fromkeys(("rate", "started", "operands", "lookups"), None),
        ("tensor_opcode_ops", "l2_read_sectors", "l2_sectors"),
    ),
    Operator(
        "constants",
        "constants are read in fewer requests",
        _constants,
        ("idc", "adu", "issue", "latency_fixed", "latency_shared"),
        {"left": None, "issued": "0", "waits": "0"},
    ),
)
