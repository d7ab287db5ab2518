"""The content of each step of the method for the current launch: from its diagnosis, the answers and the log."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import Final

from msgspec import structs

from advisor.hardware import gpus
from advisor.knowledge.texts import within_sentence
from advisor.knowledge.units import most_of, unit_name
from advisor.records.diagnosis import Finding, LaunchDiagnosis, is_settled, main_finding
from advisor.session.cards import NOTHING_MISSING
from advisor.session.experiments.versions import log_blocks
from advisor.session.state import State, is_end
from advisor.session.views import where
from advisor.view.blocks import Line, in_lines
from advisor.view.charts.roofline import mix_roof
from advisor.view.numbers import (
    amount_text,
    counted,
    estimate_text,
    rate_text,
    short_gain_text,
    speedup_text,
    time_text,
)
from advisor.view.pages.launch import bound_phrase, quantity_text
from advisor.view.pages.over_run import phase_facts
from advisor.view.text import sentence

NOTHING_TO_GAIN: Final = "No cause with a gain was found on this launch."
NO_SOURCE_TYPED: Final = "Typed numbers have no instructions: open a report with source counters."
OPEN_SOURCE: Final = "/source shows the hot lines and instructions."
NO_GPU: Final = "The GPU of this launch is not in the table, and its attributes are unknown: so are its ridge points."
DERIVED: Final = "This GPU is not in the table: its peaks are derived from the report's attributes."
Named = tuple[str, str]  # a short name and the metric
Here = Callable[[State, LaunchDiagnosis], list[Line]]
# Units shown after a number; the name of a count already states its unit.
_UNITS = ("%", "byte", "byte/s", "ns", "us", "s", "Hz", "FLOP", "bool")

# The terms of a launch's arithmetic, and the peaks of a GPU to compare them with.
_KINDS: Final = (
    ("fp32_flop", ("fp32",)),
    ("fp64_flop", ("fp64",)),
    ("half_flop", ("fp16",)),
    ("tensor_inst", ("tf32_tensor", "fp16_tensor", "fp64_tensor")),
)
_PIPES: Final = (
    *("pipe_fma_pct", "pipe_alu_pct", "pipe_fp64_pct", "pipe_xu_pct", "pipe_tensor_pct"),
    *("lsu_pct", "adu_pct"),
)
_STALLS: Final = (
    *("long_scoreboard", "short_scoreboard", "lg_throttle", "mio_throttle", "math_pipe_throttle", "barrier", "wait"),
    *("tex_throttle", "no_instruction", "branch_resolving", "dispatch_stall", "drain", "imc_miss", "membar"),
    "sleeping",
)
_ADVICE: Final = {
    "advice.maybe": "below 10 %, stopping is also reasonable",
    "advice.floor": "the time is near the minimum that the algorithm's bytes need, so stop",
    "advice.launch": "no change inside the kernel matters, so launch it less often",
}
_MOST = 6
_SHORT_NS: Final = 10_000.0  # below it a kernel takes about as long as its launch (launch_overhead, cuda.launch)
_SOURCES: Final = 12
_CLOCKS: Final = {1.0: "locked by ncu", 0.0: "not locked"}
_CACHES: Final = {1.0: "flushed before each pass", 0.0: "left as they were"}


def known(launch: LaunchDiagnosis, metric: str) -> float | None:
    """Return the metric's value; None if it is unknown."""
    value = launch.metrics.get(metric)
    return float(value) if value is not None and math.isfinite(value) else None


def unknown(text: str, label: str = "") -> Line:
    """Return a line for an unknown value."""
    return Line(text, "unknown", label)


def text(state: State, launch: LaunchDiagnosis, metric: str) -> str:
    """Return the metric's value with its unit, or the word unknown."""
    unit = state.knowledge.unit(metric) or ""
    return amount_text(known(launch, metric), unit if unit in _UNITS else "")


def values(state: State, launch: LaunchDiagnosis, label: str, named: Iterable[Named], most: int = 0) -> Line:
    """Return the numbers in one line, unknown ones last. most: show only this many of the largest known ones."""
    pairs = tuple(named)
    have = [(name, metric, value) for name, metric in pairs if (value := known(launch, metric)) is not None]
    limits = {metric: whole for _, metric in pairs if (whole := most_of(launch.metrics, metric)) is not None}
    lack = [name or metric for name, metric in pairs if known(launch, metric) is None and metric not in limits]
    if most:
        have = sorted(have, key=lambda item: -item[2])[:most]
    parts = [f"{name} {text(state, launch, metric)}".strip() for name, metric, _ in have]
    parts += [f"{name} at most {limits[metric]:.0f} %" for name, metric in pairs if metric in limits]
    if lack and not (most and have):
        parts.append(f"unknown: {', '.join(lack)}")
    return Line(", ".join(parts), "fact" if have or limits else "unknown", label)


def looked_for(state: State, launch: LaunchDiagnosis, names: Iterable[str]) -> list[Line]:
    """Return a line for each finding: found, checked without result, or not decidable."""
    lines = []
    for name in names:
        title = state.knowledge.title(name)
        found = state.finding_of(name)
        lacking = [item.metric for item in launch.missing if name in item.needed_for]
        asked = [question.ask for question in launch.questions if name in question.would_change]
        if found is not None:
            shown = f"{found.title}: {found.because}" if found.because else found.title
            lines.append(Line(shown, "warning" if found.kind == "trust" else "strong"))
        elif lacking:
            lines.append(unknown(f"{title}: could not be checked, unknown: {', '.join(lacking[:4])}"))
        elif asked:
            lines.append(unknown(f"{title}: depends on your answer: {asked[0]}"))
        elif not launch.metrics or launch.verdict.id == "undetermined" or state.numbers:
            # With typed numbers, the set of rules that had all their metrics is unknown.
            lines.append(unknown(f"{title}: not decided by these numbers"))
        else:
            lines.append(Line(f"{title}: checked, does not apply", "quiet"))
    return lines


def collecting(launch: LaunchDiagnosis, findings: Iterable[str] = ()) -> list[Line]:
    """Return the commands that collect missing metrics; if findings are given, only the metrics of those."""
    wanted = set(findings)
    commands = [m.collect for m in launch.missing if m.collect and (not wanted or wanted & set(m.needed_for))]
    return [Line(f"Collect it with: {c}", "quiet") for c in dict.fromkeys(commands)]


# One function per step, as HERE lists them: P0 to 6b, part III and the annexes
def _build(state: State, launch: LaunchDiagnosis) -> list[Line]:
    lines = looked_for(state, launch, ("debug_build", "line_info_missing", "register_spilling"))
    named = (("registers per thread", "registers_per_thread"), ("stack bytes", "stack_bytes"), ("spills", "spill_inst"))
    return [*lines, values(state, launch, "Now", named)]


def _napkin(state: State, launch: LaunchDiagnosis) -> list[Line]:
    cards = [card for card in state.cards if card.kind == "napkin"]
    lines = [line for card in cards if card.position == state.position for line in card.lines]
    lines += _expected(state, launch)
    if lines and cards:
        return lines
    given = [(state.answer(name), unit) for name, unit in (("theoretical_bytes", "byte"), ("theoretical_flop", "FLOP"))]
    parts = [amount_text(float(value), unit) for value, unit in given if value]
    if not parts:
        text = "No napkin math yet: a report cannot show what the algorithm needs. /goto 0 estimates it."
        return [*lines, unknown(text)]
    lines.append(Line(f"by your answers: {', '.join(parts)}", "fact", "Needed"))
    return [*lines, *_minimum_time(state, launch)]


def _expected(state: State, launch: LaunchDiagnosis) -> list[Line]:
    bound = next((b for p, b in reversed(state.expected) if p in (state.position, None)), None)
    if bound is None:
        return []
    return [Line(f"{bound}. Actual: {launch.verdict.title}", "fact", "Your prediction")]


def _minimum_time(state: State, launch: LaunchDiagnosis) -> list[Line]:
    least, peak = state.answer("theoretical_bytes"), known(launch, "dram_peak_bytes_per_s")
    if not isinstance(least, float | int) or not peak or not launch.duration_ns:
        return []
    rate = peak * (known(launch, "dram_achievable_pct") or 100.0) / 100
    minimum = least / rate * 1e9
    if minimum <= 0:
        return []
    shown = (
        f"{amount_text(minimum, 'ns')} for the bytes at the achievable DRAM rate ({amount_text(rate, 'byte/s')}); "
        f"measured {time_text(launch.duration_ns)}, {speedup_text(launch.duration_ns / minimum)} the minimum"
    )
    return [Line(shown, "strong", "Minimum time")]


def _variants(state: State, launch: LaunchDiagnosis) -> list[Line]:
    done = [c for c in state.cards if c.finding == "variants" and c.position == state.position and c.kind == "evidence"]
    text = "Unknown: the times of the whole kernel, of its memory accesses alone and of its arithmetic alone."
    return list(done[-1].lines) if done else [unknown(text)]


def _classify(state: State, launch: LaunchDiagnosis) -> list[Line]:
    verdict = launch.verdict
    lines = [Line(verdict.title, "strong", "Class")]
    lines += [Line(sentence(verdict.because))] if verdict.because else []
    for label in ("compute_leader", "memory_leader"):
        metric = launch.labels.get(label, "")
        if known(launch, metric) is not None:
            shown = f"{unit_name(metric)} at {text(state, launch, metric)}"
            lines.append(Line(shown, "fact", "Top unit"))
    lines += _expected(state, launch)
    lines += [Line(rule.message, "quiet", "ncu says") for rule in launch.ncu_rules if rule.leading][:1]
    lines += [Line(f"{f.title}: {f.because}", "warning") for f in launch.findings if f.kind == "trust"]
    return lines + (collecting(launch) if verdict.id == "undetermined" else [])


def _roofline(state: State, launch: LaunchDiagnosis) -> list[Line]:
    lines = [values(state, launch, "Intensity", (("", "intensity"),))]
    lines.append(values(state, launch, "Reached", (("", "gflop_per_s"), ("GFLOP/s, DRAM at", "dram_pct"))))
    at = known(launch, "intensity")
    if at is not None and at <= 0:
        text = "No floating-point work was counted, so the point has no height: use the DRAM utilisation instead."
        return [*lines, Line(text, "quiet")]
    used = {peak for metric, peaks in _KINDS if (known(launch, metric) or 0) > 0 for peak in peaks}
    roofs = {peak: ridge for peak, ridge in _ridge_points(state, launch).items() if peak in used}
    for peak, ridge in roofs.items() if at is not None else ():
        side = "left of" if at is not None and at < ridge else "right of"
        name = peak.replace("_", " ")
        lines.append(Line(f"{name}: ridge at {ridge:.3g} FLOP/byte, this launch is {side} it", "fact", "Roofs"))
    if not roofs:
        lines.append(unknown(NO_GPU))
    elif not launch.known_as:
        lines.append(Line(DERIVED, "quiet"))
    mix = mix_roof(launch)
    if mix is not None:
        ceiling = f"{mix.name}: at most {rate_text(mix.rate, 'FLOP/s')}, {100 * mix.share:.0f} % of the peak"
        lines.append(Line(ceiling, "fact", "Instruction mix"))
        lines += [Line(mix.reached_text(), "fact", " ")] if mix.reached is not None else []
    return [*lines, *(collecting(launch) if at is None else [])]


def _subsystem(state: State, launch: LaunchDiagnosis) -> list[Line]:
    lines = [values(state, launch, "Pipes", [(unit_name(m), m) for m in _PIPES], 4)]
    units = (("DRAM", "dram_pct"), ("L2", "l2_pct"), ("L1 wavefronts", "l1_wavefronts_pct"))
    lines.append(values(state, launch, "Memory", units))
    issue = (("issue active", "issue_active"), ("eligible warps", "eligible_warps"), ("lanes active", "lanes_active"))
    lines.append(values(state, launch, "Scheduler", issue))
    lines.append(values(state, launch, "Stalls", [(s.replace("_", " "), f"stall_{s}_pct") for s in _STALLS], 3))
    lines.append(values(state, launch, "Shared to global", (("", "shared_to_global_requests"),)))
    warps = (("achieved", "occupancy_achieved_pct"), ("theoretical", "occupancy_theoretical_pct"))
    lines.append(values(state, launch, "Occupancy", warps))
    capped = launch.labels.get("occupancy_limiter", "")
    if capped:
        lines.append(Line(f"limited by {capped.replace('_', ' ')}", "fact", " "))
    first = main_finding(launch)
    if first is not None and first.kind == "diagnosis":
        lines.append(Line(f"{first.title}: {first.because}", "strong"))
    return lines


def _memory_chart(state: State, launch: LaunchDiagnosis) -> list[Line]:
    rows = (
        ("DRAM", (("read", "dram_read_bytes"), ("written", "dram_write_bytes"), ("busy", "dram_pct"))),
        ("L2 and L1", (("to L1", "l2_load_bytes"), ("from L1", "l2_store_bytes"), ("hits", "l2_hit_pct"))),
        ("L1", (("hits", "l1_hit_pct"), ("wavefronts", "l1_wavefronts_pct"))),
        ("Shared", (("wavefronts", "shared_wavefronts"), ("times their ideal", "shared_wavefront_ratio"))),
        ("Local", (("sectors", "local_sectors"), ("share of memory time", "local_share"))),
    )
    return [values(state, launch, label, named) for label, named in rows]


def _quantify(state: State, launch: LaunchDiagnosis) -> list[Line]:
    lines: list[Line] = []
    for finding in _causes(launch):
        if finding.speedup is None:
            bound = launch.bound_of(finding.id)
            known_by = "no estimate from what is known" if bound is None else f"no estimate; {bound_phrase(bound)}"
            lines.append(unknown(f"{finding.title}: {known_by}"))
            continue
        gain = finding.speedup
        lines.append(Line(f"{finding.title}: {estimate_text(gain)}", "strong"))
        lines += [Line(sentence(gain.how), "quiet", depth=1)] if gain.how else []
    if launch.budget is not None:
        lines.append(Line(estimate_text(launch.budget.together), "fact", "All together"))
    formulas = [Line(quantity_text(q), "fact", "Formula" if at == 0 else " ") for at, q in enumerate(launch.quantities)]
    if lines or formulas:
        return [*lines, *formulas]
    return [Line(NOTHING_TO_GAIN, "unknown" if launch.verdict.id == "undetermined" else "text")]


def _causes(launch: LaunchDiagnosis) -> list[Finding]:
    return [f for f in launch.findings if f.kind == "diagnosis" and not is_end(f) and f.id != "unexplained"]


def _locate(state: State, launch: LaunchDiagnosis) -> list[Line]:
    if state.numbers:
        return [unknown(NO_SOURCE_TYPED)]
    lines: list[Line] = []
    unread: dict[str, list[str]] = {}
    for finding in launch.findings:
        found = where(state, finding)
        if found and found[0].style == "unknown":
            unread.setdefault(found[0].text, []).append(finding.title)
        else:
            lines += [structs.replace(line, label=finding.title if at == 0 else " ") for at, line in enumerate(found)]
    lines += [unknown(f"{', '.join(t)}: {why}") for why, t in unread.items()]
    if not lines:
        lines = [
            unknown("No finding of this launch points to a line of code."),
            Line(OPEN_SOURCE),
        ]
    return [*lines, *looked_for(state, launch, ("line_info_missing",))]


def _features(state: State, launch: LaunchDiagnosis) -> list[Line]:
    if state.numbers:
        return [unknown(NO_SOURCE_TYPED)]
    return [Line(OPEN_SOURCE), values(state, launch, "Samples", (("", "pc_samples"),))]


def _fix(state: State, launch: LaunchDiagnosis) -> list[Line]:
    lines = []
    for finding in launch.findings[:_MOST]:
        if finding.fix is None or finding.kind == "note":
            continue
        gain = f" ({short_gain_text(finding.speedup)})" if finding.speedup is not None else ""
        lines.append(Line(f"{finding.fix.summary}{gain}", "strong", finding.title))
        lines += [Line(sentence(finding.fix.costs), "quiet", "Cost", 1)] if finding.fix.costs else []
    first = main_finding(launch)
    if first is not None and is_settled(launch, first):
        lines.insert(0, Line("The kernel is near the limit of the GPU: stop, or reduce its work.", "strong"))
    elif first is not None and is_end(first):
        lines.insert(0, unknown("The kernel is possibly near the limit of the GPU; the evidence is thin."))
    return lines or [unknown("No fix follows from what is known.")]


def _sweep(state: State, launch: LaunchDiagnosis) -> list[Line]:
    named = (
        ("block", "block_size"),
        ("registers", "registers_per_thread"),
        ("shared bytes", "shared_bytes_per_block"),
        ("occupancy", "occupancy_theoretical_pct"),
    )
    lines = [values(state, launch, "Now", named)]
    capped = launch.labels.get("occupancy_limiter", "")
    lines += [Line(f"limited by {capped.replace('_', ' ')}", "fact", "Occupancy")] if capped else []
    practice = [f.fix.practice for f in launch.findings if f.fix is not None and f.fix.practice]
    kernel = f" --kernel '^{name}$'" if re.fullmatch(r"\w+", name := launch.kernel) else ""
    known_ones = [name for name in dict.fromkeys(practice) if name in state.knowledge.exercises]
    lines += [Line(f"ncu-advisor practice sweep {name}", "fact", "Sweep") for name in known_ones[:2]]
    return [*lines, Line(f"ncu-advisor sweep --over BLOCK=64,128,256 --build … --run …{kernel}", "fact", "Your code")]


def _again(state: State, launch: LaunchDiagnosis) -> list[Line]:
    text = "No second version yet: change the code, measure again, and open the new report (/compare REPORT)."
    return [*(in_lines(log_blocks(state)) or [unknown(text)]), _advice(launch)]


def _advice(launch: LaunchDiagnosis) -> Line:
    """Return what the rules advise after the first finding (knowledge/quantification/advice.yaml)."""
    first = main_finding(launch)
    advised = launch.advice
    if first is None or advised is None or advised.kind == "look":
        return unknown(NOTHING_TO_GAIN)
    if is_settled(launch, first):
        return Line(f"{first.title}: stop here.", "strong")
    if is_end(first):
        return unknown(
            f"Possibly {within_sentence(first.title)}: look at what is missing or uncertain before stopping."
        )
    if first.speedup is None:
        return unknown("The next fix has no estimate: try it, and compare the times.")
    advice = _ADVICE.get(advised.id, "continue")
    return Line(f"The next fix is estimated at {short_gain_text(first.speedup)} ({first.title}): {advice}.", "strong")


def _baselines(state: State, launch: LaunchDiagnosis) -> list[Line]:
    if not state.earlier:
        return [unknown("There is only one version, so there is nothing to compare.")]
    lines = []
    for former, name in (*state.earlier, (launch, state.experiments[-1].version if state.experiments else "")):
        shown = f"{former.kernel}, {time_text(former.duration_ns)}, {former.verdict.title}"
        lines.append(Line(shown, "fact", f"Version {name}"))
    return lines


def _l2(state: State, launch: LaunchDiagnosis) -> list[Line]:
    lines = [values(state, launch, "Hit rates", (("L2", "l2_hit_pct"), ("L1", "l1_hit_pct")))]
    loads, stores, moved = (known(launch, m) for m in ("l2_load_bytes", "l2_store_bytes", "dram_bytes"))
    if loads is not None and stores is not None and moved:
        asked = loads + stores
        sides = {"asked": amount_text(asked, "byte"), "moved": amount_text(moved, "byte")}
        shown = f"{sides['asked']} requested from L2, {sides['moved']} moved by DRAM: {speedup_text(asked / moved)}"
        lines.append(Line(shown, "strong", "L2 traffic"))
    else:
        lines.append(values(state, launch, "L2 traffic", (("loads", "l2_load_bytes"), ("stores", "l2_store_bytes"))))
    lines.append(values(state, launch, "L2 size", (("", "device_l2_bytes"),)))
    focus = known(launch, "l2_slice_focus")
    if focus is not None:
        lines.append(Line(f"the busiest L2 slice serves {speedup_text(focus)} the average", "fact", "Slices"))
    return [*lines, *looked_for(state, launch, ("poor_cache_reuse", "excess_traffic"))]


def _atomics(state: State, launch: LaunchDiagnosis) -> list[Line]:
    red, atom, need = (known(launch, m) for m in ("l2_red_sectors", "l2_atom_sectors", "atomic_need_pct"))
    lines: list[Line] = []
    if red is not None and atom is not None and red + atom == 0:
        lines.append(Line("This launch executed no global atomics."))
    elif red is not None and atom is not None:
        share = text(state, launch, "atomic_need_pct") if need is not None else "unknown"
        shown = (
            f"{red:,.0f} sectors of reductions and {atom:,.0f} of atomics at L2; at three cycles each "
            f"they would use {share} of the busiest slice"
        )
        lines.append(Line(shown, "strong", "Atomics"))
    else:
        named = (("reductions", "l2_red_sectors"), ("atomics", "l2_atom_sectors"))
        lines.append(values(state, launch, "Atomics", named))
    lines += looked_for(state, launch, ("atomic_contention",))
    return [*lines, *collecting(launch, ("atomic_contention",))]


def _tensor(state: State, launch: LaunchDiagnosis) -> list[Line]:
    count = known(launch, "tensor_inst")
    if count is None:
        lines = [values(state, launch, "", (("tensor instructions", "tensor_inst"), ("pipe", "pipe_tensor_pct")))]
    elif count == 0:
        lines = [Line("No tensor instruction was executed.")]
    else:
        shown = f"{count:,.0f} tensor instructions; the tensor pipe ran at {text(state, launch, 'pipe_tensor_pct')}"
        lines = [Line(shown, "strong")]
        if known(launch, "tensor_ops"):
            lines.append(values(state, launch, "", (("matrix operations by their shapes", "tensor_ops"),)))
    return [*lines, *looked_for(state, launch, ("tensor_cores_unused",))]


def _phases(state: State, launch: LaunchDiagnosis) -> list[Line]:
    moved, sampling = known(launch, "sampling_phases"), launch.sampling
    lines = []
    if moved is not None:
        shown = f"the balance between DRAM and SMs shifts by {100 * moved:.0f} % over the run (100: completely)"
        lines.append(Line(shown, "fact", "Balance"))
    if sampling is not None:
        lines += [Line(row.text, "fact", row.label) for row in phase_facts(sampling).rows]
    lines = lines or [unknown("Nothing was sampled over time: collect the section PmSampling.")]
    return [*lines, *looked_for(state, launch, ("phases_mixed",))]


def _balance(state: State, launch: LaunchDiagnosis) -> list[Line]:
    lines = []
    ratio = known(launch, "sm_active_ratio")
    if ratio is not None:
        lines.append(Line(f"the busiest SM works {speedup_text(ratio)} the average", "strong", "Balance"))
    else:
        lines.append(values(state, launch, "Balance", (("busiest over average SM", "sm_active_ratio"),)))
    waves = known(launch, "waves")
    lines += [Line(f"{waves:.1f} waves of blocks", "fact", "Grid")] if waves is not None else []
    lines.append(values(state, launch, "SMs active", (("", "sm_active_pct"),)))
    return [*lines, *looked_for(state, launch, ("workload_imbalance", "tail_effect", "grid_too_small"))]


def _replay(state: State, launch: LaunchDiagnosis) -> list[Line]:
    clocks, caches = known(launch, "clock_control"), known(launch, "cache_control")
    clock_words = "unknown" if clocks is None else _CLOCKS.get(clocks, "unknown")
    cache_words = "unknown" if caches is None else _CACHES.get(caches, "unknown")
    shown = f"The report does not show the replay mode; clocks {clock_words}, caches {cache_words}"
    names = ("clock_or_cache_control", "littles_law_broken", "counter_implausible", "cold_first_launch")
    return [Line(shown, "fact", "Profile"), *looked_for(state, launch, names)]


def _own_rules(state: State, launch: LaunchDiagnosis) -> list[Line]:
    if not launch.ncu_rules:
        return [unknown("No results of ncu's rules are known.")]
    agree = sum(rule.here.status in ("first", "ranked", "trust", "class_same") for rule in launch.ncu_rules)
    return [Line(f"ncu's own rules have {len(launch.ncu_rules)} results; {agree} agree with this diagnosis.")]


def _python_api(state: State, launch: LaunchDiagnosis) -> list[Line]:
    named = (("", "duration_ns"), ("DRAM", "dram_bytes"), ("SM", "sm_throughput_pct"))
    return [values(state, launch, "Values that a script can read for this launch", named)]


def _mig(state: State, launch: LaunchDiagnosis) -> list[Line]:
    used, all_ = known(launch, "sm_count"), known(launch, "device_sm_count")
    if used is None:
        lines = [values(state, launch, "SMs", (("", "sm_count"),))]
    elif all_ is None:
        lines = [Line(f"{counted(round(used), 'SM')}; whether the GPU has more is unknown", "fact", "SMs")]
    else:
        lines = [Line(f"{used:.0f} of the {all_:.0f} SMs of the device were used", "fact", "SMs")]
    return [*lines, *looked_for(state, launch, ("mig_or_green_context",))]


def _graphs(state: State, launch: LaunchDiagnosis) -> list[Line]:
    if launch.duration_ns is None:
        return [values(state, launch, "", (("duration", "duration_ns"),))]
    time = f"This launch takes {time_text(launch.duration_ns)}"
    shown = (
        f"{time}, about as long as the launch overhead: a CUDA graph helps if there are many such launches."
        if launch.duration_ns < _SHORT_NS
        else f"{time}, much longer than the launch overhead of 2–5 µs: a CUDA graph saves little for this launch alone."
    )
    lines = [Line(shown)]
    return [*lines, *looked_for(state, launch, ("launch_overhead",))]


def _pitfalls(state: State, launch: LaunchDiagnosis) -> list[Line]:
    shown, others = [], []
    for pitfall in state.knowledge.pitfalls:
        found = state.finding_of(pitfall.found_by) if pitfall.found_by else None
        if found is not None:
            shown += [Line(f"{pitfall.title}: {found.because}", "warning"), Line(pitfall.cure, "quiet", depth=1)]
        else:
            others.append(Line(pitfall.cure, "quiet", pitfall.title))
    checked = [p.found_by for p in state.knowledge.pitfalls if p.found_by and state.finding_of(p.found_by) is None]
    return [*shown, *looked_for(state, launch, checked), Line("All other pitfalls", "strong"), *others]


def _commands(state: State, launch: LaunchDiagnosis) -> list[Line]:
    if state.numbers:
        return [unknown("Missing: not decided by these numbers")]
    if not launch.missing:
        return [Line(NOTHING_MISSING)]
    return [unknown(f"{counted(len(launch.missing), 'metric')} that rules need; /collect shows the command", "Missing")]


def _ridges(state: State, launch: LaunchDiagnosis) -> list[Line]:
    found = _ridge_points(state, launch)
    if not found:
        return [unknown(NO_GPU)]
    lines = [Line(launch.known_as or launch.gpu_name, "strong")]
    lines += [Line(f"{ridge:.4g} FLOP/byte", "fact", peak.replace("_", " ")) for peak, ridge in found.items()]
    return lines if launch.known_as else [*lines, Line(DERIVED, "quiet")]


def _ridge_points(state: State, launch: LaunchDiagnosis) -> dict[str, float]:
    """Return the ridge points of a launch's GPU by peak: of the table, else derived from the report's attributes."""
    listed = {one.peak: one.ridge for one in state.knowledge.ridges if one.gpu == launch.known_as}
    if listed:
        return listed
    card, _, _ = gpus.resolve(launch.metrics, launch.gpu_name, launch.cc)
    return {peak: ridge for peak in card.peaks if (ridge := card.ridge(peak)) is not None}


def _references(state: State, launch: LaunchDiagnosis) -> list[Line]:
    keys = [key for finding in launch.findings for key in finding.cites]
    keys += [key for item in launch.verdict.evidence for key in item.cites]
    sources = list(dict.fromkeys(state.knowledge.source(key) for key in keys))[:_SOURCES]
    if not sources:
        return [unknown("No sources: there is no conclusion.")]
    return [Line("Sources of the conclusions", "strong"), *(Line(source, "fact", depth=1) for source in sources)]


def _cluster(state: State, launch: LaunchDiagnosis) -> list[Line]:
    return [Line("This step is about the machine and the tools: a report does not contain it.", "quiet")]


HERE: Final[dict[str, Here]] = {
    "P0": _build,
    "0": _napkin,
    "0b": _variants,
    "1": _classify,
    "1b": _roofline,
    "2": _subsystem,
    "2b": _memory_chart,
    "3": _quantify,
    "4": _locate,
    "4F": _features,
    "5": _fix,
    "5b": _sweep,
    "6": _again,
    "6b": _baselines,
    "III.l2": _l2,
    "III.atomics": _atomics,
    "III.tensor": _tensor,
    "III.pm_sampling": _phases,
    "III.balance": _balance,
    "III.replay": _replay,
    "III.custom_rules": _own_rules,
    "III.python_api": _python_api,
    "III.mig": _mig,
    "III.graphs": _graphs,
    "IV": _pitfalls,
    "A": _commands,
    "B": _ridges,
    "C": _references,
    "D": _cluster,
}
