"""The card of a step of the method, and the list of all steps.

How far the steps of the method are: done, skipped or read, for the launch that it was done on.

One rule: a step is done by what shows its result, never by standing at it. To be asked for the napkin's numbers is not
to have reckoned it, and to read how to fix something is not to have fixed it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from advisor.session import events as e
from advisor.session.method import words
from advisor.session.method.system import STEPS as OF_SYSTEM
from advisor.session.records import Card, Line, Reckoning, Step
from advisor.session.state import State

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
    lines.append(Line("/goto STEP leads to any of them.", "quiet"))
    done = sum(far(state, step.id) == "done" for step in state.lore.steps)
    told = f"{done} of {len(state.lore.steps)} done"
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
    lines += [Line(text, "fact", words.RUN if at == 0 else " ") for at, text in enumerate(step.commands)]
    lines += [Line(step.misleads, "fact", "Misleads")] if step.misleads else []
    if step.exercise:
        lines.append(Line(f"ncu-advisor practice show {step.exercise}", "fact", "Practise"))
    lines += [Line(", ".join(step.see), "quiet", "Read on")] if step.see else []
    label = words.STEP.format(id=step.id)
    return Card("step", step.title, tuple(lines), position, step.id, label)


Far = Literal["done", "skipped", "read", "open"]


_RANK: Final[tuple[Far, ...]] = ("open", "read", "skipped", "done")


# what the card with the verdict of step 0b is about


# What shows a step without its result: its fix, its log, a view that is still empty.
_READ: Final[dict[type, str]] = {e.FixShown: "5", e.LogShown: "6"}


_VIEWS: Final = {"source": "4", "proof": "2", "whatif": "3", "timeline": "S2", "log": "6"}


def far(state: State, step: str) -> Far:
    """How far a step is, on the launch that is looked at."""
    found = [how for place, name, how in state.progress if name == step and place in (None, state.position)]
    return max(found, key=_RANK.index, default="open")


def progressed(state: State, event: e.Event) -> tuple[tuple[int | None, str, Far], ...]:
    """The steps as they are after the event. state: after it."""
    out = state.progress
    match event:
        case e.Opened():
            out = tuple(row for row in out if row[1] in OF_SYSTEM)
        case e.Told(request=e.Renew()):
            # Another version of the code: what was reckoned of the algorithm holds for it too, nothing else does.
            out = tuple((None if n in OF_SYSTEM else state.position, n, h) for _, n, h in out if n in (*OF_SYSTEM, "0"))
    for step, how in _of(event, state):
        row = (None if step in OF_SYSTEM else state.position, step, how)
        out = out if row in out else (*out, row)
    return out


def _of(event: e.Event, state: State) -> list[tuple[str, Far]]:
    """What an event does to steps."""
    told: list[tuple[str, Far]] = []
    if state.place == "launch" and state.position is not None:
        cards: tuple[tuple[str, Callable[[], bool]], ...] = (
            ("1", lambda: state.has_card("class")),
            ("0b", lambda: state.has_card("evidence", "variants")),
        )
        told += [(step, "done") for step, stands in cards if far(state, step) != "done" and stands()]
    match event:
        case e.StepShown():
            step = state.lore.step(event.step)
            told += [(step.id, "read")] if step is not None else []
        case e.ViewShown() if event.view in _VIEWS and state.view == event.view:
            told.append((_VIEWS[event.view], "read"))
        case e.FindingShown():
            told.append(("3", "done") if state.finding_of(event.finding) is not None else ("S3", "read"))
        case e.EvidenceShown():
            told.append(("2", "done"))
        case e.SourceSought():
            told.append(("4F", "done"))
        case e.Skipped(question="algorithm"):
            told.append(("0", "skipped"))
        case e.Told():
            told += [(step, "done") for step in _told(event, state)]
        case _ if type(event) in _READ:
            told.append((_READ[type(event)], "read"))
    return told


def _told(event: e.Told, state: State) -> tuple[str, ...]:
    """The steps that the result of a request is that of."""
    match event.request:
        case e.Reckon():
            return ("0",) if isinstance(event.result, Reckoning) else ()
        case e.Prove():
            # The class's own proof is asked for by other steps too.
            launch = state.launch
            return () if launch is None or event.request.finding == launch.verdict.id else ("2",)
        case e.Suppose():
            return ("3",)
        case e.Locate():
            return ("4",)
        case e.Gather():
            return ("A",)
        case e.Renew():
            return ("5", "6")
        case e.Practise(action="sweep"):
            return ("5b",)
        case e.Trace() if state.timeline is not None:
            return ("S1", "S2", "S4", "S5") if event.request.paths else ("S2", "S4", "S5")
    return ()
