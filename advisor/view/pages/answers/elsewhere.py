"""Answers about other findings, launches, GPUs and reports, about exercises, and about the questions themselves."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from advisor.compare.records import Pair
from advisor.hardware import gpus
from advisor.knowledge.base import catalog, finding_title
from advisor.records.diagnosis import LaunchDiagnosis, OtherGpu, first_diagnosis
from advisor.records.questions import NCU_RULE, Meaning
from advisor.view.blocks import Bullets, Cell, Column, Fact, Facts, Paragraph, Table, flat
from advisor.view.numbers import count_text, share_text, speedup_text, time_text
from advisor.view.pages.answers.cause import cause_answer
from advisor.view.pages.answers.parts import (
    MOST,
    NAME,
    Answer,
    Answers,
    Asked,
    Truth,
    evidence_lines,
    found_of,
    gain_text,
    lacking,
    lower_start,
    main_subject,
)
from advisor.view.pages.compare import pair_sections
from advisor.view.pages.diagnosis import time_back
from advisor.view.pages.launch import other_gpu_blocks, waves_text
from advisor.view.pages.ncu_rules import rule_claim
from advisor.view.text import cut, sentence, sentence_start


def _other_findings(meaning: Meaning, asked: Asked) -> Answer:
    launch, first = asked.launch, first_diagnosis(asked.launch)
    rest = [f for f in launch.findings if f is not first]
    if not rest:
        says = "Nothing else was found" + (f" beside {first.title.lower()}." if first is not None else ".")
        return Answer(says, then=("which metrics are missing", "why is it slow"))
    kinds = {"diagnosis": "", "note": " (worth under 5 %)", "trust": " (caveat)"}
    items = tuple(f"{f.title}{kinds[f.kind]}{gain_text(f)}: {f.because}" for f in rest)
    lead = f" beside {first.title}" if first is not None else ""
    noun = "finding" if len(rest) == 1 else "findings"
    says = f"{len(rest)} more {noun}{lead}: {', '.join(f.title for f in rest[:3])}{' …' if len(rest) > 3 else ''}."
    return Answer(says, blocks=(Bullets(items),), then=(f"how do I fix the {rest[0].title.lower()}", "why is it slow"))


def _slowest_kernel(meaning: Meaning, asked: Asked) -> Answer:
    launches = asked.launches
    total = sum(launch.duration_ns or 0.0 for launch in launches)
    if not total:
        return lacking(("duration_ns",), asked.launch, asked)
    order = sorted(range(len(launches)), key=lambda at: (-(launches[at].duration_ns or 0.0), at))
    longest, most = launches[order[0]], max(launches, key=time_back)
    says = f"{_kernel(longest)} takes most time: {time_text(longest.duration_ns)}"
    says += f", {share_text((longest.duration_ns or 0.0) / total)} of all launches"
    saved = time_back(most)
    if saved:
        same = "fixing it" if most is longest else f"fixing {_kernel(most)}"
        says += f"; {same} saves most, {time_text(saved)}"
    rows = []
    for at in order[:MOST]:
        launch, first = launches[at], first_diagnosis(launches[at])
        back = time_back(launch)
        rows.append(
            (
                Cell(str(launch.index)),
                Cell(cut(launch.kernel, NAME)),
                Cell(time_text(launch.duration_ns), launch.duration_ns),
                Cell(first.title if first is not None else "nothing found"),
                Cell(time_text(back) if back else "-", back),
            )
        )
    columns = (Column("#", True), Column("Kernel"), Column("Time", True), Column("Fix first"), Column("Saves", True))
    return Answer(
        f"{says}.", blocks=(Table(columns, tuple(rows)),), then=(f"why is launch {most.index} slow", "how do I fix it")
    )


def _kernel(launch: LaunchDiagnosis) -> str:
    return f"{cut(launch.kernel, NAME)} (launch {launch.index})"


def _other_launch(meaning: Meaning, asked: Asked) -> Answer:
    if asked.problem:
        rows = tuple(f"{launch.index}: {cut(launch.kernel, NAME)}" for launch in asked.launches[: 2 * MOST])
        return Answer(asked.problem, blocks=(Bullets(rows),), then=("which kernel takes most time",))
    return cause_answer(meaning, asked)


def _other_gpu(meaning: Meaning, asked: Asked) -> Answer:
    on = asked.elsewhere
    if on is None:
        says = asked.problem or "Name the GPU, such as: how would it run on H100-SXM."
        return Answer(says, "unknown", then=("how would it run on H100-SXM",))
    if on.ratio is None:
        says = f"Unknown: the time on {on.gpu} cannot be estimated."
    else:
        time = (
            f", {time_text(on.duration_ns)} instead of {time_text(asked.launch.duration_ns)}" if on.duration_ns else ""
        )
        faster = f"{speedup_text(1 / on.ratio)} as fast"
        says = f"On {on.gpu} about {faster}{time}, estimated from the counters of {on.here}."
    return Answer(says, blocks=other_gpu_blocks(asked.launch, on), then=("why is it slow",))


def on_named_gpu(meaning: Meaning, asked: Asked, here: Answer) -> Answer:
    """Return the answer of a question that names another GPU than the report's: for that GPU as far as it is known.

    here: the answer for the report's GPU.
    """
    launch, on = asked.launch, asked.elsewhere
    own = launch.known_as or launch.gpu_name or "the report's GPU"
    ask_whole = f"how would it run on {asked.gpu}"
    if on is None or on.ratio is None:
        text = f"Too little is known of {asked.gpu}: this answer is for {own}, the GPU of the report."
        return replace(here, blocks=(Paragraph(text, "warn"), *here.blocks))
    filling = _filling(launch, on)
    wanted = meaning.subject.findings if meaning.subject is not None else ()
    if meaning.intent != "is_cause" or not wanted:
        there = f"; on {on.gpu} it would be {lower_start(on.class_title)}, by an estimate" if on.class_title else ""
        text = f"This answer is for {own}, the GPU of the report, not for {on.gpu}{there}."
        return replace(here, blocks=(Paragraph(text, "warn"), *here.blocks), then=(ask_whole, *here.then))
    found = next((name for name in on.findings if name in wanted), "")
    title = lower_start(finding_title(found or wanted[0]))
    truth: Truth = "yes" if found else "no"
    first = " and comes first" if found and found == on.findings[0] else ""
    says = f"On {on.gpu}: {'yes' if found else 'no'}, {title} is {'found there' if found else 'not found there'}{first}"
    at = "; ".join(text for _, text in filling)
    rows = [Fact(label, text) for label, text in filling]
    rows.append(Fact(f"On {own}", here.says))
    blocks = (Facts(tuple(rows)), *here.blocks)
    return Answer(f"{says}{f' ({at})' if at else ''}.", truth, blocks, (ask_whole, *here.then), evidence=here.evidence)


def _filling(launch: LaunchDiagnosis, on: OtherGpu) -> tuple[tuple[str, str], ...]:
    """Return how the grid fills the other GPU and this one: waves and SMs, as pairs of a label and a text."""
    there = gpus.gpu(on.gpu)
    own = launch.known_as or launch.gpu_name or "here"
    waves, sms = launch.metrics.get("waves"), launch.metrics.get("sm_count")
    pairs = (("waves", on.waves, waves, waves_text), ("SMs", there.sm_count, sms, count_text))
    texts = (
        (name, f"{form(other)} {name}" + (f", {form(value)} on {own}" if value is not None else ""))
        for name, other, value, form in pairs
        if other is not None
    )
    return tuple((sentence_start(name), text) for name, text in texts)


def _launches_compared(pair: Pair, before: LaunchDiagnosis, asked: Asked) -> Answer:
    """Return how a launch compares with another one of the session, by its measured time first."""
    head, *rest = pair_sections(pair, "")
    now = asked.launch
    names = [f"launch {launch.index}" for launch in (before, now)]
    if before.report != now.report:
        names = [f"{name} of report {launch.report}" for name, launch in zip(names, (before, now), strict=True)]
    if before.kernel != now.kernel:
        names = [f"{name} ({launch.kernel[:NAME]})" for name, launch in zip(names, (before, now), strict=True)]
    base, current = names
    judged = pair.judged
    if judged is None:
        says = f"Unknown: the time of {base} or of {current} was not collected."
    elif judged.word == "same":
        says = f"{sentence_start(current)} takes the same time as {base}, within the noise of the measurement."
    elif judged.speedup >= 1:
        says = f"{sentence_start(current)} is {speedup_text(judged.speedup)} as fast as {base}."
    else:
        says = f"{sentence_start(current)} takes {speedup_text(1 / judged.speedup)} the time of {base}."
    blocks = (*head.blocks, *flat(tuple(rest)))
    return Answer(says, blocks=blocks, then=("why is it slow", "how do I fix it"))


def _compare(meaning: Meaning, asked: Asked) -> Answer:
    if asked.pair is not None and asked.before is not None:
        return _launches_compared(asked.pair, asked.launches[asked.before], asked)
    says = "Name the other report: the command compares durations first, then what changed."
    if meaning.words[:1] != ("compare",) and meaning.confidence > 0:
        says = (
            "One report cannot show whether a change helped: profile the kernel before and after it with the same "
            "options. This command compares the durations first, then what changed."
        )
    run = f"ncu-advisor compare BEFORE.ncu-rep {asked.path}#{asked.launch.index}"
    return Answer(says, run=(run,), then=("why is it slow",))


def _ncu_rule(meaning: Meaning, asked: Asked) -> Answer:
    """Return what the advisor concludes on a pasted result of a rule of Nsight Compute."""
    rule = asked.rule
    if rule is None:
        return out_of_scope(meaning, asked)
    here = rule.here
    rows = [Fact("ncu", rule_claim(rule)), Fact("It says", rule.message), Fact("Advisor", sentence(here.because))]
    first = first_diagnosis(asked.launch)
    if first is not None and first.id != here.subject:
        rows.append(Fact("First here", f"{first.title}: {first.because}"))
    truth: Truth = "yes" if here.status in ("first", "ranked", "small", "trust", "class_same") else ""
    says = f"That is ncu's rule on {rule.short}. The advisor: {here.because.rstrip('.')}."
    about = finding_title(here.subject).lower() if here.subject else ""
    then = (f"why not {about}",) if here.status in ("refuted", "gave_way", "unknown") and about else ()
    blocks = (Facts(tuple(rows)), *evidence_lines(here.evidence))
    return Answer(says, truth, blocks, (*then, "why is it slow"), evidence=here.evidence)


def _practise(meaning: Meaning, asked: Asked) -> Answer:
    launch = asked.launch
    finding = found_of(meaning.subject, launch) or first_diagnosis(launch)
    exercise = finding.fix.practice if finding is not None and finding.fix is not None else ""
    wanted = main_subject(meaning.subject)
    entry = catalog().diagnoses.get(wanted) if wanted and found_of(meaning.subject, launch) is None else None
    exercise = (entry.exercise if entry is not None else "") or exercise
    if not exercise:
        return Answer("No exercise belongs to this finding; the list shows all:", run=("ncu-advisor practice list",))
    about = finding_title(wanted) if entry is not None else finding.title if finding is not None else ""
    says = f"The exercise {exercise} practises it: {about.lower()}."
    return Answer(says, run=(f"ncu-advisor practice show {exercise}",), then=("how do I fix it",))


def _help(meaning: Meaning, asked: Asked) -> Answer:
    says = "Ask in plain words about this launch: its cause, its fix, its lines, its numbers, what they mean."
    return Answer(says, blocks=(Bullets(EXAMPLES),))


def _of_session(meaning: Meaning, asked: Asked) -> Answer:
    says = f"To {_VERBS[meaning.intent]} is a command of the interactive session; here each question stands alone."
    if meaning.intent == "save":
        says = "Write an answer or the whole diagnosis to a file with --format and --out."
        return Answer(says, run=(f"ncu-advisor diagnose {asked.path} --format html --out diagnosis.html",))
    return Answer(says, run=(f"ncu-advisor open {asked.path}",))


def out_of_scope(meaning: Meaning, asked: Asked) -> Answer:
    """Return what can be asked instead."""
    says = "That is not something this profile can answer. It can be asked, for example:"
    return Answer(says, blocks=(Bullets(EXAMPLES[:8]),), then=("what can I ask",))


_VERBS: Final = {"undo": "go back", "quit": "quit", "save": "save"}


EXAMPLES: Final = (
    "why is it slow",
    "how do I fix it",
    "which line is responsible",
    "is it memory bound",
    "is it the occupancy",
    "how much faster would it be",
    "how far is it from the limit",
    "what are the warps waiting for",
    "what is the l2 hit rate",
    "what is long scoreboard",
    "why not bank conflicts",
    "what if occupancy was 80%",
    "which block size should I use",
    "which metrics are missing",
    "what else was found",
    "which kernel takes most time",
    "how would it run on H100-SXM",
    "how sure are you",
)


ANSWERS: Final[Answers] = {
    "other_findings": _other_findings,
    "slowest_kernel": _slowest_kernel,
    "other_launch": _other_launch,
    "compare": _compare,
    NCU_RULE: _ncu_rule,
    "practise": _practise,
    "other_gpu": _other_gpu,
    "help": _help,
    "undo": _of_session,
    "quit": _of_session,
    "save": _of_session,
}
