"""What part III and the annexes show of the launch: what its counters tell, or that they tell nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from advisor.records.diagnosis import LaunchDiagnosis
from advisor.session.method.kernel import (
    CACHES,
    CLOCKS,
    NO_CARD,
    NOTHING_HERE,
    UNDECIDED,
    collecting,
    known,
    looked_for,
    text,
    values,
)
from advisor.session.state import State
from advisor.view.blocks import Line
from advisor.view.numbers import amount_text, speedup_text, time_text

Here = Callable[[State, LaunchDiagnosis], list[Line]]
_SHORT_NS = 10_000.0  # under it a kernel takes about as long as its launch (launch_overhead, cuda.launch)
_SOURCES = 12


def l2(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """L2: hit rate, what was asked of it against what DRAM moved, its size, its busiest slice."""
    lines = [values(state, launch, "Hit rates", (("L2", "l2_hit_pct"), ("L1", "l1_hit_pct")))]
    loads, stores, moved = (known(launch, m) for m in ("l2_load_bytes", "l2_store_bytes", "dram_bytes"))
    if loads is not None and stores is not None and moved:
        asked = loads + stores
        sides = {"asked": amount_text(asked, "byte"), "moved": amount_text(moved, "byte")}
        told = "{asked} asked of L2, {moved} moved by DRAM: {ratio}".format(**sides, ratio=speedup_text(asked / moved))
        lines.append(Line(told, "strong", "Asked of L2"))
    else:
        lines.append(values(state, launch, "Asked of L2", (("loads", "l2_load_bytes"), ("stores", "l2_store_bytes"))))
    lines.append(values(state, launch, "L2 holds", (("", "device_l2_bytes"),)))
    focus = known(launch, "l2_slice_focus")
    if focus is not None:
        lines.append(Line(f"the busiest L2 slice serves {speedup_text(focus)} the average", "fact", "Slices"))
    return [*lines, *looked_for(state, launch, ("poor_cache_reuse", "excess_traffic"))]


def atomics(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """Atomics: how many, and how full the hottest slice is with them."""
    red, atom, need = (known(launch, m) for m in ("l2_red_sectors", "l2_atom_sectors", "atomic_need_pct"))
    lines: list[Line] = []
    if red is not None and atom is not None and red + atom == 0:
        lines.append(Line("This launch executed no global atomics."))
    elif red is not None and atom is not None:
        share = text(state, launch, "atomic_need_pct") if need is not None else "not said"
        told = (
            "{red} sectors of reductions and {atom} of atomics at L2; they fill {share} of what the "
            "busiest slice can do"
        ).format(red=f"{red:,.0f}", atom=f"{atom:,.0f}", share=share)
        lines.append(Line(told, "strong", "Atomics"))
    else:
        named = (("reductions", "l2_red_sectors"), ("atomics", "l2_atom_sectors"))
        lines.append(values(state, launch, "Atomics", named))
    lines += looked_for(state, launch, ("atomic_contention",))
    return [*lines, *collecting(launch, ("atomic_contention",))]


def tensor(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """Tensor cores: whether their instructions ran, and how busy the pipe was."""
    count = known(launch, "tensor_inst")
    if count is None:
        lines = [values(state, launch, "", (("tensor instructions", "tensor_inst"), ("pipe", "pipe_tensor_pct")))]
    elif count == 0:
        lines = [Line("No tensor instruction was executed.")]
    else:
        told = "{count} tensor instructions; the tensor pipe ran at {pct}".format(
            count=f"{count:,.0f}", pct=text(state, launch, "pipe_tensor_pct")
        )
        lines = [Line(told, "strong")]
    return [*lines, *looked_for(state, launch, ("tensor_cores_unused",))]


def phases(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """PM sampling: how far DRAM and SM activity move over the run."""
    moved = known(launch, "sampling_phases")
    if moved is None:
        return [
            Line("Nothing was sampled over time: collect the section PmSampling.", "unknown"),
            *looked_for(state, launch, ("phases_mixed",)),
        ]
    told = f"the balance of DRAM and SMs moves by {100 * moved:.0f} % over the run (100: from the one to the other)"
    return [Line(told, "fact", "Phases"), *looked_for(state, launch, ("phases_mixed",))]


def balance(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """Balance: busiest over average SM, waves, SMs active."""
    lines = []
    ratio = known(launch, "sm_active_ratio")
    if ratio is not None:
        lines.append(Line(f"the busiest SM worked {speedup_text(ratio)} the average", "strong", "Balance"))
    else:
        lines.append(values(state, launch, "Balance", (("busiest over average SM", "sm_active_ratio"),)))
    waves = known(launch, "waves")
    lines += [Line(f"{waves:.1f} waves of blocks", "fact", "Grid")] if waves is not None else []
    lines.append(values(state, launch, "SMs active", (("", "sm_active_pct"),)))
    return [*lines, *looked_for(state, launch, ("workload_imbalance", "tail_effect", "grid_too_small"))]


def replay(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """Replay: clocks and caches as the report tells them, and the trust findings that replaying can cause."""
    clocks, caches = known(launch, "clock_control"), known(launch, "cache_control")
    clock_words = "not said" if clocks is None else CLOCKS.get(clocks, "not said")
    cache_words = "not said" if caches is None else CACHES.get(caches, "not said")
    told = f"The report does not say how it was replayed; clocks {clock_words}, caches {cache_words}"
    names = ("clock_or_cache_control", "littles_law_broken", "counter_implausible", "cold_first_launch")
    return [Line(told, "fact", "Profile"), *looked_for(state, launch, names)]


def own_rules(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """Rules of one's own: how ncu's fared on this launch."""
    if not launch.ncu_rules:
        return [Line("The report holds no results of ncu's rules.", "unknown")]
    agree = sum(rule.status in ("first", "ranked", "trust", "class_same") for rule in launch.ncu_rules)
    return [
        Line(
            f"ncu's own rules said {len(launch.ncu_rules)} things of this launch; {agree} agree with what "
            "is concluded here."
        )
    ]


def python_api(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """What a script in continuous integration would keep: time, DRAM bytes, SM percentage."""
    named = (("", "duration_ns"), ("DRAM", "dram_bytes"), ("SM", "sm_throughput_pct"))
    return [values(state, launch, "What a script would keep of this launch", named)]


def mig(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """Parts of a GPU: the SMs that worked against those of the device."""
    used, all_ = known(launch, "sm_count"), known(launch, "device_sm_count")
    if used is None:
        lines = [values(state, launch, "SMs", (("", "sm_count"),))]
    elif all_ is None:
        lines = [Line(f"{used:.0f} SMs; whether the card has more the report does not say", "fact", "SMs")]
    else:
        lines = [Line(f"{used:.0f} SMs worked of {all_:.0f} that the device has", "fact", "SMs")]
    return [*lines, *looked_for(state, launch, ("mig_or_green_context",))]


def graphs(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """Graphs: whether this launch is so short that launching it counts."""
    if launch.duration_ns is None:
        return [values(state, launch, "", (("duration", "duration_ns"),))]
    told = (
        "This launch takes {time}, about as long as launching: a CUDA graph helps if there are many."
        if launch.duration_ns < _SHORT_NS
        else ("This launch takes {time}, long against the 2 to 5 us of launching: a graph gives little for it alone.")
    )
    lines = [Line(told.format(time=time_text(launch.duration_ns)))]
    return [*lines, *looked_for(state, launch, ("launch_overhead",))]


def pitfalls(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """IV: the pitfalls that show on this launch first, the others after, each with its cure."""
    shown, told = [], []
    for pitfall in state.knowledge.pitfalls:
        found = state.finding_of(pitfall.found_by) if pitfall.found_by else None
        if found is not None:
            shown += [Line(f"{pitfall.title}: {found.because}", "warning"), Line(pitfall.cure, "quiet", depth=1)]
        else:
            told.append(Line(pitfall.cure, "quiet", pitfall.title))
    checked = [p.found_by for p in state.knowledge.pitfalls if p.found_by and state.finding_of(p.found_by) is None]
    return [*shown, *looked_for(state, launch, checked), Line("Told", "strong"), *told]


def commands(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """A: what is missing, as a command."""
    if state.numbers:
        return [Line(UNDECIDED.format(title="Missing"), "unknown")]
    if not launch.missing:
        return [Line("Nothing that a rule asked for is missing.")]
    return [
        Line(
            f"{len(launch.missing)} numbers that rules asked for; /collect gives the command",
            "unknown",
            "Missing",
        )
    ]


def ridges(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """B: the ridge points of this launch's card."""
    found = [ridge for ridge in state.knowledge.ridges if ridge.gpu == launch.known_as]
    if not found:
        return [Line(NO_CARD, "unknown")]
    lines = [Line(launch.known_as, "strong")]
    return lines + [Line(f"{r.ridge:.4g} FLOP/byte", "fact", f"{r.peak.replace('_', ' ')}") for r in found]


def references(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """C: the sources that this launch's conclusions rest on."""
    keys = [key for finding in launch.findings for key in finding.cites]
    keys += [key for item in launch.verdict.evidence for key in item.cites]
    sources = list(dict.fromkeys(state.knowledge.source(key) for key in keys))[:_SOURCES]
    if not sources:
        return [Line(NOTHING_HERE, "unknown")]
    return [Line("What was concluded here rests on", "strong"), *(Line(source, "fact", depth=1) for source in sources)]


def cluster(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """D: nothing of this is in a report."""
    return [Line("This step is about the machine and the tools; a report says nothing of it.", "quiet")]


HERE: Final[dict[str, Here]] = {
    "III.l2": l2,
    "III.atomics": atomics,
    "III.tensor": tensor,
    "III.pm_sampling": phases,
    "III.balance": balance,
    "III.replay": replay,
    "III.custom_rules": own_rules,
    "III.python_api": python_api,
    "III.mig": mig,
    "III.graphs": graphs,
    "IV": pitfalls,
    "A": commands,
    "B": ridges,
    "C": references,
    "D": cluster,
}
