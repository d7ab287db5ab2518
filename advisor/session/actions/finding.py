"""Show a finding, its fix, and the numbers behind it."""

from __future__ import annotations

from typing import Final

from advisor.session import cards as make
from advisor.session.action import Action, Command, Far, Typed
from advisor.session.experiments.timeline import pattern_card
from advisor.session.records import Card
from advisor.session.requests import Event, UserEvent
from advisor.session.state import State, next_finding
from advisor.session.transitions import add, reveal
from advisor.session.views import located, where
from advisor.view.blocks import Line


class FindingShown(UserEvent, frozen=True, tag="finding"):
    """Another finding of the launch, or a pattern of the timeline, is shown."""

    finding: str


class NoneFurther(UserEvent, frozen=True, tag="none_further"):
    """The next finding is asked for, and there is none."""


class FixShown(UserEvent, frozen=True, tag="fix"):
    """The fix of the selected finding is shown, step by step."""


class EvidenceShown(UserEvent, frozen=True, tag="evidence"):
    """The numbers behind the selected finding are shown."""


def _finding_shown(state: State, event: FindingShown) -> State:
    launch, finding = state.launch, state.finding_of(event.finding)
    pattern = pattern_card(state, event.finding) if finding is None and state.place == "launch" else None
    if pattern is not None:
        return add(state, pattern)
    if state.place != "launch" or launch is None or finding is None or state.position is None:
        return state
    card = make.finding_card(launch, located(state, finding), state.position)
    return add(reveal(state), card, finding=finding.id)


def _none_further(state: State, event: NoneFurther) -> State:
    cards = state.conversation
    if state.place != "launch" or state.launch is None or (cards and cards[-1].finding == "none_further"):
        return state
    lines = [Line("All findings of this launch are shown above.")]
    if state.diagnosis is not None and len(state.diagnosis.launches) > 1:
        lines.append(Line("l returns to the list of launches.", "quiet"))
    card = Card("explanation", "None", tuple(lines), state.position, "none_further", label="Next finding")
    return add(reveal(state), card)


def _fix_shown(state: State, event: FixShown) -> State:
    launch, finding = state.launch, state.finding_of(state.finding)
    if state.place != "launch" or launch is None or finding is None or state.position is None:
        return state
    after = make.next_card(launch, finding, state.position) if finding.fix is not None else None
    return add(reveal(state), make.fix_card(finding, state.position, where(state, finding), state.launch), after)


def _evidence_shown(state: State, event: EvidenceShown) -> State:
    if state.place != "launch" or state.launch is None or state.position is None:
        return state
    card = make.evidence_card(state.launch, state.finding_of(state.finding), state.position)
    return add(reveal(state), card)


def _step(event: FindingShown, state: State) -> tuple[str, ...]:
    return ("3",) if state.finding_of(event.finding) is not None else ("S3",)


def _mark(event: FindingShown, state: State) -> tuple[tuple[str, Far], ...]:
    return (("3", "done") if state.finding_of(event.finding) is not None else ("S3", "read"),)


def _next(line: Typed, state: State) -> Event:
    following = next_finding(state)
    if following is not None:
        return FindingShown(following.id)
    return NoneFurther()


_NEXT: Final = Command("next", "the next finding of this launch", _next, group="launch", key="n", short="Next")
_FIX: Final = Command(
    "fix",
    "the fix, step by step",
    FixShown,
    group="launch",
    key="f",
    short="Fix",
)
_EVIDENCE: Final = Command(
    "evidence", "the numbers behind the finding", EvidenceShown, group="launch", said=("the numbers", "numbers")
)

ACTIONS: Final = (
    Action(FindingShown, _finding_shown, "opens the finding {finding}", (_NEXT,), step=_step, mark=_mark),
    Action(NoneFurther, _none_further, "asks for the next finding; there is none"),
    Action(FixShown, _fix_shown, "asks for the fix", (_FIX,), step="5", mark="read"),
    Action(EvidenceShown, _evidence_shown, "asks for the numbers behind it", (_EVIDENCE,), step="2", mark="done"),
)
