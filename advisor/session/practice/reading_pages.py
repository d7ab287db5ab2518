"""The pages of an exercise that is read: each stage as cards, from the story to the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from advisor.practice.reading_answers import Shown
from advisor.session.practice import exercising
from advisor.session.practice.exercising import READ_NAMES, STEP_OF_METHOD, Exercising
from advisor.session.practice.turn import asks_gain, predicting
from advisor.session.records import Card
from advisor.view.blocks import Block, Fact, Facts, Line, Picture
from advisor.view.charts.lanes import picture
from advisor.view.numbers import time_text
from advisor.view.pages import reading as view
from advisor.view.pages.timeline import kernels_section


class _Lanes:
    """The lanes of a GPU as a drawing that equals another one of the same GPU, so that a page keeps its card."""

    def __init__(self, gpu: Any) -> None:
        self._gpu = gpu

    def __call__(self, width: int, blocks: bool) -> list[str]:
        return picture(self._gpu, width, blocks)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Lanes) and other._gpu is self._gpu

    def __hash__(self) -> int:
        return id(self._gpu)


def cards(here: Exercising) -> tuple[Card, ...]:
    """Return the cards of the current page."""
    return _PAGES[here.stage](here)


def standing(here: Exercising) -> tuple[str, ...]:
    """Return the progress so far, each item in a few words."""
    record = here.known
    out = ["solved"] if record.solved else []
    out += [f"{made.points} of 100 points for the answer" for made in record.predictions if made.points is not None]
    out += [f"{record.hints} of {len(here.lesson.exercise.hints)} hints"] if record.hints else []
    return tuple(out)


def _story(here: Exercising) -> tuple[Card, ...]:
    one = here.lesson.exercise
    about = Facts((Fact("Kind", exercising.READS[one.kind]), Fact("Trains", STEP_OF_METHOD.format(step=one.step))))
    return (
        Card("overview", one.title, (Line(one.story), about), label="Story"),
        Card("note", "; ".join(standing(here)) or "nothing yet", label="So far"),
    )


def _facts(here: Exercising) -> tuple[Card, ...]:
    found: Shown | None = here.result("profile")
    if found is None:
        return ()
    label = READ_NAMES["numbers"][0]
    if found.timeline is None:
        parts = [(part.title, part.blocks) for part in view.facts_sections(found)]
        (_, first), *rest = parts
        head = Card("overview", "The profile, without its caveats", first, label=label)
        return (head, *(Card("timeline", name, blocks) for name, blocks in rest))
    gpu, about = found.timeline.gpu, found.timeline.overview
    lanes = Picture(None, _Lanes(gpu))
    kernels = kernels_section(gpu.kernels)
    tables = [*view.timeline_tables(about), (kernels.title, kernels.blocks)]
    return (
        Card("overview", "The timeline, without its diagnosis", (*view.timeline_facts(found), lanes), label=label),
        *(Card("timeline", name, blocks) for name, blocks in tables),
    )


def _predict(here: Exercising) -> tuple[Card, ...]:
    one, made, pick = here.lesson.exercise, here.prediction, here.pick
    label = "Your answer"
    if made is not None and not predicting(here):
        scored = made.points is not None
        note = "Saved. The answer shows your score."
        note = "Not scored: you have already seen the answer." if scored else note
        lines: tuple[Block, ...] = (_said(here, made.cause, made.estimate), Line(note, "quiet"))
        return (Card("note" if scored else "answer", "", lines, label=label),)
    ask = view.ASKS_TIME if asks_gain(here) else view.ASKS[one.kind]
    chosen = (_said(here, pick["cause"], None),) if "cause" in pick else ()
    return (
        Card("overview", one.title, (*view.question_blocks(one)[-1:], *chosen), label=READ_NAMES["predict"][0]),
        Card("question", ask),
    )


def _said(here: Exercising, cause: str, estimate: float | None) -> Facts:
    time = (Fact("Time saved", time_text(estimate)),) if estimate is not None else ()
    return Facts((Fact("It shows", here.title(cause)), *time))


def _reveal(here: Exercising) -> tuple[Card, ...]:
    answered = here.result("reveal")
    if answered is None:
        text = "Your answer is saved. Show the diagnosis to see your score."
        text = "The diagnosis is hidden until you say what the recording shows." if here.prediction is None else text
        return () if here.revealed else (Card("note", text, label=READ_NAMES["reveal"][0]),)
    one = here.lesson.exercise
    out = []
    if answered.score is None:
        out.append(Card("note", "No answer was given, so there is no score.", label="Your answer"))
    else:
        table = view.score_table(one, answered)
        out.append(Card("change", f"{answered.score.total} of 100 points", (table,), label="Your answer"))
    for at, (name, blocks) in enumerate(view.answer_sections(one, answered.shown)):
        out.append(Card("note" if at else "finding", name, blocks, label="" if at else "Diagnosis"))
    return tuple(out)


def _hints(here: Exercising) -> tuple[Card, ...]:
    hints, taken = here.lesson.exercise.hints, here.known.hints
    if not taken:
        return (Card("note", "No hint taken yet; your record counts them.", label=READ_NAMES["hints"][0]),)
    labelled = [(f"Hint {at} of {len(hints)}", hint) for at, hint in enumerate(hints[:taken], 1)]
    return tuple(Card("next", "", (Line(hint),), label=label) for label, hint in labelled)


def _log(here: Exercising) -> tuple[Card, ...]:
    label = READ_NAMES["log"][0]
    scored = [made for made in here.known.predictions if made.points is not None]
    if not scored:
        return (Card("note", "The log is empty. The answer adds an entry.", label=label),)
    out = [Card("change", view.answer_text(made), label=label) for made in reversed(scored)]
    for row in here.known.log:
        notes = tuple(Fact(name, getattr(row, key)) for key, name in exercising.LOG_LABELS.items() if getattr(row, key))
        out += [Card("note", "Notes", (Facts(notes),))] if notes else []
    return (*out, Card("note", "Experiment log", (Line(exercising.LOG_HOW, "quiet"),)))


_PAGES: Final[dict[str, Callable[[Exercising], tuple[Card, ...]]]] = {
    "story": _story,
    "numbers": _facts,
    "predict": _predict,
    "reveal": _reveal,
    "hints": _hints,
    "log": _log,
}
