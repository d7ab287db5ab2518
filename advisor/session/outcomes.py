"""What differs between two conclusions about one launch, as lines of a card.

What the advisor answered: readings, conclusions, proofs, suppositions, explanations, napkin results, failures.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from advisor.records.diagnosis import Diagnosis, Finding, LaunchDiagnosis
from advisor.session import cards as make
from advisor.session import events as e
from advisor.session import strings, views, writing
from advisor.session.experiments import versions as experiments
from advisor.session.interview.choosing import revealed
from advisor.session.method import steps as method
from advisor.session.navigation import select
from advisor.session.numbers import chosen_text
from advisor.session.practice import handlers as practising
from advisor.session.proofs import blocked_lines, proof_lines
from advisor.session.records import Card, Line, Reckoning
from advisor.session.state import State, main_finding
from advisor.session.transitions import add, ask_number, reveal, settled, wait

_VISIBLE = 0.005  # a gain that moves by less would be printed the same


def _gains(launch: LaunchDiagnosis) -> dict[str, Finding]:
    return {finding.id: finding for finding in launch.findings}


def differences(before: LaunchDiagnosis, after: LaunchDiagnosis) -> tuple[Line, ...]:
    """Class, first finding, findings that came or went, gains that moved; empty when nothing did."""
    lines = []
    if before.verdict.id != after.verdict.id:
        lines.append(Line(f"{before.verdict.title} → {after.verdict.title}", "strong", strings.CLASS))
    old_first, new_first = main_finding(before), main_finding(after)
    if new_first is not None and (old_first is None or old_first.id != new_first.id):
        was = "" if old_first is None else f"{old_first.title} → "
        lines.append(Line(f"{was}{new_first.title}", "strong", "First"))
    old, new = _gains(before), _gains(after)
    for name, finding in new.items():
        if name not in old and (new_first is None or name != new_first.id):
            lines.append(Line(finding.title, "fact", "Came"))
    lines += [Line(finding.title, "fact", "Went") for name, finding in old.items() if name not in new]
    for name, finding in new.items():
        if name not in old:
            continue
        had, has = old[name].speedup, finding.speedup
        if had is None and has is None:
            continue
        if had is None or has is None or abs(had.estimate - has.estimate) >= _VISIBLE:
            lines.append(Line(f"{finding.title}: {strings.gain_text(had)} → {strings.gain_text(has)}", "fact", "Gain"))
    return tuple(lines)


def opened(state: State, event: e.Opened) -> State:
    """The input was read: the list of launches, its only launch, or the interview."""
    after = settled(state, event.request)
    if after is None:
        return state
    after = replace(after, lore=event.lore, diagnosis=event.diagnosis, stalled=None)
    if after.numbers:
        intro = Card(
            "note",
            strings.INTERVIEW_TITLE,
            (
                Line(
                    "No report was given, so the advisor asks for the numbers that ncu shows. Type each with its "
                    "unit, or press d for what you do not know. After each the conclusion is drawn anew."
                ),
            ),
            label=strings.INTERVIEW,
        )
        return ask_number(add(after, intro, place="launch", position=0))
    if event.diagnosis is None and not event.request.paths:
        # A session about traces alone.
        return replace(after, place="launch", position=None)
    if event.diagnosis is None or not event.diagnosis.launches:
        return add(after, _nothing_read(event.diagnosis), place="start", stalled=event.request)
    return select(after, 0) if len(event.diagnosis.launches) == 1 else replace(after, place="launches")


def _nothing_read(diagnosis: Diagnosis | None) -> Card:
    problems = [p for report in (diagnosis.reports if diagnosis else ()) for p in report.problems]
    lines = (Line("No launch could be read from this input."), *(Line(problem, "quiet") for problem in problems))
    return Card("error", "There is nothing to look at", lines, label=strings.FAILED)


def concluded(state: State, event: e.Concluded) -> State:
    """Everything was concluded anew: the card says what changed, or that nothing did."""
    after = settled(state, event.request)
    if after is None:
        return state
    at = event.request.position or 0
    before, now = _launch(after.diagnosis, at), _launch(event.diagnosis, at)
    after = replace(after, diagnosis=event.diagnosis, stalled=None, wanted=event.wanted)
    if not revealed(after) and after.position == at and after.ask is None:
        return reveal(after)
    if now is not None:
        after = add(after, _change(state, before, now, at))
        if after.position == at and after.finding_of(after.finding) is None:
            first = main_finding(now)
            after = replace(after, finding=first.id if first else "")
    return _go_on(after)


def _go_on(state: State) -> State:
    """In an interview the next number is asked as soon as the last one has been dealt with."""
    if not state.numbers or state.ask is not None or state.place != "launch":
        return state
    return state if state.paused or state.waiting else ask_number(state)


def _past(state: State, request: e.Request) -> State:
    """On from work that came to nothing: what it stood before follows without it."""
    if not state.numbers and isinstance(request, e.Reckon | e.Conclude) and state.ask is None:
        return reveal(state)
    return _go_on(state)


def _launch(diagnosis: Diagnosis | None, at: int) -> LaunchDiagnosis | None:
    return diagnosis.launches[at] if diagnosis is not None and at < len(diagnosis.launches) else None


def _change(state: State, before: LaunchDiagnosis | None, now: LaunchDiagnosis, at: int) -> Card | None:
    if before is None:
        # The first numbers decide nothing yet, and saying so after each would only be noise.
        return None if now.verdict.id == "undetermined" else make.class_card(now, at)
    lines = differences(before, now)
    if not lines and state.numbers and not state.paused:
        return None
    title = "The answer moved the conclusion" if lines else "Nothing changed"
    return Card("change", title, lines or (Line(strings.NO_CHANGE, "quiet"),), at, label="What changed")


def told(state: State, event: e.Told) -> State:
    """A proof, a supposition, an explanation or a napkin result."""
    request = event.request
    after = settled(state, request)
    if after is None:
        return state
    if views.of_view(request):
        return views.shown(after, request, event.result)
    match request:
        case e.Prove():
            return add(after, _proved(after, request, event.result))
        case e.Look():
            return add(after, _explained(request, event.result))
        case e.Suppose():
            return _supposed(after, request, event.result)
        case e.Reckon():
            return _reckoned(after, request, event.result)
        case e.Renew():
            return experiments.renewed(after, request, event.result)
        case e.Trace():
            return experiments.traced(after, request, event.result)
        case e.Gather():
            return method.gathered(after, request, event.result)
        case e.Write():
            return writing.done(after, request, event.result)
        case e.Practise():
            return practising.done(after, request, event.result)
        case e.Locate():
            return views.shown(after, request, event.result)


def _proved(state: State, request: e.Prove, result: Any) -> Card:
    how = request.what == "how"
    lines = proof_lines(result, request.finding, state.lore) if how else blocked_lines(result, state.lore)
    launch, title = state.launch, state.lore.title(request.finding)
    of_class = launch is not None and request.finding == launch.verdict.id
    label = "Why not" if not how else strings.WHY if of_class else "How"
    return Card("proof", title, lines, request.position, request.finding, label, detail=result)


def _explained(request: e.Look, result: Any) -> Card:
    return Card("explanation", request.word, (), request.position, label="Explain", detail=result)


def _supposed(state: State, request: e.Suppose, result: Any) -> State:
    before = _launch(state.diagnosis, request.position)
    if before is None or not isinstance(result, LaunchDiagnosis):
        return state
    lines = differences(before, result)
    units = {name: unit for name, unit, _ in state.lore.metrics}
    title = ", ".join(f"{name} = {chosen_text(value, units.get(name, ''))}" for name, value in request.values)
    body = lines or (Line(strings.NO_CHANGE, "quiet"),)
    return add(state, Card("change", title, body, request.position, label="What if"))


def _reckoned(state: State, request: e.Reckon, result: Any) -> State:
    """The napkin's card; what it reckoned is an answer like any other, and concluded on."""
    if not isinstance(result, Reckoning):
        return state
    card = Card("napkin", result.title, result.lines, request.position, label="Napkin", detail=result)
    if not result.answers:
        after = add(state, card)
        return _go_on(after) if state.numbers else reveal(after)
    place = None if state.numbers else request.position
    answers = state.answers + tuple((place, name, value) for name, value in result.answers)
    return wait(state, e.Conclude(answers, request.position), card, answers=answers)


def failed(state: State, event: e.Failed) -> State:
    """Work failed: a card says what happened; where it can help, trying again is among the choices."""
    if views.of_view(event.request):
        return views.failed(state, event)
    if isinstance(event.request, e.Practise):
        return practising.failed(state, event.request, event.message)
    after = settled(state, event.request)
    if after is None:
        return state
    # What is about no launch is said in the conversation that is in view.
    position = getattr(event.request, "position", state.position)
    card = Card("error", event.message, position=position, label=strings.FAILED)
    # Reading may succeed the next time; a word that means nothing will not.
    again = event.request if isinstance(event.request, e.Read | e.Conclude) else after.stalled
    return _past(add(after, card, stalled=again), event.request)


def cancelled(state: State, event: e.Cancelled) -> State:
    """Work was called off; trying again is among the choices."""
    if views.of_view(event.request):
        return views.cancelled(state, event)
    if isinstance(event.request, e.Practise):
        return practising.cancelled(state, event.request)
    after = settled(state, event.request)
    if after is None:
        return state
    card = Card("note", strings.CALLED_OFF, position=state.position, label=strings.NOTE)
    return _past(add(after, card, stalled=event.request), event.request)


def retried(state: State, event: e.Retried) -> State:
    """What failed or was called off is wanted again."""
    return state if state.stalled is None else wait(state, state.stalled, stalled=None)
