"""The card of a step of the method, the list of all steps, and their progress: done, skipped or read, per launch.

A step is done by what shows its result, never by being selected: to be asked for the numbers of the napkin math is not
to have estimated it, and to read how to fix something is not to have fixed it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from advisor.session.action import Far
from advisor.session.records import Card, Line, Step
from advisor.session.state import State

_MARKS: Final = {"here": "strong", "done": "holds", "skipped": "text", "read": "text", "open": "quiet"}
_RANK: Final[tuple[Far, ...]] = ("open", "read", "skipped", "done")


@dataclass(frozen=True, slots=True)
class Row:
    """A step in the list, and its progress."""

    step: Step
    status: Literal["here", "done", "skipped", "read", "open"]


def rows(state: State) -> tuple[Row, ...]:
    """Return all steps in the order of the method with their progress; the current one is `here`."""
    return tuple(Row(step, "here" if step.id == state.step else far(state, step.id)) for step in state.knowledge.steps)


def steps_card(state: State) -> Card:
    """Return the list as a card, a line per step."""
    lines = [
        Line(row.step.title + ("" if row.status == "open" else f" ({row.status})"), _MARKS[row.status], row.step.id)
        for row in rows(state)
    ]
    lines.append(Line("/goto STEP shows any of them.", "quiet"))
    done = sum(far(state, step.id) == "done" for step in state.knowledge.steps)
    aside = f"{done} of {len(state.knowledge.steps)} done"
    return Card("steps", "The steps of the method", tuple(lines), state.position, label="Steps", aside=aside)


def step_card(step: Step, here: tuple[Line, ...], position: int | None) -> Card:
    """Return the card of a step. here: what is known about the current launch, shown before the general text."""
    lines = [Line(step.what)]
    lines += [Line(step.why, "quiet")] if step.why else []
    lines.append(Line("Here", "strong"))
    lines += [Line(line.text, line.style, line.label, line.depth + 1) for line in here]
    lines += [Line(text, "step") for text in step.steps]
    for label, texts in (("Know", step.points), ("Look at", step.look)):
        lines += [Line(text, "fact", label if at == 0 else " ") for at, text in enumerate(texts)]
    for label, text in (("Formula", step.formula), ("Example", step.example), ("Done when", step.exit)):
        lines += [Line(text, "fact", label)] if text else []
    lines += [Line(text, "fact", "Run" if at == 0 else " ") for at, text in enumerate(step.commands)]
    lines += [Line(step.misleads, "fact", "Misleads")] if step.misleads else []
    if step.exercise:
        lines.append(Line(f"ncu-advisor practice show {step.exercise}", "fact", "Practise"))
    lines += [Line(", ".join(step.see), "quiet", "See also")] if step.see else []
    label = f"Step {step.id}"
    return Card("step", step.title, tuple(lines), position, step.id, label)


def far(state: State, step: str) -> Far:
    """Return the progress of a step on the current launch."""
    found = [how for place, name, how in state.progress if name == step and place in (None, state.position)]
    return max(found, key=_RANK.index, default="open")


def steps_to_reveal(state: State) -> tuple[str, ...]:
    """Return step 0 before the class is shown, step 1 after that; nothing later."""
    if state.place != "launch" or state.launch is None:
        return ()
    if not state.has_card("class"):
        return ("0",) if not state.numbers else ()
    return ("1",) if state.step in ("", "0", "S1", "S2", "S4", "S5") or "1" not in state.visited else ()
