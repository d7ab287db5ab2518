"""The pages of an exercise: each stage as cards of blocks, with the launch whose charts the screen adds."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from advisor.practice.manifest import exercise
from advisor.practice.predictions import CAUSE_POINTS, CLASS_POINTS, MINE, SPEEDUP_POINTS, judge, understood
from advisor.reasoning.time_model.noise import spread
from advisor.records.diagnosis import Finding
from advisor.session.cards import evidence_lines
from advisor.session.practice import exercising, reading_pages
from advisor.session.practice.exercising import LADDER, STAGE_NAMES, STEP_OF_METHOD, Exercising
from advisor.session.practice.turn import asks_gain, next_number, next_question, predicting, tried
from advisor.session.records import Card
from advisor.view.blocks import Block, Code, Fact, Facts, Line, Style, flat
from advisor.view.numbers import (
    counted,
    estimate_text,
    exact_text,
    plural,
    rate_text,
    shape_text,
    share_text,
    speedup_text,
    time_range_text,
    time_text,
)
from advisor.view.pages.compare import pair_sections

_REMARKS: Final = 5  # maximum messages of the compiler
_PRINTED: Final = 10  # maximum lines printed by a kernel
_ON_PAPER: Final = "Napkin math before profiling"


class Page(Struct, frozen=True):
    """A page. launch: the launch whose charts follow the cards; numbers: whether all its numbers are listed too."""

    cards: tuple[Card, ...] = ()
    launch: Any = None
    numbers: bool = False


def page(here: Exercising) -> Page:
    """Return the current page."""
    trouble = (Card("error", here.trouble, label="That did not work"),) if here.trouble else ()
    if here.lesson is None:
        return Page(trouble)
    if here.reads:
        return Page((*trouble, *reading_pages.cards(here)))
    made = _PAGES[here.stage](here)
    return Page((*trouble, *made.cards), made.launch, made.numbers)


def _facts(*rows: tuple[str, str]) -> tuple[Block, ...]:
    """Return the facts that have a text."""
    kept = tuple(Fact(label, text) for label, text in rows if text)
    return (Facts(kept),) if kept else ()


def _texts(text: str) -> Iterable[Line]:
    return (Line(part.strip()) for part in text.split("\n") if part.strip())


def _source(source: str, title: str) -> Card:
    """Return a card of unmodified code: a space precedes each line, where a diff has its signs."""
    return Card("code", "", (Code(title, 1, tuple(f" {line}" for line in source.splitlines()), diff=True),))


def _diff(lines: Iterable[str], title: str) -> Card:
    return Card("code", "", (Code(title, 1, tuple(lines), diff=True),))


def _compared(compared: Any) -> tuple[Block, ...]:
    """Return the comparison of two versions, as the command `compare` shows it."""
    return tuple(block for pair in compared.pairs for block in flat(pair_sections(pair, "")))


def _name(here: Exercising) -> str:
    """Return the name of the current version; its number until its answer is shown, since its id reveals the change."""
    if here.step == MINE:
        return exercising.YOUR_VERSION
    ids = [step.id for step in here.lesson.exercise.stages]
    at = ids.index(here.step) + 1 if here.step in ids else 1
    return f"{here.step} ({at} of {len(ids)})" if at == 1 or here.revealed else f"{at} of {len(ids)}"


def _first(launch: Any) -> Finding | None:
    return next((f for f in launch.findings if f.kind == "diagnosis"), None)


def _story(here: Exercising) -> Page:
    one = here.lesson.exercise
    kind = [LADDER.format(count=len(one.stages))] if one.ladder else []
    about = _facts(
        (exercising.LEVEL, ", ".join((f"{one.level}, {exercising.LEVELS[one.level]}", *kind))),
        ("Trains", STEP_OF_METHOD.format(step=one.step)),
        (exercising.BEFORE, ", ".join(str(exercise(name).number) for name in one.prerequisites)),
    )
    asked = tuple(Line(number.what, "step") for number in one.napkin)
    yours = () if here.lesson.yours is None else _facts(("Yours", str(here.lesson.yours.folder)))
    return Page(
        (
            Card("overview", one.title, (*_texts(one.story), *about), label="Story"),
            Card("napkin", _ON_PAPER, asked, label="Napkin"),
            Card("note", "; ".join(standing(here)) or "nothing yet", yours, label="So far"),
        )
    )


def standing(here: Exercising) -> tuple[str, ...]:
    """Return the progress so far, each item in a few words."""
    if here.reads:
        return reading_pages.standing(here)
    record, one = here.known, here.lesson.exercise
    out = ["solved"] if record.solved else []
    out += [f"{record.attempts} {plural(record.attempts, 'attempt')}"] if record.attempts else []
    for made in record.predictions:
        if made.points is not None:
            version = exercising.YOUR_VERSION if made.step == MINE else made.step
            out.append(f"{made.points} of 100 points for the prediction of {version}")
    out += [f"{record.hints} of {counted(len(one.hints), 'hint')}"] if record.hints else []
    out += [f"{quiz_right(here)} of {len(one.quiz)} quiz answers right"] if record.quiz else []
    return tuple(out)


def quiz_right(here: Exercising) -> int:
    """Return the number of quiz questions that were answered correctly."""
    one, given = here.lesson.exercise, here.known.quiz
    if here.reads:
        return 0
    return sum(one.quiz[int(at)].answers[i].right for at, i in given.items() if _answered(one, at, i))


def _answered(one: Any, at: str, chosen: int) -> bool:
    return at.isdecimal() and int(at) < len(one.quiz) and 0 <= chosen < len(one.quiz[int(at)].answers)


def _napkin(here: Exercising) -> Page:
    one, where, terms = here.lesson.exercise, here.lesson.recorded, here.lesson.terms
    given: tuple[Block, ...] = ()
    if where is not None:
        peaks = [rate_text(terms.bandwidth)] if terms.bandwidth else []
        peaks += [f"{rate_text(terms.flops, 'FLOP/s')} fp32"] if terms.flops else []
        given = _facts(
            ("Recorded at", ", ".join(f"{name} = {size:,}" for name, size in where.sizes.items())),
            ("GPU", where.gpu),
            ("Peaks", ", ".join(peaks)),
            ("Copy rate", rate_text(float(f"{where.copy_bytes_per_s:.2g}"))),
        )
    cards = [Card("napkin", _ON_PAPER, given, label="Napkin")]
    said, asked = dict(here.said), next_number(here)
    for at, number in enumerate(one.napkin):
        aside = f"{at + 1} of {len(one.napkin)}"
        if at in here.ways:
            cards.append(Card("change", number.what, _judged(number, said.get(at)), label="Napkin", aside=aside))
        elif at == asked:
            cards.append(Card("question", number.what, label="Napkin", aside=aside))
    if asked is None:
        cards.append(Card("note", "All numbers are answered.", label="Napkin"))
    return Page(tuple(cards))


def _judged(number: Any, typed: str | None) -> tuple[Line, ...]:
    answer = (Line(number.value, "strong", "Answer"), Line(number.how, "quiet", "Method"))
    if typed is None:
        return answer
    verdict = judge(number.value, typed)
    factor = speedup_text(verdict.factor or 0.0)
    outcomes: dict[str, tuple[str, Style]] = {
        "right": ("Right.", "holds"),
        "close": (f"Close: {factor} the correct value.", "unknown"),
        "off": (f"Off: {factor} the correct value.", "fails"),
        "unread": ("This answer cannot be scored automatically: compare it yourself.", "quiet"),
    }
    text, style = outcomes[verdict.word]
    return (Line(_in_full(typed), "fact", "Your answer"), Line(text, style), *answer)


def _in_full(typed: str) -> str:
    """Return the typed text; add the full value to a plain number with a suffix or a power, since k is 1,000."""
    mine = understood(typed)
    number = exact_text(mine.value, "count") if mine is not None and not mine.unit else ""
    same = not number or number.replace(",", "") in typed.replace(",", "") or typed.strip().endswith("%")
    return typed if same else f"{typed} (that is {number})"


def _numbers(here: Exercising) -> Page:
    shown = here.result("profile")
    if shown is None:
        return Page()
    launch, where = shown.launch, here.lesson.recorded
    blocks: list[Block] = []
    if where is not None and shown.times_ns:
        time = time_text(sorted(shown.times_ns)[len(shown.times_ns) // 2])
        runs = counted(len(shown.times_ns), "run")
        made = f"Recorded on {where.gpu}, ncu {where.ncu}, {where.date}; median of {runs}: {time}."
        blocks.append(Line(made, "quiet"))
    shape = f"grid {shape_text(launch.grid)}, block {shape_text(launch.block)}"
    head = f"The profile of {_name(here)}, without its diagnosis"
    card = Card("overview", head, (*blocks, *_facts(("Launched as", shape))), label=STAGE_NAMES["numbers"][0])
    return Page((card,), launch=launch, numbers=True)


def _predict(here: Exercising) -> Page:
    made, pick = here.prediction, here.pick
    head = f"Prediction for {_name(here)}"
    if made is not None and not predicting(here):
        scored = made.points is not None
        note = "Saved. The answer shows your score."
        note = "The answer was already shown, so a prediction for this version is not scored." if scored else note
        lines = (*_parts(here, made.class_id, made.cause, made.speedup), Line(note, "quiet"))
        return Page((Card("note" if scored else "answer", head, lines, label="Your prediction"),))
    if asks_gain(here) and here.step == MINE:
        ask = "What is the speedup of your version over the first?"
    elif asks_gain(here):
        ask = "What is the speedup after that fix? 1 means no gain."
    else:
        ask = "Which cause would you fix first?" if "class" in pick else "Which class is it?"
    rules = "What will the diagnosis say? 30 points for the class, 40 for the cause, 30 for the speedup."
    if "class" not in pick:
        rules += " Another memory class gives half. The choices state their limits in percent of peak."
    lines = (Line(rules, "quiet"), *_parts(here, pick.get("class", ""), pick.get("cause", ""), None))
    shown = here.result("profile") if here.step != MINE else None
    cards = (Card("overview", head, lines, label=STAGE_NAMES["predict"][0]), Card("question", ask))
    return Page(cards, launch=None if shown is None else shown.launch)


def _parts(here: Exercising, class_id: str, cause: str, speedup: float | None) -> tuple[Block, ...]:
    return _facts(
        ("Class", class_id and here.title(class_id)),
        ("Cause", cause and here.title(cause)),
        ("Speedup", "" if speedup is None else f"{speedup:g}×"),
    )


def _reveal(here: Exercising) -> Page:
    answer = here.result("reveal")
    if answer is None:
        text = "Your prediction is saved. Show the answer to see your score."
        if here.prediction is None:
            text = "The diagnosis of this version is hidden until you predict it."
        return Page((Card("note", text, label=STAGE_NAMES["reveal"][0]),) if not here.revealed else ())
    shown, found = answer
    verdict, first = shown.launch.verdict, _first(shown.launch)
    lines = [Line(verdict.title or verdict.id, "strong", "Class"), Line(verdict.because)]
    if first is not None:
        lines += [Line(first.title, "strong", "Cause"), Line(first.because)]
        if first.speedup is not None:
            lines.append(Line(f"{estimate_text(first.speedup)}, estimated from the profile", "fact", "Speedup"))
        lines += evidence_lines(first.evidence)
    lines.append(Line("Now find the fix yourself. Hints help, and the solution shows it.", "quiet"))
    return Page((_score(found, here), Card("finding", _name(here), tuple(lines), label="Diagnosis")))


def _score(found: Any, here: Exercising) -> Card:
    """Return the card that scores a prediction against the answer (practice.lessons.Revealed), part by part."""
    if found is None:
        return Card("note", "No prediction was made, so there is no score.", label="Your prediction")
    said, score = found.said, found.score
    # The last version has no next version to compare with.
    measured = found.speedup is not None and said.step != here.lesson.exercise.stages[-1].id
    gain = "not measured" if found.speedup is None else speedup_text(found.speedup)
    rows = (
        ("Class", here.title(said.class_id), here.title(found.class_id), score.class_points, CLASS_POINTS),
        ("Cause", here.title(said.cause), here.title(found.cause), score.cause_points, CAUSE_POINTS),
        ("Speedup", speedup_text(said.speedup), gain, score.speedup_points, SPEEDUP_POINTS),
    )
    lines = []
    for label, mine, is_, points, most in rows:
        if label == "Speedup" and found.speedup is None:
            lines.append(Line(f"{mine}; {is_}", "quiet", label))
            continue
        answer = f"{mine}, correct" if mine == is_ else f"{mine}; correct: {is_}"
        answer = f"{mine}; measured: {is_}" if label == "Speedup" and measured else answer
        style: Style = "holds" if points == most else "unknown" if points else "fails"
        lines.append(Line(f"{answer}: {points} of {most} points", style, label))
    limit = dict(here.lesson.terms.limits).get(found.class_id)
    if limit and said.class_id != found.class_id:
        lines.append(Line(f"{here.title(found.class_id)} means: {limit}, in percent of peak.", "quiet"))
    if score.factor is not None:
        lines.append(Line(f"The predicted speedup was off by a factor of {score.factor:.2f}.", "quiet"))
    if measured:
        lines.append(Line("The speedup is scored against the measured runs, not against an estimate.", "quiet"))
    return Card("change", f"{score.total} of 100 points", tuple(lines), label="Your prediction")


def _hints(here: Exercising) -> Page:
    hints, taken = here.lesson.exercise.hints, here.known.hints
    if not taken:
        text = "No hint taken yet. Each hint is more specific than the last, and your record counts them."
        return Page((Card("note", text, label=STAGE_NAMES["hints"][0]),))
    count = len(hints)
    cards = [Card("next", "", (Line(hint),), label=f"Hint {at} of {count}") for at, hint in enumerate(hints[:taken], 1)]
    if taken == count:
        cards.append(Card("note", "That was the last hint.", _patches(here)))
    return Page(tuple(cards))


def _patches(here: Exercising) -> tuple[Line, ...]:
    """Return how to see patches of the learner's version, for an exercise with a CUDA source."""
    one = here.lesson.exercise
    if not one.stages[0].source.endswith(".cu"):
        return ()
    return (Line(f"Patches of your version, proven on the CPU: ncu-advisor fix --exercise {one.number}"),)


def _edit(here: Exercising) -> Page:
    yours, given = here.lesson.yours, "The original source"
    if yours is None:
        text = "Starting creates your own folder with the source to edit. Existing files are never overwritten."
        return Page((Card("note", text, label="Your version"), _source(here.lesson.original, given)))
    cards = []
    if here.sure:
        lines = [Line("Your source is kept in the same folder under another name.")]
        if here.sure == "all":
            lines.append(Line("Attempts, hints, quiz, predictions and log of this exercise are deleted."))
        cards.append(Card("trust", "Sure?", tuple(lines)))
    files = _facts(("Source", str(yours.source)), *(("Also", str(path)) for path in yours.extra))
    note: tuple[Block, ...] = ()
    if not yours.changes:
        kept = here.result("reset", "")
        note = (Line("identical to the original" if kept is None else "The original is restored.", "quiet"),)
        note += _facts(*(("Yours is kept as", str(path)) for path in kept or ()))
    cards.append(Card("fix", here.lesson.exercise.title, (*files, *note), label="Your version"))
    code = _diff(yours.changes[2:], "What you changed") if yours.changes else _source(here.lesson.original, given)
    return Page((*cards, code))


def _run(here: Exercising) -> Page:
    """Return the page of the newest check or profile."""
    last = next((pair for pair in reversed(here.results) if pair[0] in (("check", ""), ("measure", ""))), None)
    if last is None:
        what = (
            "A check compiles your version, compares its result with the reference and times it next to "
            "the first and the last version. Without an NVIDIA GPU it is compiled only."
        )
        return Page((Card("note", what, label="Check"),))
    found = last[1]
    if not hasattr(found, "compared"):
        return Page(_tried(found))
    first, verdict = _first(found.launch), found.launch.verdict
    lines = [Line(verdict.title, "strong", "Class")]
    lines += [Line(first.title, "strong", "Cause"), Line(first.because)] if first is not None else []
    report = _facts(("Report", str(found.report) if found.report is not None else ""))
    diagnosed = Card("class", exercising.YOUR_VERSION, (*lines, *report), label="Diagnosis")
    scored = (_score(found.revealed, here),) if found.revealed is not None else ()
    compared = (Card("compared", "", _compared(found.compared), label="Compared"),) if found.compared else ()
    return Page((*scored, diagnosed, *compared))


def _tried(found: Any) -> tuple[Card, ...]:
    attempt = found.attempt
    mine, printed = attempt.mine, _printed(attempt.outcome.printed)
    if mine is None:
        failure = attempt.outcome.failure
        why = Card("note", failure.words if failure is not None else "", label="Not run")
        python = Card("note", "The exercise is Python: there is nothing to compile without a GPU.")
        built = tuple(map(_built, found.builds)) or (python,)
        return (*built, why, Card("next", "The Compare page has the recorded results of the bundled versions."))
    if mine.failure is not None:
        return (_failed(mine.failure), *printed)
    if mine.wrong:
        note = "The time of a wrong kernel is not compared."
        lines = (Line(mine.wrong, "fails"), Line(note, "quiet"))
        return (Card("error", "Wrong result", lines, label="Check"), *printed)
    return (_timed(attempt), *printed)


def _timed(attempt: Any) -> Card:
    lines = []
    for name, job in (("First version", attempt.slow), ("Yours", attempt.mine), ("Reference", attempt.fast)):
        text = "not timed"
        if job is not None and job.times_ns:
            s = spread(job.times_ns)
            text = f"{time_text(s.median)} ({time_range_text(s.low, s.high)})"
        lines.append(Line(text, "strong" if name == "Yours" else "fact", name))
    over, to = attempt.over_slow, attempt.to_fast
    if over is not None:
        same = f"no difference from the first version beyond the noise of {share_text(over.noise)}"
        lines.append(Line(same if over.word == "same" else f"{speedup_text(over.speedup)} over the first version"))
    if attempt.solved:
        lines.append(Line("Solved: your version is as fast as the reference solution.", "holds"))
    elif to is not None:
        lines.append(Line(f"The reference solution has a speedup of {speedup_text(to.speedup)} over yours."))
    return Card("fix" if attempt.solved else "change", "Right", tuple(lines), label="Check")


def _built(build: Any) -> Card:
    if build.failure is not None:
        return _failed(build.failure)
    facts = []
    for kernel in build.kernels:
        counts = (
            (kernel.registers, "registers"),
            (kernel.spill_bytes, "bytes of spills"),
            (kernel.shared_bytes, "bytes of static shared memory"),
        )
        facts.append((kernel.name, ", ".join(f"{count} {what}" for count, what in counts if count is not None)))
    blocks = (*_facts(*facts), *_remarks(build.warnings, "warning"))
    return Card("fix", f"{build.source.name}, {build.arch}, {build.compiler}", blocks, label="It compiles")


def _failed(failure: Any) -> Card:
    errors = [remark for remark in failure.remarks if remark.severity == "error"]
    if errors:
        return Card("error", "", _remarks(errors, "fails"), label="It does not compile")
    return Card("error", failure.words, label="That did not work")


def _remarks(remarks: Sequence[Any], style: Style) -> tuple[Line, ...]:
    return tuple(Line(f"{Path(r.file).name}:{r.line}: {r.text}", style) for r in remarks[:_REMARKS])


def _printed(lines: Sequence[str]) -> tuple[Card, ...]:
    if not lines:
        return ()
    return (Card("note", "The kernel printed", tuple(Line(line) for line in lines[-_PRINTED:])),)


def _compare(here: Exercising) -> Page:
    found = here.result("compare", "")
    if found is None:
        return Page()
    head = f"{found.before} and {found.after}, as recorded"
    also = f"{found.after} is not this fix alone: {found.also}. The speedup is that of all its changes."
    mixed = (Line(also, "warning"),) if found.also else ()
    blocks = (*mixed, *_compared(found.compared))
    return Page((Card("change", head, blocks, label=STAGE_NAMES["compare"][0]),))


def _quiz(here: Exercising) -> Page:
    quiz, given = here.lesson.exercise.quiz, here.known.quiz
    cards = []
    for at, question in enumerate(quiz):
        if not _answered(here.lesson.exercise, str(at), given.get(str(at), -1)):
            continue
        chosen = given[str(at)]
        good = question.answers[chosen].right
        lines = [Line("Right." if good else "Wrong.", "holds" if good else "fails")]
        for i, answer in enumerate(question.answers):
            mark = ("right" if answer.right else "wrong") + (", yours" if i == chosen else "")
            lines.append(Line(answer.text, "strong" if i == chosen else "text", mark))
            lines.append(Line(answer.because, "quiet", depth=1))
        cards.append(Card("change", question.ask, tuple(lines), label=f"Question {at + 1} of {len(quiz)}"))
    asked = next_question(here)
    if asked is not None:
        cards.append(Card("question", quiz[asked].ask, label=f"Question {asked + 1} of {len(quiz)}"))
    else:
        cards.append(Card("note", f"{quiz_right(here)} of {len(quiz)} right", label=STAGE_NAMES["quiz"][0]))
    return Page(tuple(cards))


def _solution(here: Exercising) -> Page:
    shown = here.result("solution", "")
    if shown is None:
        text = "You have not tried it yet. You can still read the solution."
        text = "The explanation, and what the simplest fix changes in the source." if tried(here) else text
        return Page((Card("note", text, label="Solution"),))
    step, before = shown.step, shown.before
    about = (Line(step.says), *_facts(("Cost", step.costs), ("File", str(shown.path))))
    if before.id == step.id:
        code = _source(shown.text, step.source)
    else:
        changes = list(difflib.unified_diff(shown.old.splitlines(), shown.text.splitlines(), lineterm="", n=3))[2:]
        code = _diff(changes, f"{step.source} against {before.source}")
    why = Card("explanation", "", tuple(_texts(here.lesson.exercise.explanation)), label="Why")
    return Page((Card("fix", f"{step.id}: {step.title}", about, label="Solution"), why, code))


def _log(here: Exercising) -> Page:
    """Return a page with a card for each version of the learner's source, the newest first."""
    cards = []
    for row in reversed(here.known.log):
        time = "wrong result" if row.right is False else time_text(row.time_ns) if row.time_ns else ""
        facts = _facts(*((label, getattr(row, key) or "") for key, label in exercising.LOG_LABELS.items()))
        head = f"version {row.version}, {row.what}"
        cards.append(Card("change", head, facts, label="Experiment log", aside=time))
    if cards:
        return Page((*cards, Card("note", "Experiment log", (Line(exercising.LOG_HOW, "quiet"),))))
    none = "The log is empty. Each check or profile of a changed version adds an entry."
    return Page((Card("note", none, label="Experiment log"),))


_PAGES: Final[dict[str, Callable[[Exercising], Page]]] = {
    "story": _story,
    "napkin": _napkin,
    "numbers": _numbers,
    "predict": _predict,
    "reveal": _reveal,
    "hints": _hints,
    "edit": _edit,
    "run": _run,
    "compare": _compare,
    "quiz": _quiz,
    "solution": _solution,
    "log": _log,
}
