"""Answers about numbers: the gain, the limit, a value, what it means, what if it were another."""

from __future__ import annotations

from typing import Final

from advisor.knowledge.base import catalog, finding_title, metric_title
from advisor.knowledge.expressions import parse_test
from advisor.reasoning.launch_shape import SHAPE
from advisor.reasoning.ranking import worthwhile
from advisor.records.diagnosis import ENDS, LaunchDiagnosis, first_diagnosis, is_settled, main_finding
from advisor.records.questions import Meaning, Subject
from advisor.view.blocks import Bars, Block, Fact, Facts, Line, Outline, Paragraph, Plain, flat
from advisor.view.charts import roofline_text
from advisor.view.charts.bars import occupancy_limit, reason_label, stalls
from advisor.view.charts.canvas import Row
from advisor.view.numbers import (
    counted,
    estimate_text,
    is_open,
    is_wide,
    percent_text,
    plural,
    shape_text,
    short_gain_text,
    speedup_text,
    time_range_text,
    time_text,
)
from advisor.view.pages.answers.occupancy import assumptions, beyond_theoretical
from advisor.view.pages.answers.parts import (
    MOST,
    OPEN,
    Answer,
    Answers,
    Asked,
    called,
    found_of,
    gain_text,
    known_value,
    lacking,
    lower_start,
    metrics_of,
    number_text,
)
from advisor.view.pages.answers.supposing import followed_text
from advisor.view.pages.explain import explain_page
from advisor.view.pages.launch import bar_rows, budget_blocks, label_text, quantity_text
from advisor.view.text import sentence, sentence_start

_GONE: Final = frozenset(
    ("no", "without", "zero", "remove", "removed", "removing", "gone", "avoid", "avoided", "fixed")
)
_WIDE_RANGE: Final = 3.0  # high estimate / low estimate from which a range is explained
_LIBRARIES: Final = ("cublas", "cudnn", "cutlass", "cufft", "cusparse", "cub", "thrust", "pytorch", "triton")
_WIDTH: Final = 76  # columns of the roofline


def _how_much(meaning: Meaning, asked: Asked) -> Answer:
    launch = asked.launch
    finding = found_of(meaning.subject, launch) or first_diagnosis(launch)
    then = ("how do I fix it", "how sure are you")
    if meaning.subject is not None and meaning.subject.findings and found_of(meaning.subject, launch) is None:
        return _nothing_to_gain(meaning.subject, launch)
    if finding is None or finding.id == OPEN:
        return Answer("Unknown: no cause was found, so there is no gain to estimate.", "unknown", then=then)
    gain = finding.speedup
    if finding.id in ENDS:
        says = f"{'Little' if is_settled(launch, finding) else 'Possibly little'}: {finding.because}."
        return Answer(says, blocks=_budget(launch), then=("how far is it from the limit", "what else was found"))
    if gain is None:
        says = f"Unknown: the gain of fixing {lower_start(finding.title)} cannot be estimated from these numbers."
        return Answer(says, "unknown", then=("which metrics are missing", "how do I fix it"))
    time = ""
    if launch.duration_ns is not None:
        best, worst = launch.duration_ns / gain.high, launch.duration_ns / gain.low
        time = f": {time_text(launch.duration_ns)} become about {time_text(launch.duration_ns / gain.estimate)}"
        time += f" ({time_range_text(best, worst)})"
    worth = "" if worthwhile(gain.estimate) else " That is hardly worth the work."
    by = f"faster by fixing {lower_start(finding.title)}"
    if is_open(gain.low, gain.high):
        says = f"Up to {speedup_text(gain.high)} {by}, possibly no faster{time}.{worth}"
    elif is_wide(gain.low, gain.high):
        says = f"{sentence(estimate_text(gain))} {by}.{worth}"
    else:
        says = f"About {estimate_text(gain)} {by}{time}.{worth}"
    rows = [Fact("Estimate", sentence(gain.how))]
    if gain.high > _WIDE_RANGE * gain.low:
        wide = f"{speedup_text(gain.low)} is what it gains if the fix removes little of that work, "
        rows.append(Fact("Wide range", f"{wide}{speedup_text(gain.high)} if it removes all that it can"))
    return Answer(says, blocks=(Facts(tuple(rows)), *_budget(launch)), then=then)


def _nothing_to_gain(subject: Subject, launch: LaunchDiagnosis) -> Answer:
    """Return that a cause was not found on the launch, so that removing it gains nothing that is known."""
    value, first = known_value(subject, launch), first_diagnosis(launch)
    here = f" ({metric_title(value[0])} = {number_text(*value)})" if value is not None else ""
    name = lower_start(finding_title(subject.findings[0]))
    says = f"Nothing that the rules can see: {name} was not found on this launch{here}."
    rows = [Fact("Instead", f"{first.title}{gain_text(first)}: {first.because}")] if first is not None else []
    then = (f"why not {name}", "how much faster would it be")
    return Answer(says, "no", blocks=(Facts(tuple(rows)),) if rows else (), then=then)


def _budget(launch: LaunchDiagnosis) -> tuple[Block, ...]:
    return budget_blocks(launch.budget) if launch.budget is not None else ()


def _limit(meaning: Meaning, asked: Asked) -> Answer:
    launch, first = asked.launch, first_diagnosis(asked.launch)
    if meaning.subject is not None and any(name.startswith("occupancy") for name in meaning.subject.metrics):
        return _occupancy_limit(meaning, asked)
    sides = [(name, launch.metrics[name]) for name in ("compute_pct", "memory_pct") if name in launch.metrics]
    if not sides:
        return lacking(("memory_throughput_pct",), launch, asked)
    shown = {"compute_pct": "compute", "memory_pct": "memory"}
    metric, value = max(sides, key=lambda side: side[1])
    says = f"Its busiest side is {shown[metric]}, at {percent_text(value)} of the peak"
    if first is not None and first.id in ENDS:
        label = label_text(first, launch) if is_settled(launch, first) else f"Possibly {lower_start(first.title)}"
        says = f"{label}: {says[:1].lower()}{says[1:]}"
    rows = [Fact(shown[name].capitalize(), f"{percent_text(share)} of its peak") for name, share in sides]
    for name, label in (("dram_pct", "DRAM"), ("dram_of_achievable", "DRAM, of what is achievable")):
        if name in launch.metrics:
            rows.append(Fact(label, percent_text(launch.metrics[name])))
    if launch.duration_ns is not None and 0 < value <= 100:
        least = launch.duration_ns * value / 100
        says += (
            f"; with the same work it cannot take less than {time_text(least)} of its {time_text(launch.duration_ns)}"
        )
        rows.append(
            Fact("Minimum time", f"{time_text(least)}, if that unit were busy in every cycle; less work lowers it")
        )
    if first is not None and first.id not in (*ENDS, OPEN):
        rows.append(Fact("In the way", f"{first.title}{gain_text(first)}"))
    end = first is not None and first.id in ENDS
    then = ("show the roofline", "what else was found" if end else "how do I fix it")
    library = next((word for word in meaning.words if word in _LIBRARIES), "")
    if library:
        text = f"How fast {library} is at this problem, this report does not show; the hardware's limit is known. "
        says = f"{text}{says[:1].upper()}{says[1:]}"
        run = (f"ncu-advisor compare {asked.path}#{launch.index} {library}.ncu-rep",)
        return Answer(
            f"{says}. Profile {library} on the same input, then:", blocks=(Facts(tuple(rows)),), then=then, run=run
        )
    return Answer(f"{says}.", blocks=(Facts(tuple(rows)),), then=then)


def _occupancy_limit(meaning: Meaning, asked: Asked) -> Answer:
    """Return which resource limits the blocks of an SM."""
    launch = asked.launch
    limit = occupancy_limit(launch.metrics, launch.labels)
    if not limit:
        return lacking(("occupancy_theoretical_pct",), launch, asked)
    parts = {"Theoretical": "occupancy_theoretical_pct", "Achieved": "occupancy_achieved_pct"}
    rows = [
        Fact(label, number_text(name, launch.metrics[name])) for label, name in parts.items() if name in launch.metrics
    ]
    return Answer(f"The occupancy is {limit}.", blocks=(Facts(tuple(rows)),), then=("is it the occupancy",))


def _roofline(meaning: Meaning, asked: Asked) -> Answer:
    launch = asked.launch
    drawn = roofline_text.roofline(launch, width=_WIDTH)
    now = next((key.text for key in drawn.keys if key.role == "now"), "")
    says = sentence(sentence_start(now)) if now else sentence(drawn.notes[0] if drawn.notes else "No roofline is known")
    rows = [*map(_text, drawn.rows), *(f"{key.sign} {key.text}" for key in drawn.keys)]
    blocks: tuple[Block, ...] = (Plain(tuple(rows)),) if rows else ()
    notes = tuple(Paragraph(note, "warn") for note in drawn.notes[0 if now else 1 :])
    run = (drawn.collect,) if drawn.collect else ()
    return Answer(says, blocks=(*blocks, *notes), run=run, then=("how far is it from the limit", "why is it slow"))


def _text(row: Row) -> str:
    return "".join(text for text, _ in row).rstrip()


def _explain(meaning: Meaning, asked: Asked) -> Answer:
    if asked.explained is None:
        return Answer(asked.problem or "No entry of the knowledge base has this name.", then=("what can I ask",))
    page = explain_page(asked.explained)
    value = known_value(meaning.subject, asked.launch)
    here = f" On this launch: {value[0]} = {number_text(*value)}." if value is not None else ""
    first = next((lines[0] for name, lines in asked.explained.sections if name in ("what", "means") and lines), "")
    says = f"{page.title}: {sentence(first)}" if first else sentence(page.title)
    return Answer(f"{says}{here}", blocks=(*page.made, *flat(page.sections)), then=("why is it slow",))


def value_answer(meaning: Meaning, asked: Asked) -> Answer:
    """Return the value of a metric, or of a fact about the launch."""
    launch, subject = asked.launch, meaning.subject
    special = _special(subject, launch)
    if special:
        return Answer(special, then=("why is it slow",))
    value = known_value(subject, launch)
    if value is None:
        if not metrics_of(subject):
            return Answer("No number has this name.", "unknown", then=("what can I ask",))
        return lacking(metrics_of(subject), launch, asked)
    metric, amount = value
    entry = catalog().metrics.get(metric)
    rows = [Fact("What it is", sentence(entry.means))] if entry is not None and entry.means else []
    also = (other for other in metrics_of(subject) if other != metric and other in launch.metrics)
    rows += [Fact(metric_title(other), number_text(other, launch.metrics[other])) for other in also]
    if metric.startswith("occupancy") and (limit := occupancy_limit(launch.metrics, launch.labels)):
        rows.append(Fact("Limit", sentence(limit)))
    rows += [Fact("Judged by", text) for text in judged_by(metric)]
    name = called(subject)
    says = f"{sentence_start(name)}{f' ({metric})' if name != metric else ''}: {number_text(metric, amount)}."
    blocks = (Facts(tuple(rows)),) if rows else ()
    return Answer(says, blocks=blocks, then=(f"what is {metric}", "why is it slow"))


def _special(subject: Subject | None, launch: LaunchDiagnosis) -> str:
    """Return the answer about a fact that is no metric: the GPU, the grid, the block."""
    name = subject.id if subject is not None else ""
    if name == "gpu":
        if launch.gpu_name and not launch.known_as:
            return f"{launch.gpu_name}. It is not in the GPU table: its peaks are derived from the report's attributes."
        return f"{launch.gpu_name or 'The GPU is unknown'}{f' ({launch.known_as})' if launch.known_as else ''}."
    if name == "grid_size" and launch.grid:
        x, y, z = launch.grid
        return f"The grid is {shape_text(launch.grid)}: {counted(x * y * z, 'block')}.{_blocks_to_fill(launch)}"
    if name == "block_size" and launch.block:
        x, y, z = launch.block
        return f"The block is {shape_text(launch.block)}: {counted(x * y * z, 'thread')}."
    if name == "duration" and launch.duration_ns is not None:
        return f"The launch takes {time_text(launch.duration_ns)}."
    return ""


def _blocks_to_fill(launch: LaunchDiagnosis) -> str:
    """Return how many blocks give each SM work, and how many fill it; empty if the SMs are unknown."""
    sms, fits = launch.metrics.get("sm_count"), launch.metrics.get("blocks_per_sm_limit")
    if not sms:
        return ""
    text = f" {sms:.0f} SMs need at least {sms:,.0f} blocks to have one each"
    if fits:
        text += f"; {fits * sms:,.0f} fill the GPU once ({fits:.0f} per SM fit), and several times as many even it out"
    return f"{text}."


def judged_by(metric: str) -> tuple[str, ...]:
    """Return the tests of the rules on a metric alone: what counts as high or low."""
    out = []
    for entry in catalog().observations.values():
        test = parse_test(entry.test)
        if len(test.comparisons) == 1 and set(test.names) == {metric}:
            out.append(entry.test)
    return tuple(dict.fromkeys(out))[:3]


def _stalls(meaning: Meaning, asked: Asked) -> Answer:
    rows = stalls(asked.launch.metrics)
    top = rows[0]
    if top.value is None:
        return lacking(("stall_long_scoreboard_pct",), asked.launch, asked)
    entry = catalog().topic_file("stalls").get(top.metric.removeprefix("stall_").removesuffix("_pct"))
    means = str(entry.get("what", "")).split(". ")[0].rstrip(".") if entry is not None else ""
    says = f"Mostly {top.label}: {percent_text(top.value)} of the warps' cycles{f'. {means}' if means else ''}."
    bars = Bars("Stall reasons, % of warp cycles", bar_rows(rows))
    other = [row.label for row in rows if row.metric]
    then = (f"what is {reason_label(other[0].lower().replace(' ', '_')).lower()}", "why is it slow")
    return Answer(" ".join(says.split()), blocks=(bars,), then=then)


def _missing(meaning: Meaning, asked: Asked) -> Answer:
    launch, gathered = asked.launch, asked.gathered
    if not launch.missing:
        return Answer("No metric that a rule needs is missing.", then=("how sure are you", "why is it slow"))
    needs = ((metric_title(lack.metric), lack.needed_for[:4]) for lack in launch.missing[:MOST])
    rows = tuple(Fact(metric, ", ".join(map(finding_title, users))) for metric, users in needs)
    more = len(launch.missing) - len(rows)
    blocks: list[Block] = [Facts(rows)]
    blocks += [Paragraph(f"and {more} more", "dim")] if more > 0 else []
    names = ", ".join(lower_start(metric_title(lack.metric)) for lack in launch.missing[:3])
    lacks = f"{counted(len(launch.missing), 'metric')} that rules need {plural(len(launch.missing), 'is', 'are')}"
    says = f"{lacks} missing, such as {names}. This command collects them:"
    run = (gathered.command,) if gathered is not None and gathered.command else ()
    return Answer(says, blocks=tuple(blocks), run=run, then=("how sure are you",))


def differences(before: LaunchDiagnosis, after: LaunchDiagnosis) -> tuple[Line, ...]:
    """Return the changes of the class, the first finding, the findings and their speedups; empty if nothing changed."""
    lines = []
    if before.verdict.id != after.verdict.id:
        lines.append(Line(f"{before.verdict.title} → {after.verdict.title}", "strong", "Class"))
    old_first, new_first = main_finding(before), main_finding(after)
    if new_first is not None and (old_first is None or old_first.id != new_first.id):
        was = "" if old_first is None else f"{old_first.title} → "
        lines.append(Line(f"{was}{new_first.title}", "strong", "Fix first"))
    old, new = ({finding.id: finding for finding in launch.findings} for launch in (before, after))
    for name, finding in new.items():
        if name not in old and (new_first is None or name != new_first.id):
            lines.append(Line(finding.title, "fact", "New"))
    lines += [Line(finding.title, "fact", "Gone") for name, finding in old.items() if name not in new]
    for name, finding in new.items():
        if name not in old:
            continue
        had, has = old[name].speedup, finding.speedup
        if had is None and has is None:
            continue
        texts = short_gain_text(had), short_gain_text(has)
        if texts[0] != texts[1]:
            lines.append(Line(f"{finding.title}: {texts[0]} → {texts[1]}", "fact", "Speedup"))
    return tuple(lines)


def formulas_that_changed(before: LaunchDiagnosis, after: LaunchDiagnosis) -> tuple[Line, ...]:
    """Return the formulas of step 3 that come out now, or with other numbers, such as the waste after a typed width."""
    old = {quantity_text(quantity) for quantity in before.quantities}
    return tuple(Line(text, "fact", "Formula") for one in after.quantities if (text := quantity_text(one)) not in old)


def _without(meaning: Meaning) -> bool:
    """Return whether a what-if question supposes that a cause is gone: `what if there were no spills`."""
    return meaning.subject is not None and bool(meaning.subject.findings) and bool(_GONE & set(meaning.words))


def _what_if(meaning: Meaning, asked: Asked) -> Answer:
    if asked.supposed is None and not asked.problem and _without(meaning):
        return _how_much(meaning, asked)
    if asked.supposed is None or not asked.values:
        metric = next(iter(metrics_of(meaning.subject)), "dram_pct")
        says = asked.problem or f"Name the value to try, such as: what if {metric} = 70."
        return Answer(says, then=("how do you know",))
    changed = differences(asked.launch, asked.supposed)
    assumed, implied = assumptions(asked.launch, asked.values)
    notes = tuple(Paragraph(text, "warn") for text in beyond_theoretical(asked.launch, asked.values))
    followed = "" if implied else followed_text(asked.launch, asked.supposed, dict(asked.values))
    notes += (Paragraph(followed),) if followed else ()
    caveats: tuple[Block, ...] = (*((Facts((Fact("Implies", "; ".join(implied)),)),) if implied else ()), *notes)
    shaped = [pair for pair in asked.values if pair[0] in SHAPE] or asked.values
    same = [asked.launch.metrics.get(name) == value for name, value in shaped]
    if all(same):
        return Answer(f"{assumed} is what the launch has already: nothing changes.", then=("how do you know",))
    if not changed:
        moved = "" if len(implied) > 1 else "nothing changes: "
        says = f"With {assumed}, {moved}class, findings and expected gains are as before."
        return Answer(says, blocks=caveats, then=("how do you know",))
    says = f"With {assumed}: {'; '.join(f'{line.label.lower()}: {line.text}' for line in changed[:2])}."
    return Answer(says, blocks=(*caveats, Outline(changed)), then=("why is it slow",))


ANSWERS: Final[Answers] = {
    "how_much": _how_much,
    "limit": _limit,
    "roofline": _roofline,
    "explain": _explain,
    "value": value_answer,
    "stalls": _stalls,
    "missing": _missing,
    "what_if": _what_if,
}
