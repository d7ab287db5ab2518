"""Questions that a step of the method asks: a file's path, the times of a kernel's halves, a timeline's numbers."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from advisor.practice.overlap import judge
from advisor.reasoning.time_model.noise import spread
from advisor.session import cards as make
from advisor.session.experiments import timeline
from advisor.session.experiments import versions as experiments
from advisor.session.records import Ask, Card
from advisor.session.requests import Trace, Value
from advisor.session.state import State
from advisor.session.transitions import add, put, wait
from advisor.view.blocks import Line
from advisor.view.numbers import amount_text
from advisor.view.text import sentence

GROUPS: Final = ("path", "variants", "timeline")
_PATHS: Final = {
    "new_report": (
        "Which report holds the new version? Type its path.",
        "Profile it with the same options; otherwise the two are not comparable. REPORT#N names one launch, #N one of "
        "this report.",
    ),
    "report": (
        "Which report? Type the path of the file.",
        "A .ncu-rep or the output of ncu; REPORT#N names one launch.",
    ),
    "trace": ("Which trace? Type the path of the file.", "A .sqlite exported by nsys, or its CSV tables."),
}
_TIMES: Final = (
    ("full", "How long does the whole kernel take?"),
    ("memory", "How long do its memory accesses take alone?"),
    ("math", "How long does its arithmetic take alone?"),
)
_OVERLAP: Final = {
    "overlap": "The halves overlap well: optimise the longer one, {longer}",
    "partial": "The halves overlap in part: full overlap reduces the time to that of the longer one, {longer}",
    "none": "The halves do not overlap: overlap can reduce the time to that of the longer one, {longer}",
    "latency": "The kernel takes longer than both halves in sequence: it adds latency that neither half has",
}
_LONGER: Final = {"memory": "memory", "math": "arithmetic"}
_LONGEST_NS: Final = 1e15  # eleven days, since a longer time is a typing error


def begun(state: State, question: str) -> State | None:
    """Ask the first question of this name; None for any other name."""
    if question in _PATHS:
        ask, why = _PATHS[question]
        return put(state, Ask(question, ask, why, "text", group="path", optional=False), napkin_input=None)
    if question == "variants" and state.launch is not None:
        return put(state, _time(0), napkin_input=("variants", ()))
    if question == "timeline":
        return _next_number(state, ())
    return None


def answered(state: State, ask: Ask, value: Value) -> State:
    """Continue with an answer that fits the question."""
    after = add(state, make.answer_card(ask, value, state.position), ask=None)
    if ask.group == "path":
        path = str(value).strip()
        if ask.id == "trace":
            return experiments.give_traces(after, (path,))
        return experiments.give_report(after, path)
    given = () if state.napkin_input is None else state.napkin_input[1]
    if isinstance(value, float | int):
        given = (*given, (ask.id, float(value)))
    if ask.group == "timeline":
        return _next_number(replace(after, unknown=(*after.unknown, (None, ask.id))) if value is None else after, given)
    if len(given) < len(_TIMES):
        return put(after, _time(len(given)), napkin_input=("variants", given))
    return add(after, _verdict(dict(given), state.position), napkin_input=None)


def skipped(state: State, ask: Ask) -> State:
    """Skip the question, and conclude from the numbers of the timeline so far."""
    given = () if state.napkin_input is None else state.napkin_input[1]
    after = replace(state, ask=None, napkin_input=None)
    return wait(after, Trace((), _numbers(given))) if ask.group == "timeline" and given else after


def _time(at: int) -> Ask:
    name, ask = _TIMES[at]
    why = "The three times show whether the two halves overlap. No counter measures that directly."
    step = (at + 1, len(_TIMES))
    return Ask(name, ask, why, unit="ns", low=1.0, high=_LONGEST_NS, group="variants", step=step, optional=False)


def _verdict(times: dict[str, float | str], position: int | None) -> Card:
    """Return the card of the three times, by the formulas of the exercise about overlap."""
    found = judge(*(spread([float(times[name])]) for name, _ in _TIMES))
    word = _OVERLAP[found.word].format(longer=_LONGER[found.longer])
    span = (
        f"between {amount_text(found.best_ns, 'ns')} (all hidden) and "
        f"{amount_text(found.worst_ns, 'ns')} (nothing hidden), measured "
        f"{amount_text(found.full_ns, 'ns')}"
    )
    lines = [Line(sentence(word), "strong"), Line(sentence(span))]
    if found.word != "latency":
        hidden = min(100.0, max(0.0, 100 * found.hidden))
        lines.append(Line(sentence(f"{hidden:.0f} % of the shorter half is hidden")))
    if not found.sure:
        lines.append(Line("The noise of single runs allows another verdict: use medians of 20 runs.", "unknown"))
    if not found.visible:
        lines.append(Line("The shorter half is too short to show its overlap.", "unknown"))
    title = "Whole, memory only, math only"
    return Card("evidence", title, tuple(lines), position, "variants", "Step 0b")


def _next_number(state: State, given: tuple[tuple[str, float | str], ...]) -> State:
    """Ask for the next number of the timeline that could affect the diagnosis; if none is left, conclude."""
    known = _known(given)
    done = {name for name, _ in given} | {name for place, name in state.unknown if place is None}
    for ask in state.knowledge.timeline:
        needs = next((needs for name, _, needs in timeline.ASKED if name == ask.id), ())
        if ask.id not in done and all(known.get(name, 0.0) >= least for name, least in needs):
            return put(state, ask, napkin_input=("timeline", given))
    if not given:
        return replace(state, ask=None, napkin_input=None)
    return wait(state, Trace((), _numbers(given)), ask=None, napkin_input=None)


def _known(given: tuple[tuple[str, float | str], ...]) -> dict[str, float]:
    """Return the given numbers and those derived from them; an unknown number counts as possible."""
    out = dict(_numbers(given))
    out["gpu_idle_pct"] = 100 - out.get("gpu_busy_pct", 0.0)
    out["not_computing_pct"] = 100 - out.get("computing_pct", 0.0)
    return out


def _numbers(given: tuple[tuple[str, float | str], ...]) -> tuple[tuple[str, float], ...]:
    return tuple((name, float(value)) for name, value in given if not isinstance(value, str))
