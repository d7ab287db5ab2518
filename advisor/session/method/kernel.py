"""What the numbered steps (and P0) show of the launch: read off its diagnosis, its answers and the log."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from advisor.reasoning.enrich import unit_name
from advisor.records.diagnosis import Finding, LaunchDiagnosis
from advisor.session.experiments.versions import log_blocks
from advisor.session.state import State, is_end, main_finding
from advisor.session.views import where
from advisor.view.blocks import Line, in_lines
from advisor.view.numbers import amount_text, estimate_text, short_gain_text, speedup_text, time_text
from advisor.view.text import sentence

NOTHING_HERE: Final = "The numbers at hand hold nothing about this."
UNDECIDED: Final = "{title}: not decided by these numbers"

# 0 and 0b

# 1 to 6
LIMITED_BY: Final = "capped by {what}"
GAIN_UNKNOWN: Final = "cannot be put in a number from what is known"
NOTHING_TO_GAIN: Final = "No cause with a gain was found on this launch."
NO_SOURCE_TYPED: Final = "Typed numbers have no instructions: open a report with source counters."
OPEN_SOURCE: Final = "/source shows the hot lines and instructions."

# III to D
CLOCKS: Final = {1.0: "locked by ncu", 0.0: "not locked"}
CACHES: Final = {1.0: "flushed before each pass", 0.0: "left as they were"}
NO_CARD: Final = "The card of this launch is not in the table, so its ridge points are unknown."


Named = tuple[str, str]  # a short name and the metric
# Units that people read; the name of a count says what it counts.
_UNITS = ("%", "byte", "byte/s", "ns", "us", "s", "Hz", "FLOP", "bool")


def known(launch: LaunchDiagnosis, metric: str) -> float | None:
    """The metric's value; None where it is unknown."""
    value = launch.metrics.get(metric)
    return float(value) if value is not None and math.isfinite(value) else None


def text(state: State, launch: LaunchDiagnosis, metric: str) -> str:
    """The metric's value with its unit, the word unknown where there is none."""
    unit = state.knowledge.unit(metric) or ""
    return amount_text(known(launch, metric), unit if unit in _UNITS else "")


def values(state: State, launch: LaunchDiagnosis, label: str, named: Iterable[Named], most: int = 0) -> Line:
    """The numbers in one line, the unknown ones named at its end; `most`: only so many of the known, largest first."""
    pairs = tuple(named)
    have = [(name, metric, value) for name, metric in pairs if (value := known(launch, metric)) is not None]
    lack = [name or metric for name, metric in pairs if known(launch, metric) is None]
    if most:
        have = sorted(have, key=lambda item: -item[2])[:most]
    parts = [f"{name} {text(state, launch, metric)}".strip() for name, metric, _ in have]
    if lack and not (most and have):
        parts.append(f"unknown: {', '.join(lack)}")
    return Line(", ".join(parts), "fact" if have else "unknown", label)


def looked_for(state: State, launch: LaunchDiagnosis, names: Iterable[str]) -> list[Line]:
    """For each finding: what it says where it was found; else that it was looked for, or could not be."""
    lines = []
    for name in names:
        title = state.knowledge.title(name)
        found = state.finding_of(name)
        wanting = [item.metric for item in launch.missing if name in item.needed_for]
        asked = [question.ask for question in launch.questions if name in question.would_change]
        if found is not None:
            told = f"{found.title}: {found.because}" if found.because else found.title
            lines.append(Line(told, "warning" if found.kind == "trust" else "strong"))
        elif wanting:
            lines.append(Line(f"{title}: could not be looked at, since unknown: {', '.join(wanting[:4])}", "unknown"))
        elif asked:
            lines.append(Line(f"{title}: not decided without your answer: {asked[0]}", "unknown"))
        elif not launch.metrics or launch.verdict.id == "undetermined" or state.numbers:
            # Of typed numbers nobody knows which rule had all that it needed.
            lines.append(Line(UNDECIDED.format(title=title), "unknown"))
        else:
            lines.append(Line(f"{title}: checked, and not the case", "quiet"))
    return lines


def collecting(launch: LaunchDiagnosis, findings: Iterable[str] = ()) -> list[Line]:
    """The command for what is missing, of these findings only where any are named."""
    wanted = set(findings)
    commands = [m.collect for m in launch.missing if m.collect and (not wanted or wanted & set(m.needed_for))]
    return [Line(f"Collect it with: {c}", "quiet") for c in dict.fromkeys(commands)]


Here = Callable[[State, LaunchDiagnosis], list[Line]]
# The parts of a launch's arithmetic, and the peaks of a card that they are held against.
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
_SMALL, _MAYBE = 1.05, 1.10  # gains: the method's stop rule (guide, step 6)
_MOST = 6


def build(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """P0: how the code was built, as far as the report shows it."""
    lines = looked_for(state, launch, ("debug_build", "line_info_missing", "register_spilling"))
    named = (("registers a thread", "registers_per_thread"), ("stack bytes", "stack_bytes"), ("spills", "spill_inst"))
    return [*lines, values(state, launch, "Now", named)]


def napkin(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """0: the estimate if there is one, the prediction, and the minimum time that the bytes allow."""
    lines = [line for card in state.cards if _napkin(card.kind, card.position, state) for line in card.lines]
    lines += _expected(state, launch)
    if lines and any(card.kind == "napkin" for card in state.cards):
        return lines
    given = [(name, state.answer(name)) for name in ("theoretical_bytes", "theoretical_flop")]
    units = ("byte", "FLOP")
    parts = [amount_text(float(value), unit) for (_, value), unit in zip(given, units, strict=True) if value]
    if not parts:
        return [
            *lines,
            Line(
                ("No napkin for this launch yet: a report cannot say what the algorithm needs. /goto 0 estimates it."),
                "unknown",
            ),
        ]
    lines.append(Line(f"by your answers: {', '.join(parts)}", "fact", "Needed"))
    return [*lines, *_floor(state, launch)]


def _napkin(kind: str, position: int | None, state: State) -> bool:
    return kind == "napkin" and position == state.position


def _expected(state: State, launch: LaunchDiagnosis) -> list[Line]:
    bound = next((b for p, b in reversed(state.expected) if p in (state.position, None)), None)
    if bound is None:
        return []
    told = f"you expected {bound.replace('_', ' ')}; it is {launch.verdict.title}"
    return [Line(told, "fact", "Expected")]


def _floor(state: State, launch: LaunchDiagnosis) -> list[Line]:
    least, peak = state.answer("theoretical_bytes"), known(launch, "dram_peak_bytes_per_s")
    if not isinstance(least, float | int) or not peak or not launch.duration_ns:
        return []
    rate = peak * (known(launch, "dram_achievable_pct") or 100.0) / 100
    floor = least / rate * 1e9
    if floor <= 0:
        return []
    told = (
        f"{amount_text(floor, 'ns')} for the bytes at what DRAM gives ({amount_text(rate, 'byte/s')}"
        f"); measured {time_text(launch.duration_ns)}, {speedup_text(launch.duration_ns / floor)} that"
    )
    return [Line(told, "strong", "Minimum time")]


def variants(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """0b: the verdict on the three times, or that they are not known."""
    done = [c for c in state.cards if c.finding == "variants" and c.position == state.position and c.kind == "evidence"]
    return (
        list(done[-1].lines)
        if done
        else [
            Line(
                (
                    "The times of the whole kernel, of its memory accesses and of its arithmetic alone are not "
                    "known yet."
                ),
                "unknown",
            )
        ]
    )


def classify(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """1: the class and why, the units that lead, what ncu's own rules say, how far to trust it."""
    verdict = launch.verdict
    lines = [Line(verdict.title, "strong", "Class")]
    lines += [Line(sentence(verdict.because))] if verdict.because else []
    for label in ("compute_leader", "memory_leader"):
        metric = launch.labels.get(label, "")
        if known(launch, metric) is not None:
            told = f"{unit_name(metric)} at {text(state, launch, metric)}"
            lines.append(Line(told, "fact", "Leads"))
    lines += _expected(state, launch)
    lines += [Line(rule.message, "quiet", "ncu says") for rule in launch.ncu_rules if rule.leading][:1]
    lines += [Line(f"{f.title}: {f.because}", "warning") for f in launch.findings if f.kind == "trust"]
    return lines + (collecting(launch) if verdict.id == "undetermined" else [])


def roofline(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """1b: the point, the ridges of the types that it uses, and its share of the slope."""
    lines = [values(state, launch, "Intensity", (("", "intensity"),))]
    lines.append(values(state, launch, "Reached", (("", "gflop_per_s"), ("GFLOP/s, DRAM at", "dram_pct"))))
    at = known(launch, "intensity")
    if at is not None and at <= 0:
        return [
            *lines,
            Line(
                ("No floating-point work was counted: the point has no height, read DRAM's share of its peak instead."),
                "quiet",
            ),
        ]
    used = {peak for metric, peaks in _KINDS if (known(launch, metric) or 0) > 0 for peak in peaks}
    roofs = [ridge for ridge in state.knowledge.ridges if ridge.gpu == launch.known_as and ridge.peak in used]
    for ridge in roofs if at is not None else []:
        side = "left of" if at is not None and at < ridge.ridge else "right of"
        name = ridge.peak.replace("_", " ")
        lines.append(Line(f"{name}: ridge at {ridge.ridge:.3g} FLOP/byte, this launch is {side} it", "fact", "Roofs"))
    if not roofs:
        lines.append(Line(NO_CARD, "unknown"))
    return [*lines, *(collecting(launch) if at is None else [])]


def subsystem(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """2: pipes, memory, scheduler, stalls, occupancy: the numbers that name the part."""
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
        lines.append(Line(LIMITED_BY.format(what=capped.replace("_", " ")), "fact", " "))
    first = main_finding(launch)
    if first is not None and first.kind == "diagnosis":
        lines.append(Line(f"{first.title}: {first.because}", "strong"))
    return lines


def memory_chart(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """2b: the volumes on the arrows, and how full each unit is."""
    rows = (
        ("DRAM", (("read", "dram_read_bytes"), ("written", "dram_write_bytes"), ("busy", "dram_pct"))),
        ("L2 and L1", (("to L1", "l2_load_bytes"), ("from L1", "l2_store_bytes"), ("hits", "l2_hit_pct"))),
        ("L1", (("hits", "l1_hit_pct"), ("wavefronts", "l1_wavefronts_pct"))),
        ("Shared", (("wavefronts", "shared_wavefronts"), ("of ideal", "shared_wavefront_ratio"))),
        ("Local", (("sectors", "local_sectors"), ("share of memory time", "local_share"))),
    )
    return [values(state, launch, label, named) for label, named in rows]


def quantify(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """3: the gain of each cause, how it was estimated, and the gain of all fixes together."""
    lines: list[Line] = []
    for finding in _causes(launch):
        if finding.speedup is None:
            lines.append(Line(f"{finding.title}: {GAIN_UNKNOWN}", "unknown"))
            continue
        gain = finding.speedup
        told = estimate_text(gain)
        lines.append(Line(f"{finding.title}: {told}", "strong"))
        lines += [Line(sentence(gain.how), "quiet", depth=1)] if gain.how else []
    if launch.budget is not None:
        together = launch.budget.together
        told = estimate_text(together)
        lines.append(Line(told, "fact", "All together"))
    return lines or [Line(NOTHING_TO_GAIN, "unknown" if launch.verdict.id == "undetermined" else "text")]


def _causes(launch: LaunchDiagnosis) -> list[Finding]:
    return [f for f in launch.findings if f.kind == "diagnosis" and not is_end(f) and f.id != "unexplained"]


def locate(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """4: the places of the findings; why there is none where there is none."""
    if state.numbers:
        return [Line(NO_SOURCE_TYPED, "unknown")]
    lines: list[Line] = []
    unread: dict[str, list[str]] = {}
    for finding in launch.findings:
        found = where(state, finding)
        if found and found[0].style == "unknown":
            unread.setdefault(found[0].text, []).append(finding.title)
        else:
            lines += [replace(line, label=finding.title if at == 0 else " ") for at, line in enumerate(found)]
    lines += [Line(f"{', '.join(t)}: {why}", "unknown") for why, t in unread.items()]
    if not lines:
        lines = [
            Line("No finding of this launch has a place of its own in the code.", "unknown"),
            Line(OPEN_SOURCE),
        ]
    return [*lines, *looked_for(state, launch, ("line_info_missing",))]


def features(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """4F: whether there are instructions to search."""
    if state.numbers:
        return [Line(NO_SOURCE_TYPED, "unknown")]
    return [Line(OPEN_SOURCE), values(state, launch, "Samples", (("", "pc_samples"),))]


def fix(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """5: the fix of each finding with its price; for a kernel that is done, that."""
    lines = []
    for finding in launch.findings[:_MOST]:
        if finding.fix is None or finding.kind == "note":
            continue
        gain = f" ({short_gain_text(finding.speedup)})" if finding.speedup is not None else ""
        lines.append(Line(f"{finding.fix.summary}{gain}", "strong", finding.title))
        lines += [Line(sentence(finding.fix.costs), "quiet", "Price", 1)] if finding.fix.costs else []
    first = main_finding(launch)
    if first is not None and is_end(first):
        lines.insert(0, Line("The kernel is near what the card can do: stop, or give it less work.", "strong"))
    return lines or [Line("Nothing to fix was found.", "unknown")]


def sweep(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """5b: the configuration at hand, what caps it, and the command that sweeps the exercise of the first fix."""
    named = (
        ("block", "block_size"),
        ("registers", "registers_per_thread"),
        ("shared bytes", "shared_bytes_per_block"),
        ("occupancy", "occupancy_theoretical_pct"),
    )
    lines = [values(state, launch, "Now", named)]
    capped = launch.labels.get("occupancy_limiter", "")
    lines += [Line(LIMITED_BY.format(what=capped.replace("_", " ")), "fact", "Occupancy")] if capped else []
    practice = [f.fix.practice for f in launch.findings if f.fix is not None and f.fix.practice]
    known_ones = [name for name in dict.fromkeys(practice) if name in state.knowledge.exercises]
    lines += [Line(f"ncu-advisor practice sweep {name}", "fact", "Sweep") for name in known_ones[:2]]
    return [*lines, Line("Vary these in your own code and time each point; nothing here can run it for you.", "quiet")]


def again(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """6: the log so far, and whether to go on."""
    lines = list(in_lines(log_blocks(state))) or [
        Line(
            ("No second version yet: change the code, measure again, and give the new report (/compare REPORT)."),
            "unknown",
        )
    ]
    return [*lines, advice(launch)]


def advice(launch: LaunchDiagnosis) -> Line:
    """The stop rule of the method on the first finding: under 5 % stop, under 10 % as good, at a roofline stop."""
    first = main_finding(launch)
    if first is None or first.kind != "diagnosis" or first.id == "unexplained":
        return Line(NOTHING_TO_GAIN, "unknown")
    if is_end(first):
        return Line(f"{first.title}: stop here.", "strong")
    if first.speedup is None:
        return Line("Nobody can say what the next fix gives: try it, and compare the times.", "unknown")
    gain = first.speedup.estimate
    told = (
        "The next fix promises {gain}: under 5 % it is not worth the work, so stop."
        if gain < _SMALL
        else "The next fix promises {gain}: under 10 % stopping is as good."
        if gain < _MAYBE
        else "The next fix promises {gain}: go on."
    )
    return Line(told.format(gain=f"{short_gain_text(first.speedup)} ({first.title})"), "strong")


def baselines(state: State, launch: LaunchDiagnosis) -> list[Line]:
    """6b: the versions that can be compared."""
    if not state.earlier:
        return [Line("There is one version so far, so there is nothing to compare it with.", "unknown")]
    lines = []
    for former, name in (*state.earlier, (launch, state.experiments[-1].version if state.experiments else "")):
        told = f"{former.kernel}, {time_text(former.duration_ns)}, {former.verdict.title}"
        lines.append(Line(told, "fact", f"Version {name}"))
    return lines


HERE: Final[dict[str, Here]] = {
    "P0": build,
    "0": napkin,
    "0b": variants,
    "1": classify,
    "1b": roofline,
    "2": subsystem,
    "2b": memory_chart,
    "3": quantify,
    "4": locate,
    "4F": features,
    "5": fix,
    "5b": sweep,
    "6": again,
    "6b": baselines,
}
