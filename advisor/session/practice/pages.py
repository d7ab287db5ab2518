"""What came of checking and profiling a learner's version, and the experiment log, as cards.

The pages of an exercise as cards, and what a screen draws in its own way: charts, code, a comparison.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from advisor.practice.predictions import CAUSE_POINTS, CLASS_POINTS, MINE, SPEEDUP_POINTS, judge, understood
from advisor.reasoning.time_model.noise import spread
from advisor.session.cards import evidence_lines
from advisor.session.practice import exercising
from advisor.session.practice.exercising import Exercising
from advisor.session.practice.turn import asks_gain, next_number, next_question, predicting, tried
from advisor.session.records import Card, Line
from advisor.view.numbers import amount_text, estimate_text, shape_text, time_text

_REMARKS: Final = 5
_PRINTED: Final = 10


def run_cards(here: Exercising, score_card: Callable[[Any, Exercising], Card]) -> tuple[tuple[Card, ...], Any]:
    """The newest check or profile, and the comparison that a profile gave."""
    what = Card(
        "note",
        (
            "A check compiles your version, compares its result with the reference and times it beside "
            "the first and the last version. Without an NVIDIA GPU it is compiled only."
        ),
        label="Check",
    )
    last = next((pair for pair in reversed(here.told) if pair[0] in (("check", ""), ("measure", ""))), None)
    if last is None:
        return (what,), None
    found = last[1]
    if not hasattr(found, "compared"):
        return _tried(found), None
    first = next((f for f in found.launch.findings if f.kind == "diagnosis"), None)
    lines = [Line(found.launch.verdict.title, "strong", "Class")]
    lines += [Line(first.title, "strong", "First now"), Line(first.because)] if first is not None else []
    lines += [Line(str(found.report), "fact", "Report")] if found.report is not None else []
    cards = [Card("class", exercising.YOUR_VERSION, tuple(lines), label="Diagnosis")]
    if found.revealed is not None:
        cards.insert(0, score_card(found.revealed, here))
    return tuple(cards), found.compared


def _tried(found: Any) -> tuple[Card, ...]:
    tried = found.attempt
    mine = tried.mine
    if mine is None:
        failure = tried.outcome.failure
        why = Card(
            "note", failure.words if failure is not None else "Nothing could be run", label="Nothing could be run"
        )
        built = tuple(_built(build) for build in found.builds) or (
            Card("note", "The exercise is Python: there is nothing to compile without a GPU."),
        )
        return (*built, why, Card("next", "The recorded results of the bundled versions are under Compare."))
    if mine.failure is not None:
        return (_failed(mine.failure), *_printed(tried.outcome.printed))
    if mine.wrong:
        lines = (
            Line(mine.wrong, "fails"),
            Line("A wrong kernel's time means nothing, so it is not compared.", "quiet"),
        )
        return (Card("error", "Wrong result", lines, label="Check"), *_printed(tried.outcome.printed))
    return (_timed(tried), *_printed(tried.outcome.printed))


def _timed(tried: Any) -> Card:
    lines = []
    for name, job in (("slow", tried.slow), ("mine", tried.mine), ("fast", tried.fast)):
        text = "not timed"
        if job is not None and job.times_ns:
            s = spread(job.times_ns)
            low, high = time_text(s.low), time_text(s.high)
            text = f"{time_text(s.median)}, from {low} to {high}"
        lines.append(Line(text, "strong" if name == "mine" else "fact", exercising.TIMES[name]))
    over, to = tried.over_slow, tried.to_fast
    if over is not None:
        same = f"no faster or slower than the first version beyond the noise of {over.noise:.1%}"
        lines.append(Line(same if over.word == "same" else f"{over.speedup:.2f} times as fast as the first version"))
    if tried.solved:
        lines.append(Line("Solved: as fast as the last version.", "holds"))
    elif to is not None:
        lines.append(Line(f"The last version is {to.speedup:.2f} times as fast as yours."))
    kind = "fix" if tried.solved else "change"
    return Card(kind, "Right", tuple(lines), label="Check")


def _built(build: Any) -> Card:
    if build.failure is not None:
        return _failed(build.failure)
    lines = []
    for kernel in build.kernels:
        facts = (
            (kernel.registers, "{count} registers"),
            (kernel.spill_bytes, "{count} bytes of spills"),
            (kernel.shared_bytes, "{count} bytes of static shared memory"),
        )
        said = ", ".join(text.format(count=count) for count, text in facts if count is not None)
        lines.append(Line(said, "fact", kernel.name))
    lines += [Line(f"{Path(r.file).name}:{r.line}: {r.text}", "warning") for r in build.warnings[:_REMARKS]]
    return Card("fix", f"{build.source.name}, {build.arch}, {build.compiler}", tuple(lines), label="It compiles")


def _failed(failure: Any) -> Card:
    errors = [remark for remark in failure.remarks if remark.severity == "error"]
    label = "It does not compile" if errors else "That did not work"
    lines = tuple(Line(f"{Path(r.file).name}:{r.line}: {r.text}", "fails") for r in errors[:_REMARKS])
    return Card("error", failure.words if not errors else "", lines, label=label)


def _printed(lines: Sequence[str]) -> tuple[Card, ...]:
    if not lines:
        return ()
    return (Card("note", "The kernel printed", tuple(Line(line) for line in lines[-_PRINTED:])),)


def log_lines(here: Exercising) -> tuple[Card, ...]:
    """A card for each version of the learner's source, the newest first."""
    cards = []
    for row in reversed(here.known.log):
        time = "wrong result" if row.right is False else time_text(row.time_ns) if row.time_ns else ""
        lines = [
            Line(getattr(row, key), "fact", exercising.LOG_LABELS[key])
            for key in exercising.LOG_LABELS
            if getattr(row, key)
        ]
        head = f"version {row.version}, {row.what}"
        cards.append(Card("change", head, tuple(lines), label="Experiment log", aside=time))
    return tuple(cards)


@dataclass(frozen=True, slots=True)
class Page:
    """A page. launch: whose charts are shown below; compared: a comparison shown below; code: lines of a file or a
    diff, and code_title what they are; numbers: whether all numbers of the launch are listed.
    """

    cards: tuple[Card, ...]
    launch: Any = None
    compared: Any = None
    code: tuple[str, ...] = ()
    code_title: str = ""
    numbers: bool = False


def page(here: Exercising) -> Page:
    """The page at hand."""
    trouble = (Card("error", here.trouble, label="That did not work"),) if here.trouble else ()
    if here.lesson is None:
        return Page(trouble)
    made = _PAGES[here.stage](here)
    return Page((*trouble, *made.cards), made.launch, made.compared, made.code, made.code_title, made.numbers)


def _lines(*lines: Line | None) -> tuple[Line, ...]:
    return tuple(line for line in lines if line is not None)


def _fact(label: str, text: str) -> Line | None:
    return Line(text, "fact", label) if text else None


def _name(here: Exercising) -> str:
    """The version at hand; by its number until its answer was shown, since ids tell what was done."""
    if here.step == MINE:
        return exercising.YOUR_VERSION
    ids = [step.id for step in here.lesson.exercise.stages]
    at = ids.index(here.step) + 1 if here.step in ids else 1
    return f"{here.step} ({at} of {len(ids)})" if at == 1 or here.revealed else f"{at} of {len(ids)}"


def _story(here: Exercising) -> Page:
    one = here.lesson.exercise
    ladder = exercising.LADDER.format(count=len(one.stages)) if one.ladder else ""
    lines = _lines(
        *(Line(text) for text in _paragraphs(one.story)),
        _fact(exercising.LEVEL, ", ".join(x for x in (f"{one.level}, {exercising.LEVELS[one.level]}", ladder) if x)),
        _fact("Trains", exercising.STEP_OF_METHOD.format(step=one.step)),
        _fact(exercising.BEFORE, ", ".join(one.prerequisites)),
    )
    asked = tuple(Line(number.what, "step") for number in one.napkin)
    return Page(
        (
            Card("overview", one.title, lines, label="Story"),
            Card("napkin", "Before any profile, on paper", asked, label="On paper"),
            Card("note", "; ".join(standing(here)) or "nothing yet", _yours(here), label="So far"),
        )
    )


def _yours(here: Exercising) -> tuple[Line, ...]:
    return () if here.lesson.yours is None else _lines(_fact("Yours", str(here.lesson.yours.folder)))


def standing(here: Exercising) -> tuple[str, ...]:
    """What was done so far, each in a few words."""
    record, one = here.known, here.lesson.exercise
    made = [p for p in record.predictions if p.points is not None]
    out = ["solved"] if record.solved else []
    if record.attempts:
        out.append("1 attempt" if record.attempts == 1 else f"{record.attempts} attempts")
    out += [
        (f"{p.points} of 100 points for the prediction of {(exercising.YOUR_VERSION if p.step == MINE else p.step)}")
        for p in made
    ]
    out += [f"{record.hints} of {len(one.hints)} hints"] if record.hints else []
    out += [f"{quiz_right(here)} of {len(one.quiz)} quiz answers right"] if record.quiz else []
    return tuple(out)


def quiz_right(here: Exercising) -> int:
    """How many questions of the quiz were answered rightly."""
    one, given = here.lesson.exercise, here.known.quiz
    return sum(one.quiz[int(at)].answers[i].right for at, i in given.items() if _there(one, at, i))


def _there(one: Any, at: str, chosen: int) -> bool:
    return at.isdecimal() and int(at) < len(one.quiz) and 0 <= chosen < len(one.quiz[int(at)].answers)


def _paragraphs(text: str) -> Iterable[str]:
    return (part.strip() for part in text.split("\n") if part.strip())


def _napkin(here: Exercising) -> Page:
    one, where, terms = here.lesson.exercise, here.lesson.recorded, here.lesson.terms
    given: list[Line | None] = []
    if where is not None:
        sizes = ", ".join(f"{name} = {size:,}" for name, size in where.sizes.items())
        peaks = [amount_text(terms.bandwidth, "byte/s")] if terms.bandwidth else []
        peaks += [f"{amount_text(terms.flops, 'FLOP/s')} fp32"] if terms.flops else []
        given = [
            _fact("Recorded at", sizes),
            _fact("Card", where.gpu),
            _fact("Peaks", ", ".join(peaks)),
            _fact("A copy runs at", amount_text(float(f"{where.copy_bytes_per_s:.2g}"), "byte/s")),
        ]
    cards = [Card("napkin", "Before any profile, on paper", _lines(*given), label="On paper")]
    said, asked = dict(here.said), next_number(here)
    for at, number in enumerate(one.napkin):
        aside = f"{at + 1} of {len(one.napkin)}"
        if at in here.ways:
            cards.append(Card("change", number.what, _judged(number, said.get(at)), label="On paper", aside=aside))
        elif at == asked:
            cards.append(Card("question", number.what, (), label="On paper", aside=aside))
    if asked is None:
        cards.append(Card("note", "These were all.", label="On paper"))
    return Page(tuple(cards))


def _judged(number: Any, typed: str | None) -> tuple[Line, ...]:
    lines = []
    if typed is not None:
        verdict = judge(number.value, typed)
        style = {"right": "holds", "close": "unknown", "off": "fails", "unread": "quiet"}[verdict.word]
        lines = [
            Line(_in_full(typed), "fact", "You said"),
            Line(exercising.JUDGED[verdict.word].format(factor=verdict.factor or 0.0), style),
        ]
    return (*lines, Line(number.value, "strong", "It is"), Line(number.how, "quiet", "The way"))


def _in_full(typed: str) -> str:
    """What was typed; a plain number behind a suffix or a power also in full, since k is 1,000."""
    mine = understood(typed)
    number = amount_text(mine.value, "count") if mine is not None and not mine.unit else ""
    plain = not number or number.replace(",", "") in typed.replace(",", "") or typed.strip().endswith("%")
    return typed if plain else f"{typed} (that is {number})"


def _numbers(here: Exercising) -> Page:
    shown = here.result("profile")
    if shown is None:
        return Page(())
    launch, where = shown.launch, here.lesson.recorded
    shape = f"grid {shape_text(launch.grid)}, block {shape_text(launch.block)}"
    made = ""
    if where is not None and shown.times_ns:
        time = time_text(sorted(shown.times_ns)[len(shown.times_ns) // 2])
        made = f"Recorded on {where.gpu}, ncu {where.ncu}, {where.date}; median of {len(shown.times_ns)} runs: {time}."
    lines = _lines(Line(made, "quiet") if made else None, _fact("Launched as", shape))
    card = Card(
        "overview",
        f"The profile of {_name(here)}, without its diagnosis",
        lines,
        label=exercising.STAGE_NAMES["numbers"][0],
    )
    return Page((card,), launch=launch, numbers=True)


def _predict(here: Exercising) -> Page:
    made, pick = here.prediction, here.pick
    head = f"Prediction for {_name(here)}"
    lines = [Line("What will the diagnosis say? 30 points for the class, 40 for the cause, 30 for the gain.", "quiet")]
    if made is not None and not predicting(here):
        lines = [*_parts(here, made.class_id, made.cause, made.speedup)]
        scored = made.points is not None
        lines.append(
            Line(
                "The answer was shown: a prediction for this version is no longer scored."
                if scored
                else "Noted. The answer gives your points.",
                "quiet",
            )
        )
        return Page((Card("answer" if not scored else "note", head, tuple(lines), label="Your prediction"),))
    ask = (
        (
            "How many times as fast as the first version is yours?"
            if here.step == MINE
            else "How many times as fast will it be with that fixed? 1 means that there is nothing to gain."
        )
        if asks_gain(here)
        else "Which cause would you fix first?"
        if "class" in pick
        else "Which class is it?"
    )
    lines += _parts(here, pick.get("class", ""), pick.get("cause", ""), None)
    shown = here.result("profile") if here.step != MINE else None
    cards = (Card("overview", head, tuple(lines), label=exercising.STAGE_NAMES["predict"][0]), Card("question", ask))
    return Page(cards, launch=None if shown is None else shown.launch)


def _parts(here: Exercising, class_id: str, cause: str, speedup: float | None) -> list[Line]:
    gain = "" if speedup is None else f"{speedup:g}×"
    pairs = (
        ("Class", class_id and here.title(class_id)),
        ("Cause", cause and here.title(cause)),
        ("Gain", gain),
    )
    return [Line(text, "strong", label) for label, text in pairs if text]


def _reveal(here: Exercising) -> Page:
    answer = here.result("reveal")
    if answer is None:
        text = (
            "The diagnosis of this version is hidden until you have predicted it."
            if here.prediction is None
            else "Your prediction is noted. Show the answer to see how it did."
        )
        return Page((Card("note", text, label=exercising.STAGE_NAMES["reveal"][0]),) if not here.revealed else ())
    shown, found = answer
    launch = shown.launch
    first = next((f for f in launch.findings if f.kind == "diagnosis"), None)
    lines = [Line(launch.verdict.title or launch.verdict.id, "strong", "Class"), Line(launch.verdict.because)]
    if first is not None:
        gain = "" if first.speedup is None else estimate_text(first.speedup)
        lines += [Line(first.title, "strong", "Cause"), Line(first.because)]
        lines += [Line(f"{gain}, as the time model estimates it from the profile", "fact", "Gain")] if gain else []
        lines += evidence_lines(first.evidence)
    lines.append(Line("Now find the fix yourself: hints help, the solution shows it.", "quiet"))
    return Page((score_card(found, here), Card("finding", _name(here), tuple(lines), label="Diagnosis")))


def score_card(found: Any, here: Exercising) -> Card:
    """A prediction against the answer (practice.learning.Revealed), with the points of each part."""
    if found is None:
        return Card("note", "Nothing was predicted, so there are no points.", label="Your prediction")
    said, score = found.said, found.score
    # After the last version there is none to measure it against.
    measured = found.speedup is not None and said.step != here.lesson.exercise.stages[-1].id
    is_gain = "not measured" if found.speedup is None else f"{found.speedup:.2f}×"
    rows = (
        ("Class", here.title(said.class_id), here.title(found.class_id), score.class_points, CLASS_POINTS),
        ("Cause", here.title(said.cause), here.title(found.cause), score.cause_points, CAUSE_POINTS),
        ("Gain", f"{said.speedup:.2f}×", is_gain, score.speedup_points, SPEEDUP_POINTS),
    )
    lines = []
    for label, mine, is_, points, most in rows:
        style = "holds" if points == most else "fails" if not points else "unknown"
        if label == "Gain" and found.speedup is None:
            lines.append(Line(f"{mine}; {is_}", "quiet", label))
            continue
        said_so = (
            "{said}, as it is: {points} of {most} points"
            if mine == is_
            else "{said}; it is {found}: {points} of {most} points"
        )
        if label == "Gain" and measured:
            said_so = "{said}; measured: {found}: {points} of {most} points"
        text = said_so.format(said=mine, found=is_, points=points, most=most)
        lines.append(Line(text, style, label))
    if score.factor is not None:
        lines.append(Line(f"The gain was off by a factor of {score.factor:.2f}.", "quiet"))
    if measured:
        lines.append(Line("Points for the gain go by the measured runs, not by an estimate.", "quiet"))
    return Card("change", f"{score.total} of 100 points", tuple(lines), label="Your prediction")


def _hints(here: Exercising) -> Page:
    hints, taken = here.lesson.exercise.hints, here.known.hints
    if not taken:
        return Page(
            (
                Card(
                    "note",
                    "No hint taken yet. They go from vague to plain, and how many you took stays in your record.",
                    label=exercising.STAGE_NAMES["hints"][0],
                ),
            )
        )
    cards = [
        Card("next", "", (Line(hint),), label=f"Hint {at} of {len(hints)}") for at, hint in enumerate(hints[:taken], 1)
    ]
    if taken == len(hints):
        cards.append(Card("note", "That was the last hint."))
    return Page(tuple(cards))


def _edit(here: Exercising) -> Page:
    yours = here.lesson.yours
    if yours is None:
        start = Card(
            "note",
            ("Starting makes a folder of your own with the source to edit. What is there is never overwritten."),
            label="Your version",
        )
        return Page((start,), code=_text(here.lesson.original), code_title="The source as it is given")
    cards = []
    if here.sure:
        lines = [Line("Your source is kept next to it under another name.")] + (
            [Line("Attempts, hints, quiz, predictions and log of this exercise are forgotten.")]
            if here.sure == "all"
            else []
        )
        cards.append(Card("trust", "Sure?", tuple(lines)))
    kept = here.result("reset", "")
    note = None if kept is None or yours.changes else Line("The original is there again.", "quiet")
    files = [_fact("Source", str(yours.source)), *(_fact("Beside it", str(path)) for path in yours.extra)]
    state = Line("as the original", "quiet") if not yours.changes else None
    moved = [_fact("Yours was kept as", str(path)) for path in kept or ()] if note is not None else []
    cards.append(Card("fix", here.name, _lines(*files, note or state, *moved), label="Your version"))
    if not yours.changes:
        return Page(tuple(cards), code=_text(here.lesson.original), code_title="The source as it is given")
    return Page(tuple(cards), code=yours.changes[2:], code_title="What you changed")


def _text(source: str) -> tuple[str, ...]:
    """A space before each line, where a diff has its signs."""
    return tuple(f" {line}" for line in source.splitlines())


def _run(here: Exercising) -> Page:
    cards, compared = run_cards(here, score_card)
    return Page(cards, compared=compared)


def _compare(here: Exercising) -> Page:
    found = here.result("compare", "")
    if found is None:
        return Page(())
    head = f"{found.before} against {found.after}, as recorded"
    return Page((Card("change", head, label=exercising.STAGE_NAMES["compare"][0]),), compared=found.compared)


def _quiz(here: Exercising) -> Page:
    quiz, given = here.lesson.exercise.quiz, here.known.quiz
    cards, right = [], 0
    for at, question in enumerate(quiz):
        if not _there(here.lesson.exercise, str(at), given.get(str(at), -1)):
            continue
        chosen = given[str(at)]
        good = question.answers[chosen].right
        right += good
        lines = [Line(exercising.ANSWERED[good], "holds" if good else "fails")]
        for i, a in enumerate(question.answers):
            mark = exercising.MARKS[a.right] + (f", {exercising.YOURS}" if i == chosen else "")
            lines += [Line(a.text, "strong" if i == chosen else "text", mark), Line(a.because, "quiet", depth=1)]
        head = exercising.QUESTION.format(at=at + 1, all=len(quiz))
        cards.append(Card("change", question.ask, tuple(lines), label=head))
    asked = next_question(here)
    if asked is not None:
        head = exercising.QUESTION.format(at=asked + 1, all=len(quiz))
        cards.append(Card("question", quiz[asked].ask, label=head))
    else:
        cards.append(Card("note", f"{right} of {len(quiz)} right", label=exercising.STAGE_NAMES["quiz"][0]))
    return Page(tuple(cards))


def _solution(here: Exercising) -> Page:
    shown = here.result("solution", "")
    if shown is None:
        text = (
            "The explanation and the last version's source."
            if tried(here)
            else "You have not tried it yet. The solution can be read all the same."
        )
        return Page((Card("note", text, label="Solution"),))
    lines = _lines(Line(shown.step.says), _fact("Costs", shown.step.costs), _fact("File", str(shown.path)))
    why = tuple(Line(text) for text in _paragraphs(here.lesson.exercise.explanation))
    first = shown.before.id == shown.step.id
    against = f"{shown.step.source} against {shown.before.source}"
    return Page(
        (
            Card("fix", f"{shown.step.id}: {shown.step.title}", lines, label="Solution"),
            Card("explanation", "", why, label="Why"),
        ),
        code=_text(shown.text) if first else _diff(shown.old, shown.text),
        code_title=shown.step.source if first else against,
    )


def _diff(old: str, new: str) -> tuple[str, ...]:
    return tuple(difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=3))[2:]


def _log(here: Exercising) -> Page:
    cards = log_lines(here)
    hint = Line(exercising.LOG_HOW, "quiet")
    if not cards:
        return Page(
            (
                Card(
                    "note",
                    "Each check or profile of a version that you changed writes a row here. There is none yet.",
                    label="Experiment log",
                ),
            )
        )
    return Page((*cards, Card("note", "Experiment log", (hint,))))


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
