"""Answers about other findings, launches, GPUs and reports, about exercises, and about the questions themselves."""

from __future__ import annotations

from typing import Final

from advisor.knowledge.base import catalog, finding_title
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.questions import Meaning
from advisor.view.blocks import Bullets, Cell, Column, Table
from advisor.view.numbers import share_text, speedup_text, time_text
from advisor.view.pages.answers.cause import cause_answer
from advisor.view.pages.answers.parts import (
    MOST,
    NAME,
    Answer,
    Answers,
    Asked,
    found_of,
    gain_text,
    lacking,
    main_subject,
)
from advisor.view.pages.diagnosis import time_back
from advisor.view.pages.launch import first_diagnosis, other_gpu_blocks
from advisor.view.text import cut


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


def _compare(meaning: Meaning, asked: Asked) -> Answer:
    says = "Name the other report: the command compares durations first, then what changed."
    return Answer(
        says, run=(f"ncu-advisor compare OLD.ncu-rep {asked.path}#{asked.launch.index}",), then=("why is it slow",)
    )


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
    "practise": _practise,
    "other_gpu": _other_gpu,
    "help": _help,
    "undo": _of_session,
    "quit": _of_session,
    "save": _of_session,
}
