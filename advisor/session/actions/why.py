"""Why and why not: show proofs of the class and of findings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from advisor.records.diagnosis import first_diagnosis
from advisor.session import cards as make
from advisor.session.action import Action, Command, Listing, Result, Shape, Typed, shape
from advisor.session.actions.help import NotUnderstood, one_of
from advisor.session.actions.view import ViewShown
from advisor.session.cards import blocked_lines, proof_lines
from advisor.session.language.limited import meant
from advisor.session.language.names import begun, named
from advisor.session.records import Card
from advisor.session.requests import Completed, Event, Prove, UserEvent
from advisor.session.state import State
from advisor.session.transitions import add, reveal, wait
from advisor.view.blocks import Line
from advisor.view.pages.answers.parts import occupancy_text


class WhyAsked(UserEvent, frozen=True, tag="why"):
    """The user asks why the open question is asked; without one, why the first finding, and with it the class."""


class HowAsked(UserEvent, frozen=True, tag="how"):
    """The user asks for the proof of a finding or of a word (`gain.…`); empty means the selected finding."""

    finding: str = ""


class WhyNotAsked(UserEvent, frozen=True, tag="whynot"):
    """The user asks why a finding was not concluded."""

    finding: str


def _why_asked(state: State, event: WhyAsked) -> State:
    """Show the reason for the question, once; without one, the proof of the first diagnosis, or of the class."""
    if state.place != "launch" or state.position is None:
        return state
    if state.ask is not None:
        said = state.has_card("evidence", state.ask.id)
        return state if said else add(state, make.why_question_card(state.ask, state))
    if state.launch is None:
        return state
    first = first_diagnosis(state.launch)
    wanted = state.launch.verdict.id if first is None else first.id
    return wait(reveal(state), Prove("why", state.position, wanted))


def _how_asked(state: State, event: HowAsked) -> State:
    finding = event.finding or state.finding
    if state.place != "launch" or state.position is None or not state.concluded(finding):
        return state
    return wait(reveal(state), Prove("how", state.position, finding))


def _why_not_asked(state: State, event: WhyNotAsked) -> State:
    if state.place != "launch" or state.position is None or state.launch is None or not event.finding:
        return state
    return wait(reveal(state), Prove("why_not", state.position, event.finding))


def _proved(state: State, request: Prove, result: Any) -> State:
    index = state.knowledge
    launch, title = state.launch, index.title(request.finding)
    of_class = launch is not None and request.finding == launch.verdict.id
    if request.what == "why_not":
        label, lines = "Why not", _blocked(state, request.finding, result)
    else:
        label = "Why" if of_class or request.what == "why" else "How"
        lines = proof_lines(result, request.finding, index)
        if launch is not None and request.what == "why" and not of_class:
            verdict = launch.verdict
            text = f"{verdict.title or verdict.id}: {verdict.because} (`/how {verdict.id}` shows the proof)"
            lines = (*lines, Line(text, "strong", "Class"))
    return add(state, Card("proof", title, lines, request.position, request.finding, label, detail=result))


def _blocked(state: State, finding: str, result: Any) -> tuple[Line, ...]:
    limit = "" if state.launch is None else occupancy_text(state.launch, finding)
    first = (Line(limit, "strong"),) if limit else ()
    return (*first, *blocked_lines(result, state.knowledge))


def _of_finding(event: Completed, state: State) -> tuple[str, ...]:
    # Other steps request the proof of the class too.
    launch, request = state.launch, event.request
    return () if launch is None or not isinstance(request, Prove) or request.finding == launch.verdict.id else ("2",)


def _findings_here(state: State) -> dict[str, str]:
    return {} if state.launch is None else {f.id: f.title for f in state.launch.findings}


def _how(line: Typed, state: State) -> Event:
    if not line.rest:
        no_finding = "No finding: too few metrics of this launch are known."
        return HowAsked() if state.finding else NotUnderstood("/how", (), no_finding)
    if state.concluded(line.rest):
        return HowAsked(line.rest)
    if line.rest in dict(state.knowledge.conclusions):
        return NotUnderstood(line.rest, (f"/whynot {line.rest}",), "That was not concluded on this launch.")
    found = one_of(line.rest, _findings_here(state), "That was not found on this launch; /whynot explains why.", "how")
    if not isinstance(found, NotUnderstood):
        return HowAsked(found)
    other, _ = named(line.rest, dict(state.knowledge.findings))
    return NotUnderstood(found.text, (f"/whynot {other}",), found.because) if other else found


def _proof(line: Typed, state: State) -> Event:
    if not line.rest:
        return ViewShown("proof")
    if of_limiter := meant(line.rest, state.launch):
        return ViewShown("proof", of_limiter)
    if line.rest in dict(state.knowledge.conclusions):
        return ViewShown("proof", line.rest)
    titles = _findings_here(state) | dict(state.knowledge.findings)
    found = one_of(line.rest, titles, "Name one finding.", "proof")
    return found if isinstance(found, NotUnderstood) else ViewShown("proof", found)


def _why_not(line: Typed, state: State) -> Event:
    if line.rest in dict(state.knowledge.conclusions):
        return WhyNotAsked(line.rest)
    if of_limiter := meant(line.rest, state.launch):
        return WhyNotAsked(of_limiter)
    found = one_of(line.rest, dict(state.knowledge.findings), "Name one finding.", "whynot")
    return found if isinstance(found, NotUnderstood) else WhyNotAsked(found)


def _why_finding(line: Typed, state: State) -> Event | None:
    """Return the event that asks how a finding was concluded; if it was not found here, why not.

    `why is it slow` asks for the cause, whatever finding has that word in its name.
    """
    if all(word.strip("?!.,").casefold() in _NO_NAME for word in line.rest.split()):
        return None
    name, _ = named(line.rest, _findings_here(state))
    if name:
        return HowAsked(name)
    name, _ = named(line.rest, dict(state.knowledge.findings))
    return WhyNotAsked(name) if name else None


def _begun_here(rest: str, state: State, listing: Listing) -> Iterable[str]:
    held = () if state.launch is None else (one.id for one in state.launch.conclusions)
    return begun(rest, (*_findings_here(state), *held))


def _begun_elsewhere(rest: str, state: State, listing: Listing) -> Iterable[str]:
    here = _findings_here(state)
    others = (*state.knowledge.findings, *state.knowledge.conclusions)
    return begun(rest, (name for name, _ in others if name not in here and not state.concluded(name)))


# Words that say that something is slow, and name no finding.
_NO_NAME: Final = frozenset(
    (
        "so",
        "this",
        "it",
        "that",
        "kernel",
        "launch",
        "very",
        "slow",
        "slower",
        "fast",
        "faster",
        "the",
        "my",
        "is",
        "not",
    )
)
_NOT: Final = r"(?:why not|why no|why is (?:it|this|there) (?:not|no)|why isn't (?:it|this|there))"
_SENTENCE: Final = Shape(
    re.compile(
        rf"^(?!{_NOT}\s)(?:why is it|why is there|why|how did you find|how do you know about|how)\s+(?P<rest>.+)$",
        re.IGNORECASE | re.DOTALL,
    ),
    _why_finding,
)

_WHY: Final = Command(
    "why",
    "why a question is asked, or why the first finding",
    WhyAsked,
    group="why",
    shapes=(_SENTENCE,),
)
_HOW: Final = Command(
    "how",
    "how a finding was concluded, with its numbers and sources",
    _how,
    "[finding]",
    group="why",
    complete=_begun_here,
    key="h",
    short="How",
)
_PROOF: Final = Command(
    "proof",
    "the proof as a tree to expand and collapse",
    _proof,
    "[finding]",
    group="why",
    complete=_begun_here,
)
_WHY_NOT: Final = Command(
    "whynot",
    "why a finding was not concluded",
    _why_not,
    "finding",
    group="why",
    shapes=(shape(_NOT, _why_not),),
    complete=_begun_elsewhere,
)

ACTIONS: Final = (
    Action(
        WhyAsked,
        _why_asked,
        "asks why",
        (_WHY,),
        step=lambda event, state: ("1",) if state.ask is None else (),
        results=(Result(Prove, _proved, done=_of_finding),),
    ),
    Action(HowAsked, _how_asked, "asks how {finding} was concluded", (_HOW, _PROOF), step="2"),
    Action(WhyNotAsked, _why_not_asked, "asks why not {finding}", (_WHY_NOT,), step="2"),
)
