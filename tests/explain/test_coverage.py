"""A list against forgetting: what the sources tell in steps 2 to 5, part III and the P3 method, and the words under
which `explain` must tell it. A fact is a few words that its page must show, in any case. Part IV: test_pitfalls.py."""

from __future__ import annotations

import pytest

from advisor.explain.explain import explain
from advisor.view.pages.explain import explain_page
from advisor.view.writers.terminal import terminal_text

# What a user may type -> what the page must say.
FACTS: dict[str, list[tuple[str, tuple[str, ...]]]] = {
    "2, the limiting subsystem": [
        ("pipes", ("FMA is over 80 %", "issue slots")),
        ("FMA pipe", ("FFMA, FMUL, FADD", "IMAD")),
        ("ALU pipe", ("IADD3", "LOP3", "most moves")),
        ("XU", ("special functions", "all conversions")),
        ("tensor pipe", ("HMMA", "IMMA", "DMMA")),
        ("fp64 pipe", ("1/64", "conversions on XU")),
        ("fp64_unintended", ("0.5f", "np.float32(0.5)", "1/64")),
        ("effective GFLOP/s", ("2 x FFMA", "FADD")),
        ("effective bandwidth", ("DRAM bytes / duration",)),
        ("thresholds.dram", ("Over 75 %", "under 50 %")),
        ("shared to global ratio", ("Under 5", "5 to 20", "Over 20")),
        ("fma share", ("under 30 %", "starved")),
        ("scheduler", ("Fewer than 1 eligible warp", "not-issued")),
        ("no eligible", ("85 %",)),
        ("thresholds.no_eligible", ("30 %", "0.70")),
        ("not selected", ("latency is hidden",)),
        ("not issued", ("two counts", "costs time")),
        ("occupancy decision", ("both are low", "only achieved is low")),
        ("thresholds.occupancy", ("50 %",)),
        ("more occupancy is not always better", ("4x the occupancy", "60 % slower", "6.5x")),
        ("registers and occupancy", ("16384", "128 registers", "25 %")),
    ],
    "2, every stall reason with cause and cure": [
        ("long scoreboard", ("Remedy", "global, local, texture", "increase the loads in flight")),
        ("short scoreboard", ("MIO", "Bank conflicts", "DEPBAR")),
        ("stall wait", ("fixed number of cycles", "independent work")),
        ("barrier stall", ("__syncwarp()", "Fewer barriers")),
        ("mio throttle", ("wider shared-memory loads", "More outputs per thread")),
        ("lg throttle", ("Fewer and wider accesses", "spills")),
        ("math pipe throttle", ("compute-bound", "SM throughput is low")),
        ("tex throttle", ("Fewer fetches",)),
        ("membar", ("smallest correct scope",)),
        ("drain", ("stores", "Coalesce the stores")),
        ("branch resolving", ("Unroll",)),
        ("no instruction", ("16 bytes per instruction", "Unroll less")),
        ("imc miss", ("constant",)),
        ("dispatch stall", ("register-port conflict",)),
        ("sleeping", ("__nanosleep()",)),
        ("gmma", ("Two accumulators",)),
    ],
    "3, formulas and worked numbers": [
        ("sector waste", ("75 %", "4x slower", "20 %", "1.25x", "float4")),
        ("traffic overhead", ("above 2",)),
        ("conflict speedup", ("f = 0.6 and n = 3", "1.67x")),
        ("n-way", ("4 ideal and 32 actual", "28 in excess")),
        ("ideal wavefronts", ("LDS.128 needs 4",)),
        ("memory instructions per FMA", ("0.25", "0.0625")),
        ("latency by level", ("36 cycles from L1", "700 from DRAM", "200 to 500")),
        ("stall share", ("92.7 of 102.5", "90.4 %", "75.9 %")),
        ("divergence waste", ("24 lanes", "25 % wasted", "1.33x")),
        ("spill cost", ("40 to 100 cycles", "prologue")),
        ("worth a fix", ("1.05",)),
        ("step 3", ("less than 5 %",)),
        ("false positives", ("LDGSTS", "prologue or epilogue", "details page")),
        ("conflict counter", ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared", "arbitration")),
        ("littles law warps", ("6.8 cycles", "16.0 warps")),
    ],
    "4, source and SASS": [
        (
            "structure of machine code",
            ("Prologue", "per warp and iteration", "BRA to an earlier label", "LDGSTS, STS, BAR, LDS and FFMA"),
        ),
        ("loop iterations", ("executions / warps", "ceil(threads per block / 32)")),
        ("LDS.128", ("shared load", "128")),
        ("LDG.E.128", ("global load", "64-bit address")),
        ("LDGSTS", ("cp.async",)),
        ("LDL", ("local",)),
        ("LDC", ("constant",)),
        ("S2R", ("special register",)),
        ("CS2R", ("clock",)),
        ("DEPBAR", ("asynchronous",)),
        ("SHFL", ("shuffle",)),
        ("PRMT", ("swizzle",)),
        ("MUFU", ("XU",)),
        ("predicates and suffixes", ("@P0", ".E means a 64-bit address", ".128")),
        ("predicates", ("still uses an issue slot", "shared-memory")),
        ("address to index", ("IMAD.WIDE, LEA or IADD3", "base register")),
        ("errata.address_pattern", ("IMAD.WIDE",)),
        ("who carries a stall", ("stalled instruction", "scoreboard", "compiler's barriers")),
        ("live registers", ("peak", "spills start")),
        ("divergence in machine code", ("BSSY opens", "28 to 31", "under 16")),
        ("step 4", ("hypothesis", "excess L2 sectors", "base register", "LDL and STL")),
        ("4F", ("regular expression", "by value", "save column sets", "inlined", "PTX", "code motion")),
    ],
    "5, a fix for each cause with its trade-off": [
        ("uncoalesced_access", ("Cost", "struct of arrays", "shared memory")),
        ("bank_conflicts", ("Cost", "Pad", "tile[32][33]")),
        ("lsu_saturation", ("Cost", "4 by 4 or 8 by 8")),
        ("memory_latency", ("Cost", "cp.async")),
        ("low_occupancy_registers", ("Cost", "__launch_bounds__")),
        ("branch_divergence", ("Cost", "Sort or bin")),
        ("register_spilling", ("Cost",)),
        ("register tiles", ("8 x 8", "registers")),
        ("double buffering", ("cp.async",)),
        ("5b", ("block size", "shared-memory carveout", "register cap")),
    ],
    "III": [
        ("l2 hit rate", ("sectors that L1 reads from L2", "exceeds L2", "50 MB on H100", "-dlcm=cg")),
        ("streaming", ("__ldcs", "persisting")),
        ("atomics hierarchy", ("one atomic per warp", "one entry per block")),
        ("atomics", ("one fp32 addition per three L2 cycles", "shuffles", "one atomic per block", "Histograms")),
        ("tensor cores", ("HMMA", "IMMA", "DMMA", "HGMMA", "cuBLAS", "295", "memory-bound")),
        ("wgmma", ("sm_90a", "four warps")),
        ("pm sampling", ("describes neither", "different kernel runs", "long scoreboard comes first")),
        ("phases", ("PmSampling_WarpStates",)),
        ("phases_mixed", ("An average over a loading and a computing phase",)),
        ("load balance", ("1.11", "1.015", "1.2 or more", "persistent grid")),
        ("tails", ("partial last wave",)),
        ("replay", ("pass",)),
        (
            "replay modes",
            (
                "saves the memory that the launch writes and restores it",
                "--replay-mode application",
                "--replay-mode range",
                "--replay-mode app-range",
                "hang",
            ),
        ),
        ("range replay", ("2025.1", "concurrent")),
        (
            "custom rules",
            ("get_identifier and apply", "NvRules.get_context(handle)", "--section-folder", "MsgType_MSG_WARNING"),
        ),
        ("custom section", ("MetricDefinitions", "Expression", "Identifier")),
        ("python api", ("load_report", "range_by_idx", "gpu__time_duration.sum")),
        (
            "ci metrics",
            ("dram__bytes_read.sum", "sm__throughput.avg.pct_of_peak_sustained_elapsed", "--fail-on", "junit"),
        ),
        ("mig", ("TPC mask", "Percentages refer to the part", "2025.1")),
        ("green context", ("without MIG or MPS",)),
        ("graph", ("--graph-profiling node", "--graph-profiling graph", "no instruction-level metrics", "gaps")),
    ],
    "P3, knowledge": [
        ("p3 bands", ("five units with the highest utilisation", "Over 80 %", "Under 60 %", "both")),
        ("p3 clusters", ("within 10 points", "interface between them")),
        ("ceiling 95", ("95 % is the practical maximum",)),
        ("headroom", ("90 /", "1.8x")),
        ("thresholds.hit_rates", ("Over 90 %", "70 to 90 %")),
        ("thresholds.sm_active", ("95 %", "90 %")),
        ("p3 active", ("over 80 %", "under 60 %", "more warps")),
        ("block size", ("Under 64 threads", "128 or 256")),
        ("hungriest branch", ("path that needs the most",)),
        ("batched loads", ("Two to four", "unroll", "Clamp an index", "Predicate off", "0.54 to 0.42")),
        ("divide and conquer", ("profile again", "may not help the real one")),
        ("pipeline drains", ("idle",)),
        ("front end idle", ("CPU",)),
        ("raster output bound", ("CROP", "ZROP", "format")),
        ("primitive distributor bound", ("indices", "16")),
        ("vertex fetch bound", ("attributes",)),
        ("texture interface bound", ("interface",)),
        ("texture latency bound", ("fetch",)),
        ("screen-space reflections", ("54.6 %",)),
        ("tiled lighting", ("70.4", "67.5")),
        ("shadow map", ("31.6 %",)),
        ("ray marching", ("0.33",)),
        ("blur", ("94.5",)),
        ("motion blur", ("0.75 to 0.62",)),
        ("ambient occlusion", ("93.4 %",)),
    ],
}
CASES = [(part, words, facts) for part, cases in FACTS.items() for words, facts in cases]


@pytest.mark.parametrize(("words", "facts"), [case[1:] for case in CASES], ids=[f"{p}: {w}" for p, w, _ in CASES])
def test_the_fact_is_told_where_a_user_asks_for_it(words: str, facts: tuple[str, ...]) -> None:
    found = explain(words)
    text = " ".join(terminal_text(explain_page(found), width=120).casefold().split())
    missing = [fact for fact in facts if " ".join(fact.casefold().split()) not in text]
    assert missing == [], f"{words!r} led to {found.kind} {found.id}"
    assert found.kind != "search", f"{words!r} finds no page of its own"


def test_no_words_are_listed_twice() -> None:
    words = [case[1] for case in CASES]
    assert sorted(words) == sorted(set(words))
