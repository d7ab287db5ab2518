"""What can be chosen after a step's card, a fix, a trace or a comparison: the step's action, and the step after it."""

from __future__ import annotations

from typing import Final

from advisor.session import events as e
from advisor.session.experiments import timeline as timeline_cards
from advisor.session.method import words
from advisor.session.records import Choice
from advisor.session.state import State

Offer = tuple[Choice, e.Event]
BEFORE: Final = "step:"  # keeps these choices apart from all others
# What a step does, by the names of `_event`.
_ACTIONS: Final[dict[str, tuple[str, ...]]] = {
    "P0": ("collect",),
    "S0": ("trace",),
    "S1": ("trace",),
    "S1b": ("trace", "asked_timeline"),
    "S2": ("pattern", "timeline", "trace", "asked_timeline"),
    "S3": ("pattern", "timeline", "trace", "asked_timeline"),
    "S4": ("timeline", "trace", "report"),
    "S5": ("report", "trace", "asked_timeline"),
    "S5b": ("report",),
    "0": ("napkin",),
    "0b": ("variants",),
    "1": ("class",),
    "1b": ("evidence",),
    "2": ("evidence",),
    "2b": ("evidence",),
    "3": ("whatif",),
    "4": ("source",),
    "4F": ("source",),
    "5": ("fix",),
    "5b": ("renew", "version"),
    "6": ("renew", "version", "log"),
    "6b": ("renew", "log"),
    "III.l2": ("collect",),
    "III.atomics": ("collect",),
    "III.tensor": ("collect",),
    "III.pm_sampling": ("collect",),
    "III.balance": ("collect",),
    "A": ("collect",),
    "IV": ("evidence",),
    "B": ("napkin",),
}


_LEADING: Final = ("step", "steps", "timeline")  # cards that are about where to go next


def leading(state: State) -> bool:
    """Whether the offers come before everything else: the last card is a step's, and not the launch's own."""
    cards = state.conversation
    return bool(cards) and cards[-1].kind in _LEADING


def offers(state: State) -> tuple[Offer, ...]:
    """What the last card leads to; nothing while a question is open."""
    if state.place != "launch" or state.ask is not None:
        return ()
    names, following = _leads(state)
    out = []
    for name in names:
        event = _event(name, state)
        if event is not None:
            out.append((Choice(BEFORE + name, _label(name, state), _WORDS.get(name, ())), event))
    step = state.lore.step(following) if following else None
    if step is not None:
        label = f"Go on to step {step.id}: {step.title}"
        out.append((Choice(f"{BEFORE}go:{step.id}", label, ("on", "go on")), e.StepShown(step.id)))
    return tuple(out)


def _label(name: str, state: State) -> str:
    pattern = timeline_cards.next_pattern(state) if name == "pattern" else None
    if pattern is not None:
        return f"What to do about it: {pattern.finding.title}"
    return words.CHOICES[name]


_WORDS: Final = {
    "renew": ("compare", "new report", "changed"),
    "version": ("new version", "changed"),
    "trace": ("trace",),
    "log": ("log",),
    "report": ("report",),
    "timeline": ("timeline",),
}


def _leads(state: State) -> tuple[tuple[str, ...], str]:
    """The actions that are near now, and the step after the one on the last card."""
    cards = state.conversation
    last = cards[-1] if cards else None
    if last is not None and last.kind == "step":
        return _ACTIONS.get(last.finding, ()), _following(state, last.finding)
    if last is not None and last.kind == "timeline":
        return ("pattern", "timeline", "report", "trace"), "S3"
    if last is not None and last.kind == "steps":
        return (), state.step
    names: tuple[str, ...] = ()
    if state.launch is None:
        names = ("pattern", "report", "trace", "asked_timeline")
    elif state.finding and state.has_card("fix", state.finding):
        names = ("renew", "version")
    if state.experiments and not any(card.kind == "log" for card in cards[-1:]):
        names = (*names, "log")
    return names, ""


def _following(state: State, step: str) -> str:
    names = [each.id for each in state.lore.steps]
    at = names.index(step) + 1 if step in names else len(names)
    return names[at] if at < len(names) else ""


def _event(name: str, state: State) -> e.Event | None:
    """The event of an action; None where it would do nothing now."""
    launch, finding = state.launch, state.finding_of(state.finding)
    pattern = timeline_cards.next_pattern(state)
    found: dict[str, e.Event | None] = {
        "pattern": e.FindingShown(pattern.finding.id) if pattern is not None else None,
        "trace": e.Asked("trace"),
        "asked_timeline": e.Asked("timeline") if state.lore.timeline and state.timeline is None else None,
        "timeline": e.ViewShown("timeline") if timeline_cards.of(state) is not None else None,
        "report": e.Asked("report") if launch is None else None,
        "log": e.LogShown(),
    }
    if name in found or launch is None:
        return found.get(name)
    fix = finding is not None and finding.fix is not None
    of_launch: dict[str, e.Event | None] = {
        "napkin": e.NapkinBegun() if state.lore.algorithms else None,
        "variants": e.Asked("variants"),
        "class": e.WhyAsked(),
        "evidence": e.EvidenceShown(),
        "whatif": e.ViewShown("whatif"),
        "source": None if state.numbers else e.ViewShown("source"),
        "fix": e.FixShown() if fix else None,
        "renew": None if state.numbers else e.Asked("new_report"),
        "version": e.VersionBegun() if state.numbers else None,
        "collect": e.CollectShown() if launch.missing and not state.numbers else None,
    }
    return of_launch.get(name)
