"""Transitions of the practice view: the page that follows an action, and the request that it waits for."""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from advisor.practice.predictions import MINE
from advisor.session.practice.exercising import Exercising
from advisor.session.requests import Practise
from advisor.session.state import State
from advisor.session.transitions import settled, wait

# Actions that issue a request (practice.lessons.ACTIONS); all others only change the page.
_WORK: Final = ("look", "hint", "quiz", "start", "reset", "check", "measure", "solution", "log")
# The stage that shows the outcome of an action.
_PLACE: Final = {
    "look": "edit",
    "profile": "numbers",
    "predict": "predict",
    "reveal": "reveal",
    "hint": "hints",
    "quiz": "quiz",
    "start": "edit",
    "reset": "edit",
    "check": "run",
    "measure": "run",
    "compare": "compare",
    "solution": "solution",
    "log": "log",
}


def entered(state: State, subject: str) -> State:
    """Open the practice view on an exercise or on the list."""
    here = state.exercising or Exercising()
    if subject and subject == here.name:
        return state
    return _opened(state, here, subject, listed=False) if subject else _listed(state, here)


def practised(state: State, action: str, exercise: str, given: dict[str, str]) -> State:
    """Apply an action in the practice view; leave the state unchanged if it is not possible there."""
    here = state.exercising
    if state.view != "practice" or here is None:
        return state
    if action == "list":
        return _listed(state, here)
    if action == "open":
        known = exercise in {row.name for row in here.rows}
        return _opened(state, here, exercise, listed=True) if known else state
    if action == "spoilers":
        return replace(state, exercising=replace(here, spoilers=not here.spoilers))
    if here.lesson is None or exercise != here.name:
        return state
    moved = _moved(state, replace(here, trouble=""), action, given)
    return state if moved is None else moved


def _fresh(here: Exercising) -> Exercising:
    """Return the practice view without an exercise; what was typed and chosen in the current one is kept."""
    others = tuple(one for one in here.unfinished if one.name != here.name)
    begun = here.name and (here.said or here.ways or here.picks)
    own = (replace(here, rows=(), lesson=None, results=(), worked=(), unfinished=()),) if begun else ()
    return Exercising(here.rows, spoilers=here.spoilers, worked=here.worked, unfinished=(*others, *own))


def _listed(state: State, here: Exercising) -> State:
    fresh = replace(_fresh(here), listed=True)
    return wait(replace(state, view_subject="", exercising=fresh), Practise("list"))


def _opened(state: State, here: Exercising, name: str, listed: bool) -> State:
    fresh = replace(_fresh(here), listed=listed, name=name)
    left = next((one for one in fresh.unfinished if one.name == name), None)
    if left is not None:
        fresh = replace(fresh, stage=left.stage, step=left.step, said=left.said, ways=left.ways, picks=left.picks)
    return wait(replace(state, view_subject=name, exercising=fresh), Practise("open", name))


def _moved(state: State, here: Exercising, action: str, given: dict[str, str]) -> State | None:
    """Apply an action to the current exercise; return None if it is not possible."""
    if action == "stage":
        return _staged(state, here, given.get("stage", ""))
    if action == "napkin":
        return _reckoned(state, here, given)
    if action == "unpick":
        return replace(state, exercising=replace(here, picks=here.picks[:-1])) if here.picks else None
    if action in ("class", "cause", "gain", "anew"):
        return _predicted(state, here, action, given)
    if action == "step" and given.get("step") == MINE:
        own = replace(here, stage="predict", step=MINE, picks=())
        return replace(state, exercising=own) if here.lesson.yours is not None else None
    if action == "step" and given.get("step") in {step.id for step in here.lesson.exercise.stages}:
        return _staged(state, replace(here, step=given["step"], picks=()), "numbers")
    if action == "sure":
        return replace(state, exercising=replace(here, stage="edit", sure=given.get("what", "")))
    if action == "reveal":
        return _ask(state, here, "reveal", {"step": here.step})
    if action == "compare":
        return _ask(state, here, "compare", {k: given[k] for k in ("before", "after") if k in given})
    if action in _WORK:
        return _ask(state, replace(here, sure=""), action, given)
    return None


def _ask(state: State, here: Exercising, action: str, given: dict[str, str]) -> State:
    request = Practise(action, here.name, tuple(sorted(given.items())))
    return wait(replace(state, exercising=replace(here, stage=_PLACE[action])), request)


def _staged(state: State, here: Exercising, stage: str) -> State | None:
    """Show another page, and request the results that it shows."""
    if stage not in here.names:
        return None
    there = replace(here, stage=stage, sure="")
    if here.step == MINE and stage not in ("predict", "run"):
        there = replace(there, step=here.lesson.exercise.stages[0].id, picks=())
    moved = replace(state, exercising=there)
    if stage == "reveal" and there.revealed and there.result("reveal") is None:
        return wait(moved, Practise("reveal", here.name, (("step", here.step),)))
    if stage == "numbers" and there.result("profile") is None:
        return wait(moved, Practise("profile", here.name, (("step", here.step),)))
    if stage == "compare" and there.result("compare", "") is None:
        return wait(moved, Practise("compare", here.name))
    return moved


def _reckoned(state: State, here: Exercising, given: dict[str, str]) -> State | None:
    """Keep a typed napkin number (`said`) or show its derivation; return None for an index that does not exist."""
    at = int(given["at"]) if given.get("at", "").isdecimal() else -1
    if not 0 <= at < len(here.lesson.exercise.napkin):
        return None
    said = here.said
    if "said" in given:
        said = (*((place, text) for place, text in said if place != at), (at, given["said"]))
    ways = here.ways if at in here.ways else (*here.ways, at)
    return replace(state, exercising=replace(here, stage="napkin", said=said, ways=ways))


def _predicted(state: State, here: Exercising, action: str, given: dict[str, str]) -> State | None:
    """Keep a part of a prediction; the speedup completes it."""
    made = here.prediction
    if made is not None and made.points is not None and here.step != MINE:
        return None
    there = replace(here, stage="predict")
    if action == "anew":
        return replace(state, exercising=replace(there, picks=(("anew", "1"),)))
    if action == "gain" and here.reads:
        parts = {**dict(here.picks), "estimate": given.get("gain", "")}
        return _ask(state, there, "predict", parts) if "cause" in parts else None
    if action == "gain":
        parts = {"step": here.step, **{k: v for k, v in here.picks if k != "anew"}, "speedup": given.get("gain", "")}
        return _ask(state, there, "predict", parts) if {"class", "cause"} <= set(parts) else None
    known = {name for name, _ in getattr(here.lesson.terms, "classes" if action == "class" else "causes")}
    if given.get("id") not in known:
        return None
    if here.reads and here.lesson.exercise.estimate is None:
        return _ask(state, there, "predict", {"cause": given["id"]})
    picks = (("class", given["id"]),) if action == "class" else (*here.picks[: not here.reads], ("cause", given["id"]))
    return replace(state, exercising=replace(there, picks=picks))


def done(state: State, request: Practise, result: Any) -> State:
    """Apply the result of an action; if it is about an exercise other than the current one, only update the list."""
    here = state.exercising
    if here is None:
        return state
    if request.action == "list":
        return replace(state, exercising=replace(here, rows=result, trouble=""))
    if request.exercise != here.name:
        return state
    first = here.step or result.exercise.stages[0].id
    after = replace(here, lesson=result, step=first, trouble="", worked=_worked(here.worked, result))
    given = dict(request.arguments)
    if request.action == "predict":
        after = replace(after, picks=())
    if request.action == "reset" and given.get("progress"):
        after = replace(after, results=(), said=(), ways=(), picks=())
    step = given.get("step", "") if request.action in ("profile", "reveal") else ""
    new = {(request.action, step): result.result}
    if request.action == "reveal":
        new[("profile", step)] = result.result.shown if after.reads else result.result[0]
    results = {key: value for key, value in after.results if key not in new}
    if request.action in ("look", "reset"):
        # Results of the former source do not apply to the new one.
        results = {key: value for key, value in results.items() if key[0] not in ("check", "measure")}
    results |= new
    return replace(state, exercising=replace(after, results=tuple(results.items())))


def _worked(before: tuple[Any, ...], lesson: Any) -> tuple[Any, ...]:
    """Return the exercises of the session, with this lesson in place of an older one of the same exercise."""
    bare = replace(lesson, result=None)
    if all(one.exercise.name != bare.exercise.name for one in before):
        return (*before, bare)
    return tuple(bare if one.exercise.name == bare.exercise.name else one for one in before)


def failed(state: State, request: Practise, message: str) -> State:
    """Show on the page why an action failed."""
    after = settled(state, request)
    if after is None:
        return state
    here = after.exercising
    return after if here is None else replace(after, exercising=replace(here, trouble=message))


def opened_from(state: State) -> bool:
    """Return whether leaving an exercise leads to the list, and not out of the practice view."""
    here = state.exercising
    return here is not None and bool(here.name) and here.listed
