"""The card of a step of the method, and the list of all steps.

How far the steps of the method are: done, skipped or read, for the launch that it was done on.

One rule: a step is done by what shows its result, never by standing at it. To be asked for the napkin's numbers is not
to have reckoned it, and to read how to fix something is not to have fixed it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from advisor.session.action import Far
from advisor.session.records import Card, Step
from advisor.session.state import State
from advisor.view.blocks import Line

_MARKS: Final = {"here": "strong", "done": "holds", "skipped": "text", "read": "text", "open": "quiet"}
_WORDS: Final = {
    "here": " (here)",
    "done": " (done)",
    "skipped": " (skipped)",
    "read": " (read)",
    "open": "",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A step in the list, and how far it is."""

    step: Step
    status: Literal["here", "done", "skipped", "read", "open"]


def rows(state: State) -> tuple[Row, ...]:
    """All steps in the order of the method: the one at hand, and how far the others are."""
    return tuple(Row(step, "here" if step.id == state.step else far(state, step.id)) for step in state.knowledge.steps)


def steps_card(state: State) -> Card:
    """The list as a card: a line a step."""
    lines = [Line(row.step.title + _WORDS[row.status], _MARKS[row.status], row.step.id) for row in rows(state)]
    lines.append(Line("/goto STEP leads to any of them.", "quiet"))
    done = sum(far(state, step.id) == "done" for step in state.knowledge.steps)
    told = f"{done} of {len(state.knowledge.steps)} done"
    return Card("steps", "The steps of the method", tuple(lines), state.position, label="Steps", aside=told)


def step_card(step: Step, here: tuple[Line, ...], position: int | None) -> Card:
    """What the step is and, before everything that is the same for all launches, what is known of this one."""
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
    lines += [Line(", ".join(step.see), "quiet", "Read on")] if step.see else []
    label = f"Step {step.id}"
    return Card("step", step.title, tuple(lines), position, step.id, label)


_RANK: Final[tuple[Far, ...]] = ("open", "read", "skipped", "done")


# what the card with the verdict of step 0b is about


def far(state: State, step: str) -> Far:
    """How far a step is, on the launch that is looked at."""
    found = [how for place, name, how in state.progress if name == step and place in (None, state.position)]
    return max(found, key=_RANK.index, default="open")


def steps_to_reveal(state: State) -> tuple[str, ...]:
    """The napkin before the class is shown, the class from then on; nothing once that is passed."""
    if state.place != "launch" or state.launch is None:
        return ()
    told = state.has_card("class")
    if not told:
        return ("0",) if not state.numbers else ()
    return ("1",) if state.step in ("", "0", "S1", "S2", "S4", "S5") or "1" not in state.visited else ()
