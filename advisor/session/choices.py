"""The choices that a state offers, in order, and the event of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from advisor.records.diagnosis import Finding
from advisor.session import events as e
from advisor.session.experiments import timeline
from advisor.session.interview.choosing import next_number, open_questions, revealed, subject_of
from advisor.session.records import Ask, Choice
from advisor.session.state import State, is_end
from advisor.view.numbers import exact_text, short_gain_text

_MOST_QUESTIONS = 2  # offered at a time: more would push the other choices off a small screen
_ASK_SHOWN = 66  # characters of a question in a choice

DONT_KNOW_WORDS: Final = ("d", "?", "dont know", "don't know", "do not know", "no idea", "unknown", "idk")
_SHOW_NOW: Final = ("s", "skip", "show", "now")
_SKIPS = {
    "napkin": "Skip the napkin math",
    "path": "Cancel",
    "variants": "Cancel",
    "timeline": "Enough: conclude from these numbers",
}


def shown_findings(state: State) -> set[str]:
    """Return the findings of the launch that were shown."""
    cards = [c for c in state.cards if c.position == state.position and not c.past]
    return {c.finding for c in cards if c.kind in ("finding", "trust", "note")}


def next_finding(state: State) -> Finding | None:
    """Return the first finding of the launch that was not shown yet; trust findings have their own card."""
    launch, shown = state.launch, shown_findings(state)
    if launch is None:
        return None
    return next((f for f in launch.findings if f.id not in shown and f.kind != "trust"), None)


def choices(state: State) -> tuple[Choice, ...]:
    """Return the choices, the likeliest first."""
    if state.stalled is not None and state.place == "start":
        return (Choice("retry", "Try again"), Choice("quit", "Quit"))
    if state.place != "launch":
        return ()
    rest = _menu(state) if state.ask is None else _answers(state, state.ask)
    near = tuple(choice for choice, _ in offers(state))
    # Where quitting is the only other choice, the offers of the step come first.
    first = leading(state) or (bool(near) and rest[0].id == "quit")
    return (*_meant(state), *near, *rest) if first else (*_meant(state), *rest, *near)


def _meant(state: State) -> tuple[Choice, ...]:
    """Return suggestions after a line that was not understood."""
    last = state.log[-1] if state.log else None
    if not isinstance(last, e.NotUnderstood):
        return ()
    means = {name: text for name, _, text in state.knowledge.metrics}
    return tuple(Choice("meant:" + line, line, (), means.get(line.partition(" ")[0], "")) for line in last.meant)


def _before(state: State, ask: Ask) -> Choice | None:
    """Return the choice that skips a question before the conclusion; it is the first one, which Enter takes."""
    if ask.group == "expect":
        return Choice("skip", "Continue with the numbers" if state.numbers else "Show the diagnosis now", _SHOW_NOW)
    if ask.group == "napkin" and ask.usual == "show":
        following = "continue with the numbers" if state.numbers else "show the diagnosis"
        return Choice("skip", f"None of these, or skip this: {following}", _SHOW_NOW)
    return None


def _why(state: State, ask: Ask) -> Choice:
    said = state.has_card("evidence", ask.id)
    return Choice("why", "Why is this asked?", ("w", "why?"), "see above" if said else "")


def _answers(state: State, ask: Ask) -> tuple[Choice, ...]:
    listed = ask.choices if ask.kind == "choice" else ()
    out = [Choice("answer:" + c.id, c.label, (c.id, *c.words), c.note) for c in listed]
    before = _before(state, ask)
    if before is not None:
        out = [before, *out]
        if ask.group == "expect":
            out.append(Choice("dont_know", "I don't know", DONT_KNOW_WORDS))
            out.append(Choice("never", "Show it, and never ask this again", ("never",)))
        return (*out, _why(state, ask))
    if ask.usual is not None and ask.kind == "number":
        usual = ask.usual if isinstance(ask.usual, str) else exact_text(ask.usual, ask.unit)
        out.append(Choice("usual", f"Take {usual}", ("u", "usual")))
    if ask.optional:
        out.append(Choice("dont_know", "I don't know", DONT_KNOW_WORDS))
    out.append(_why(state, ask))
    out.append(Choice("skip", _SKIPS.get(ask.group, "Skip for now"), ("s", "later")))
    if state.numbers and state.launch is not None:
        out.append(Choice("conclusion", "Enough: show the conclusion", ("c", "enough", "stop")))
    return tuple(out)


def _menu(state: State) -> tuple[Choice, ...]:
    out: list[Choice] = []
    if state.launch is not None and not revealed(state):
        return (Choice("reveal", "Show the diagnosis now", _SHOW_NOW),)
    finding = state.finding_of(state.finding)
    if state.stalled is not None:
        out.append(Choice("retry", "Try again"))
    if finding is not None and finding.fix is not None and not state.has_card("fix", finding.id):
        gains = finding.speedup is not None and not is_end(finding)
        out.append(Choice("fix", "Show the fix, step by step" if gains else "Show what to do now", ("fix",)))
    if finding is not None and not state.has_card("proof", finding.id):
        out.append(Choice("how", "How was this concluded?"))
    following = next_finding(state)
    if following is not None:
        gain = "" if following.speedup is None else short_gain_text(following.speedup)
        # An answer may have added a new first finding.
        first = state.launch is not None and following is state.launch.findings[0]
        label = "What to fix first now: {title}" if first else "Next finding: {title}"
        out.append(Choice("finding", label.format(title=following.title), ("next",), gain))
    exercise = _exercise(state, finding)
    if exercise:
        out.append(Choice(f"practise:{exercise}", f"Practise it on an exercise: {exercise}", ("practise", "exercise")))
    for ask in open_questions(state)[:_MOST_QUESTIONS]:
        short = ask.ask if len(ask.ask) <= _ASK_SHOWN else ask.ask[: _ASK_SHOWN - 1].rstrip() + "…"
        out.append(Choice(f"ask:{ask.id}", f"Answer: {short}", (ask.id, ask.ask)))
    kernel = state.launch is not None and subject_of(state) == "kernel"
    if kernel and state.knowledge.algorithms and not state.has_card("napkin"):
        out.append(Choice("napkin", "Compare with what the algorithm needs", ("algorithm",)))
    if state.launch is not None and not state.has_card("proof", state.launch.verdict.id):
        out.append(Choice("whyclass", "Why this class?"))
    if state.launch is not None and state.launch.missing and not state.has_card("missing") and not state.numbers:
        out.append(Choice("missing", "What the report lacks, and how to collect it", ("collect",)))
    if state.numbers and next_number(state) is not None:
        out.append(Choice("more", "Give more numbers", ("numbers",)))
    if state.diagnosis is not None and len(state.diagnosis.launches) > 1:
        out.append(Choice("launches", "Choose another launch", ("kernels",)))
    return tuple(out) or (Choice("quit", "Quit"),)


def _exercise(state: State, finding: Finding | None) -> str:
    """Return the exercise for a finding whose fix was shown."""
    if finding is None or finding.fix is None or not state.has_card("fix", finding.id):
        return ""
    return finding.fix.practice if finding.fix.practice in state.knowledge.exercises else ""


# What a step's card, a fix, a trace or a comparison leads to
Offer = tuple[Choice, e.Event]
BEFORE: Final = "step:"  # prefix of these choices
_Event = Callable[[State], e.Event | None]


@dataclass(frozen=True, slots=True)
class _Offered:
    """An offer: its label, its event (None where it is not possible), and other words for it."""

    label: str
    event: _Event
    words: tuple[str, ...] = ()


def _of_launch(event: e.Event, possible: Callable[[State], bool] = lambda state: True) -> _Event:
    return lambda state: event if state.launch is not None and possible(state) else None


def _pattern(state: State) -> e.Event | None:
    pattern = timeline.next_pattern(state)
    return None if pattern is None else e.FindingShown(pattern.finding.id)


def _has_fix(state: State) -> bool:
    finding = state.finding_of(state.finding)
    return finding is not None and finding.fix is not None


def _lacks_metrics(state: State) -> bool:
    return state.launch is not None and bool(state.launch.missing) and not state.numbers


def _no_trace(state: State) -> bool:
    return bool(state.knowledge.timeline) and state.timeline is None


_OFFERED: Final = {
    "pattern": _Offered("What to do about it: {pattern}", _pattern),
    "trace": _Offered("Open a trace of Nsight Systems", lambda state: e.Asked("trace"), ("trace",)),
    "asked_timeline": _Offered(
        "Answer questions about the timeline", lambda state: e.Asked("timeline") if _no_trace(state) else None
    ),
    "timeline": _Offered(
        "Look at the timeline",
        lambda state: e.ViewShown("timeline") if timeline.of(state) is not None else None,
        ("timeline",),
    ),
    "report": _Offered(
        "Open a report of the kernel", lambda state: e.Asked("report") if state.launch is None else None, ("report",)
    ),
    "log": _Offered("Show the log of versions", lambda state: e.LogShown(), ("log",)),
    "napkin": _Offered(
        "Estimate what the algorithm needs", _of_launch(e.NapkinBegun(), lambda state: bool(state.knowledge.algorithms))
    ),
    "variants": _Offered("Give the three times", _of_launch(e.Asked("variants"))),
    "class": _Offered("Why this class?", _of_launch(e.WhyAsked())),
    "evidence": _Offered("Show the numbers behind the finding", _of_launch(e.EvidenceShown())),
    "whatif": _Offered("Try other values", _of_launch(e.ViewShown("whatif"))),
    "source": _Offered(
        "Show the hot lines and instructions", _of_launch(e.ViewShown("source"), lambda state: not state.numbers)
    ),
    "fix": _Offered("Show the fix, step by step", _of_launch(e.FixShown(), _has_fix)),
    "renew": _Offered(
        "I changed the code: compare with a new report",
        _of_launch(e.Asked("new_report"), lambda state: not state.numbers),
        ("compare", "new report", "changed"),
    ),
    "version": _Offered(
        "I changed the code: type the new numbers",
        _of_launch(e.VersionBegun(), lambda state: state.numbers),
        ("new version", "changed"),
    ),
    "collect": _Offered("Show the command that collects what is missing", _of_launch(e.CollectShown(), _lacks_metrics)),
}
# The offers of each step of the method.
_LEADS: Final[dict[str, tuple[str, ...]]] = {
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
    """Return whether the offers come before all other choices: the last card is about a step, not about the launch."""
    cards = state.conversation
    return bool(cards) and cards[-1].kind in _LEADING


def offers(state: State) -> tuple[Offer, ...]:
    """Return what the last card leads to; nothing while a question is open."""
    if state.place != "launch" or state.ask is not None:
        return ()
    names, following = _leads(state)
    out = []
    for name in names:
        offered, event = _OFFERED[name], _OFFERED[name].event(state)
        if event is not None:
            pattern = timeline.next_pattern(state) if name == "pattern" else None
            label = offered.label.format(pattern="" if pattern is None else pattern.finding.title)
            out.append((Choice(BEFORE + name, label, offered.words), event))
    step = state.knowledge.step(following) if following else None
    if step is not None:
        label = f"Continue with step {step.id}: {step.title}"
        out.append((Choice(f"{BEFORE}go:{step.id}", label, ("on", "go on")), e.StepShown(step.id)))
    return tuple(out)


def _leads(state: State) -> tuple[tuple[str, ...], str]:
    """Return the offers of the last card, and the step after its own."""
    cards = state.conversation
    last = cards[-1] if cards else None
    if last is not None and last.kind == "step":
        return _LEADS.get(last.finding, ()), _following(state, last.finding)
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
    names = [each.id for each in state.knowledge.steps]
    at = names.index(step) + 1 if step in names else len(names)
    return names[at] if at < len(names) else ""


def event_of_choice(choice: str, state: State, said: str = "") -> e.Event | None:
    """Return the event of a choice that is no suggestion; None if it is not offered."""
    if choice not in {c.id for c in choices(state)}:
        return None
    if choice.startswith(BEFORE):
        return next((event for near, event in offers(state) if near.id == choice), None)
    if state.ask is not None and state.place == "launch":
        return _answer_event(choice, state.ask, said)
    name, _, rest = choice.partition(":")
    following = next_finding(state)
    made: dict[str, e.Event | None] = {
        "fix": e.FixShown(),
        "how": e.HowAsked(),
        "finding": None if following is None else e.FindingShown(following.id),
        "ask": e.Asked(rest),
        "napkin": e.NapkinBegun(),
        "whyclass": e.WhyAsked(),
        "missing": e.MissingShown(),
        "practise": e.ViewShown("practice", rest),
        "more": e.NumbersContinued(),
        "launches": e.LaunchesShown(),
        "retry": e.Retried(),
        "quit": e.Quit(),
        "reveal": e.Expected(None),
    }
    return made.get(name)


def _answer_event(choice: str, ask: Ask, said: str) -> e.Event:
    if ask.group == "expect" and choice in ("dont_know", "never"):
        return e.Expected(None, again=choice != "never")
    if ask.group == "expect" and choice.startswith("answer:"):
        return e.Expected(choice.removeprefix("answer:"))
    if choice == "dont_know":
        return e.Answered(ask.id, None, said)
    if choice == "why":
        return e.WhyAsked()
    if choice == "skip":
        return e.Skipped(ask.id)
    if choice == "conclusion":
        return e.ConclusionShown()
    if choice == "usual":
        return e.Answered(ask.id, ask.usual, said)
    return e.Answered(ask.id, choice.removeprefix("answer:"), said)
