"""The card of a step of the method, and the list of all steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from advisor.dialogue.method import words
from advisor.dialogue.method.progress import far
from advisor.dialogue.records import Card, Line, Step
from advisor.dialogue.state import State

_MARKS: Final = {"here": "strong", "done": "holds", "skipped": "text", "read": "text", "open": "quiet"}
_WORDS: Final = {
    "here": f" ({words.AT})",
    "done": f" ({words.DONE})",
    "skipped": f" ({words.SKIPPED})",
    "read": f" ({words.READ})",
    "open": "",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A step in the list, and how the session stands to it."""

    step: Step
    status: Literal["here", "done", "skipped", "read", "open"]


def rows(state: State) -> tuple[Row, ...]:
    """All steps in the order of the method: the one at hand, and how far the others are."""
    return tuple(Row(step, "here" if step.id == state.step else far(state, step.id)) for step in state.lore.steps)


def steps_card(state: State) -> Card:
    """The list as a card: a line a step."""
    lines = [Line(row.step.title + _WORDS[row.status], _MARKS[row.status], row.step.id) for row in rows(state)]
    lines.append(Line(words.GO_THERE, "quiet"))
    done = sum(far(state, step.id) == "done" for step in state.lore.steps)
    told = words.PROGRESS.format(done=done, all=len(state.lore.steps))
    return Card("steps", words.STEPS_TITLE, tuple(lines), state.position, label=words.STEPS, aside=told)


def step_card(step: Step, here: tuple[Line, ...], position: int | None) -> Card:
    """What the step is and, before everything that is the same for all launches, what is known of this one."""
    lines = [Line(step.what)]
    lines += [Line(step.why, "quiet")] if step.why else []
    lines.append(Line(words.HERE, "strong"))
    lines += [Line(line.text, line.style, line.label, line.depth + 1) for line in here]
    lines += [Line(text, "step") for text in step.steps]
    for label, texts in ((words.POINT, step.points), (words.LOOK, step.look)):
        lines += [Line(text, "fact", label if at == 0 else " ") for at, text in enumerate(texts)]
    for label, text in ((words.FORMULA, step.formula), (words.EXAMPLE, step.example), (words.DONE_WHEN, step.exit)):
        lines += [Line(text, "fact", label)] if text else []
    lines += [Line(text, "fact", words.RUN if at == 0 else " ") for at, text in enumerate(step.commands)]
    lines += [Line(step.misleads, "fact", words.MISLEADS)] if step.misleads else []
    if step.exercise:
        lines.append(Line(words.PRACTISE_COMMAND.format(name=step.exercise), "fact", words.PRACTISE))
    lines += [Line(", ".join(step.see), "quiet", words.READ_ON)] if step.see else []
    label = words.STEP.format(id=step.id)
    return Card("step", step.title, tuple(lines), position, step.id, label)
