"""The choices on the pages of an exercise, and the parser for text typed there."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

from advisor.practice.predictions import MEMORY_CLASSES, MINE, judge, wanted
from advisor.practice.reading_answers import estimate_ns
from advisor.records.errors import UsageError
from advisor.session import events as e
from advisor.session.choices import DONT_KNOW_WORDS
from advisor.session.language.names import near, pick, squash
from advisor.session.practice import exercising
from advisor.session.practice.exercising import Exercising
from advisor.session.records import Choice

# Choices that the screen itself handles: suspend it for an editor, or edit in place.
EDITOR, IN_PLACE = "editor", "inplace"
_MEASURE: Final = "Profile my version with ncu, before and after"
_RESET_ALL: Final = "Start over: restore the original, delete the record"
_SHOW_WORD: Final = "show"
# What a napkin question expects, by its unit; the forms show units, not values.
_KINDS: Final = {
    "byte": "a size with its unit (KB, MB, GB)",
    "byte/s": "a rate with its unit (GB/s, TB/s)",
    "ns": "a time with its unit (us, ms)",
    "%": "a percentage",
    "Hz": "a clock with its unit (GHz)",
    "FLOP": "a count of operations (GFLOP, TFLOP)",
    "FLOP/s": "a rate of operations (GFLOP/s, TFLOP/s)",
    "cycle": "a number of cycles",
    "": "a number without a unit",
}
_LONGEST: Final = 100  # maximum characters of a napkin number


def choices(here: Exercising) -> tuple[Choice, ...]:
    """Return the choices on the current page, the usual next step first."""
    back = Choice("list", "Choose another exercise") if here.listed else Choice("leave", "Back to the previous screen")
    if here.lesson is None:
        return (back,)
    return (*(_READ_CHOICES if here.reads else _CHOICES)[here.stage](here), back)


def event_of(choice: str, here: Exercising) -> e.Event | None:
    """Return the event of a choice; None for choices that a screen handles (EDITOR, IN_PLACE) and for other text."""
    if choice not in {c.id for c in choices(here)}:
        return None
    if choice == "leave":
        return e.ViewLeft()
    action, *rest = choice.split(":")
    names: dict[str, tuple[str, ...]] = {
        "stage": ("stage",),
        "napkin": ("at",),
        "class": ("id",),
        "cause": ("id",),
        "step": ("step",),
        "quiz": ("at", "chosen"),
        "sure": ("what",),
        "reset": ("progress",),
        "compare": ("before", "after"),
        "solution": ("step", "anyway"),
    }
    if action in (EDITOR, IN_PLACE):
        return None
    given = tuple((key, value) for key, value in zip(names.get(action, ()), rest, strict=False) if value)
    return _do(here, action, *given)


def _do(here: Exercising, action: str, *given: tuple[str, str]) -> e.Practised:
    return e.Practised(action, here.name, given)


def understand(text: str, here: Exercising) -> e.Event | str:
    """Return the event of a typed line (without slash commands) on the current page, or a message if it has none."""
    line = " ".join(text.split())
    if here.lesson is None:
        return "That is not one of the choices."
    if here.stage == "napkin" and (at := next_number(here)) is not None:
        return _reckoned(line, here, at)
    if here.stage == "predict" and asks_gain(here) and any(c.isdigit() for c in line):
        return _gain(line, here)
    if here.stage == "log":
        before, mark, after = line.partition(":")
        key = exercising.LOG_PREFIXES.get(before.strip().casefold()) if mark else None
        if key is not None and after.strip():
            return (
                _do(here, "log", (key, after.strip()))
                if here.known.log
                else "The log has no version yet: change the source and check it first."
            )
    return _chosen(line, here)


def stage_of(text: str, here: Exercising) -> e.Event | None:
    """Return the event of the stage whose full name is typed, for pages where other text searches; else None."""
    wanted = squash(text)
    found = next((s for s, (short, _) in here.names.items() if wanted in (s, short.casefold())), None)
    return _do(here, "stage", ("stage", found)) if found is not None and here.lesson is not None else None


def _reckoned(line: str, here: Exercising, at: int) -> e.Event | str:
    """Return the event of a napkin number; if its unit does not fit, return a message that asks for the right one."""
    value = here.lesson.exercise.napkin[at].value
    units, kinds = wanted(value), expected_kind(here)
    if any(c.isdigit() for c in line):
        if units and judge(value, line[:_LONGEST]).word == "unread":
            return f"Not scored: this question expects {kinds}. Type it again."
        return _do(here, "napkin", ("at", str(at)), ("said", line[:_LONGEST]))
    choice = choice_of(line, here)
    named = event_of(choice, here) if choice is not None else stage_of(line, here)
    return named or (
        f"This question expects {kinds}. An estimate before profiling shows what to look for, even a rough one. "
        f"`{_SHOW_WORD}` shows the number."
    )


def expected_kind(here: Exercising) -> str:
    """Return what the napkin question expects, without a value that could be its answer."""
    at = next_number(here)
    units = () if at is None else wanted(here.lesson.exercise.napkin[at].value)
    return "; or ".join(_KINDS.get(unit, f"a number of {unit}") for unit in units) or "a number"


def _gain(line: str, here: Exercising) -> e.Event | str:
    if here.reads:
        try:
            estimate_ns(line)
        except UsageError as problem:
            return str(problem)
        return _do(here, "gain", ("gain", line[:_LONGEST]))
    try:
        value = float(line.casefold().removesuffix("x").replace(",", ".").strip())
    except ValueError:
        value = 0.0
    if 0 < value < 1e6:
        return _do(here, "gain", ("gain", f"{value:g}"))
    return "Not a speedup: type a factor between 0 and a million, such as 2.5."


def _chosen(line: str, here: Exercising) -> e.Event | str:
    """Return the event of a choice by number, letter, word or prefix, else of a stage by its name."""
    choice = choice_of(line, here)
    if choice is None and lettered(here) and any(c.isdigit() for c in line):
        return "Type the letter of the answer, such as a."
    if choice is None and squash(line) in ("memory", "memory bound") and here.stage == "predict":
        return (
            "Which memory? DRAM-bound; on-chip-memory-bound (L1, shared memory, L2, LSU); or mixed, if both are high."
        )
    if choice is not None:
        return event_of(choice, here) or "That is not one of the choices."
    named = {short: stage for stage, (short, _) in here.names.items()} | {stage: stage for stage in here.names}
    stages = {named[word] for word in pick(line, named)} or {named[word] for word in near(line, named, 1)}
    return _do(here, "stage", ("stage", stages.pop())) if len(stages) == 1 else "That is not one of the choices."


def choice_of(line: str, here: Exercising) -> str | None:
    """Return the id of the choice that a line names: by its number (if choices are numbered), its words, or a prefix.

    While a napkin number is asked for, a prefix is not enough, since showing the number forfeits the question.
    """
    offered = choices(here)
    asked = next_question(here) if lettered(here) else None
    if asked is not None and (chosen := here.lesson.exercise.quiz[asked].place(line)) is not None:
        return str(offered[chosen].id)
    at = place_of(line) if numbered(here) else None
    if at is not None:
        return offered[at].id if at < len(offered) else None
    if squash(line) in ("memory", "memory bound") and any(c.id == f"class:{MEMORY_CLASSES[0]}" for c in offered):
        return None  # three classes are of the memory side
    for test in (str.__eq__,) if asks_number(here) else (str.__eq__, str.startswith):
        found = [c for c in offered if any(test(squash(word), squash(line)) for word in (*c.words, c.label))]
        if len(found) == 1:
            return found[0].id
    return None


def place_of(text: str) -> int | None:
    """Return the index in the list, from 0, for a typed row number; None unless the line is a number above 0."""
    digits = text.strip().rstrip(".)")
    return int(digits[:4]) - 1 if digits.isdecimal() and int(digits[:4]) > 0 else None


def narrowed(text: str, here: Exercising) -> tuple[tuple[str, ...], int | None]:
    """Return the words that filter a long list, and the index in the filtered list whose number is typed."""
    if not numbered(here):
        return (), None
    if not narrows(here):
        return (), place_of(text)
    *find, last = text.casefold().split() or [""]
    at = place_of(last)
    return (tuple(find), at) if at is not None else (tuple(text.casefold().split()), None)


# The question that each page asks


def next_number(here: Exercising) -> int | None:
    """Return the index of the first napkin number that was neither typed nor shown; None if there is none."""
    count = len(here.lesson.exercise.napkin)
    return next((at for at in range(count) if at not in here.ways), None)


def next_question(here: Exercising) -> int | None:
    """Return the index of the first quiz question without an answer; None if all have one."""
    count = len(here.lesson.exercise.quiz)
    return next((at for at in range(count) if str(at) not in here.known.quiz), None)


def predicting(here: Exercising) -> bool:
    """Return whether the user is making a prediction, for the first time or again."""
    made = here.prediction
    if made is None or made.points is None:
        return made is None or bool(here.picks)
    return here.step == MINE  # each version of the learner's own source counts as another one


def asks_gain(here: Exercising) -> bool:
    """Return whether the speedup is the missing part of the prediction."""
    return predicting(here) and "cause" in here.pick


def narrows(here: Exercising) -> bool:
    """Return whether typing filters the choices instead of naming one: there are many classes and causes."""
    return here.stage == "predict" and predicting(here) and not asks_gain(here)


def asks_napkin(here: Exercising) -> bool:
    """Return whether the page asks for a napkin number."""
    return here.lesson is not None and not here.reads and here.stage == "napkin" and next_number(here) is not None


def asks_number(here: Exercising) -> bool:
    """Return whether the page asks for a number (napkin number or speedup), so that a number names no choice."""
    if here.lesson is None:
        return False
    return next_number(here) is not None if here.stage == "napkin" else here.stage == "predict" and asks_gain(here)


def numbered(here: Exercising) -> bool:
    """Return whether the choices are numbered: false if the page asks for a number or if they have letters."""
    return not asks_number(here) and not lettered(here)


def lettered(here: Exercising) -> bool:
    """Return whether the choices are answers with letters, whose texts may be numbers."""
    return here.stage == "quiz" and here.lesson is not None and next_question(here) is not None


def tried(here: Exercising) -> bool:
    """Return whether the learner tried the exercise or read its solution before."""
    return bool(here.known.attempts or here.known.solutions)


def _to(stage: str) -> Choice:
    short, long = exercising.STAGE_NAMES[stage]
    return Choice(f"stage:{stage}", long, (short,))


def _story(here: Exercising) -> tuple[Choice, ...]:
    edit = (_to("edit"),) if here.lesson.yours is not None else ()
    return (_to("napkin"), _to("numbers"), _to("predict"), *edit)


def _napkin(here: Exercising) -> tuple[Choice, ...]:
    at = next_number(here)
    if at is None:
        return (_to("numbers"), _to("predict"))
    return (
        Choice(f"napkin:{at}", "Show the number and how to get it", ("way", _SHOW_WORD, *DONT_KNOW_WORDS)),
        _to("numbers"),
    )


def _numbers(here: Exercising) -> tuple[Choice, ...]:
    first = _to("reveal") if here.revealed else _to("predict")
    steps = [step for step in here.lesson.exercise.stages if step.id != here.step]
    # The id of a later version reveals the fix of the version before it.
    label = "{id}" if here.revealed else "{number}"
    ids = [step.id for step in here.lesson.exercise.stages]
    others = [
        Choice(
            f"step:{s.id}",
            f"Show another version: {label.format(id=s.id, number=ids.index(s.id) + 1)}",
        )
        for s in steps
    ]
    return (first, *others)


def _predict(here: Exercising) -> tuple[Choice, ...]:
    made, terms = here.prediction, here.lesson.terms
    if not predicting(here) and made.points is not None:
        return (_to("reveal"), _to("edit"))
    if not predicting(here) and here.step == MINE:
        return (
            Choice("measure", _MEASURE, ("profile", "measure")),
            Choice("anew", "Predict again", ("anew",)),
        )
    if not predicting(here):
        return (Choice("reveal", "Show the answer", ("answer",)), Choice("anew", "Predict again", ("anew",)))
    if asks_gain(here):
        return (Choice("anew", "Choose the class again", ("anew",)),)
    kind, pairs = ("cause", terms.causes) if "class" in here.pick else ("class", terms.classes)
    limits = dict(terms.limits) if kind == "class" else {}
    return tuple(Choice(f"{kind}:{name}", title, (name,), limits.get(name, "")) for name, title in pairs)


def _reveal(here: Exercising) -> tuple[Choice, ...]:
    if here.result("reveal") is not None:
        return (_to("edit"), _to("hints"), _to("quiz"), _to("numbers"))
    if here.prediction is not None:
        return (Choice("reveal", "Show the answer", ("answer",)), _to("predict"))
    return (_to("predict"), Choice("reveal", "Show it without a prediction (no points)", ("show",)))


def _hints(here: Exercising) -> tuple[Choice, ...]:
    left = len(here.lesson.exercise.hints) - here.known.hints
    more = (Choice("hint", f"Take the next hint ({left} left)", ("hint", "next")),) if left > 0 else ()
    return (*more, _to("edit"), *(() if left else (_to("solution"),)))


def _edit(here: Exercising) -> tuple[Choice, ...]:
    if here.lesson.yours is None:
        return (Choice("start", "Create my folder", ("start",)), _to("hints"))
    if here.sure:
        everything = here.sure == "all"
        what = _RESET_ALL if everything else "Restore the original"
        yes = Choice("reset:1" if everything else "reset", f"Yes: {what}", ("yes", "y"))
        return (Choice("stage:edit", "No, change nothing", ("no", "n")), yes)
    edit = [Choice(EDITOR, "Edit in {editor}", ("editor",)), Choice(IN_PLACE, "Edit here", ("here",))]
    out = [_to("run"), *edit] if here.lesson.yours.changes else [*edit, _to("run")]
    out += [
        Choice("sure:source", "Restore the original", ("reset",)),
        Choice("sure:all", _RESET_ALL, ("start over",)),
    ]
    return tuple(out)


def _run(here: Exercising) -> tuple[Choice, ...]:
    if here.lesson.yours is None:
        return (_to("edit"), _to("compare"))
    again = "Check again" if here.result("check", "") is not None else "Check my version"
    check = Choice("check", again, ("check",))
    after = here.result("check", "") is not None
    foretell = Choice(f"step:{MINE}", "Predict the diagnosis of my version", ("predict",))
    rest = (foretell, Choice("measure", _MEASURE, ("profile", "measure")), _to("compare"), _to("log"))
    return (_to("edit"), check, *rest, _to("quiz")) if after else (check, _to("edit"), *rest)


def _compare(here: Exercising) -> tuple[Choice, ...]:
    ids = [step.id for step in here.lesson.exercise.stages]
    fix = here.lesson.exercise.fix_of(ids[0])
    pairs = [(ids[0], fix.id)] if fix is not None else []
    pairs = list(dict.fromkeys([*pairs, (ids[0], ids[-1]), *pairwise(ids)]))
    out = [Choice(f"compare:{a}:{b}", f"{a} against {b}") for a, b in pairs]
    return (*out, _to("edit"), _to("quiz"))


def _quiz(here: Exercising) -> tuple[Choice, ...]:
    at = next_question(here)
    if at is None:
        return (_to("solution"), _to("edit"))
    answers = here.lesson.exercise.quiz[at].answers
    return tuple(Choice(f"quiz:{at}:{i}", a.text, ("abcdefghijklmnopqrstuvwxyz"[i],)) for i, a in enumerate(answers))


def _solution(here: Exercising) -> tuple[Choice, ...]:
    shown = here.result("solution", "")
    label = "Show the solution" if tried(here) else "Show it anyway"
    first = here.lesson.exercise.solution.id
    if shown is None:
        return (Choice(f"solution:{first}:1", label, ("show",)), _to("quiz"), _to("edit"))
    steps = [s.id for s in here.lesson.exercise.steps if s.id != shown.step.id]
    others = [Choice(f"solution:{step}:1", f"Show the version {step}") for step in steps]
    return (_to("log"), *others, _to("quiz"))


def _log(here: Exercising) -> tuple[Choice, ...]:
    return (_to("edit"), _to("run"), _to("story"))


_CHOICES: Final[dict[str, Any]] = {
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


# Exercises that are read


def _read_to(stage: str) -> Choice:
    short, long = exercising.READ_NAMES[stage]
    return Choice(f"stage:{stage}", long, (short,))


def _read_predict(here: Exercising) -> tuple[Choice, ...]:
    made = here.prediction
    if not predicting(here) and made.points is not None:
        return (_read_to("reveal"), _read_to("log"))
    if not predicting(here):
        return (Choice("reveal", "Show the answer", ("answer",)), Choice("anew", "Predict again", ("anew",)))
    if asks_gain(here):
        return (Choice("anew", "Choose again what it shows", ("anew",)),)
    return tuple(Choice(f"cause:{name}", title, (name,)) for name, title in here.lesson.terms.causes)


def _read_reveal(here: Exercising) -> tuple[Choice, ...]:
    if here.result("reveal") is not None:
        return (_read_to("log"), _read_to("numbers"))
    if here.prediction is not None:
        return (Choice("reveal", "Show the answer", ("answer",)), _read_to("predict"))
    return (_read_to("predict"), Choice("reveal", "Show it without a prediction (no points)", ("show",)))


def _read_hints(here: Exercising) -> tuple[Choice, ...]:
    left = len(here.lesson.exercise.hints) - here.known.hints
    more = (Choice("hint", f"Take the next hint ({left} left)", ("hint", "next")),) if left > 0 else ()
    return (*more, _read_to("numbers"), _read_to("predict"))


_READ_CHOICES: Final[dict[str, Any]] = {
    "story": lambda here: (_read_to("numbers"), _read_to("predict")),
    "numbers": lambda here: (_read_to("reveal" if here.revealed else "predict"), _read_to("hints")),
    "predict": _read_predict,
    "reveal": _read_reveal,
    "hints": _read_hints,
    "log": lambda here: (_read_to("story"),),
}
