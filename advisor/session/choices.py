"""The choices that a state offers, in order, and the event of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec
from msgspec import Struct

from advisor.records.diagnosis import Finding
from advisor.session import events as e
from advisor.session.experiments import timeline
from advisor.session.interview.choosing import next_number, open_questions, revealed, subject_of
from advisor.session.records import Ask, Choice
from advisor.session.state import State, is_end, next_finding
from advisor.view.numbers import exact_text, short_gain_text

_MOST_QUESTIONS = 2  # maximum offered at a time; more would hide the other choices on a small screen
_MOST_ANSWERS = 20  # answers of a question that stay in their places
_ASK_SHOWN = 66  # characters of a question in a choice

Offer = tuple[Choice, e.Event]
_RETRY: Final[Offer] = (Choice("retry", "Try again"), e.Retried())
_QUIT: Final[Offer] = (Choice("quit", "Quit"), e.Quit())
DONT_KNOW_WORDS: Final = (
    *("d", "?", "dont know", "don't know", "do not know", "no idea", "unknown", "idk"),
    *("-", "–", "—", "n/a", "none", "not shown"),
)
_SHOW_NOW: Final = ("x", "s", "skip", "show", "now")
_SKIPS = {
    "napkin": "Skip the napkin math",
    "path": "Cancel",
    "variants": "Cancel",
    "timeline": "Conclude from these numbers",
    "page": "Answer this page later",
}


def choices(state: State) -> tuple[Choice, ...]:
    """Return the choices, the most likely first.

    Suggestions follow the answers of a question, which have numbers, but precede a list that no screen holds.
    """
    own, meant = offered(state), _meant(state)
    if state.ask is None:
        return (*meant, *own)
    if len(own) <= _MOST_ANSWERS:
        return (*own, *meant)
    labels = {choice.label for choice in meant}
    return (*meant, *(choice for choice in own if choice.label not in labels))


def offered(state: State) -> tuple[Choice, ...]:
    """Return the choices without the suggestions, which are lines themselves."""
    return tuple(choice for choice, _ in _pairs(state))


def misread(state: State) -> bool:
    """Return whether the last line was not understood, so that an Enter without text must not take anything."""
    return bool(state.log) and isinstance(state.log[-1], e.NotUnderstood)


def event_of_choice(choice: str, state: State, said: str = "") -> e.Event | None:
    """Return the event of a choice that is not a suggestion; None if it is not offered. said: the answer as typed."""
    event = next((event for offered, event in _pairs(state) if offered.id == choice), None)
    return msgspec.structs.replace(event, said=said) if isinstance(event, e.Answered) else event


def _pairs(state: State) -> tuple[Offer, ...]:
    if state.stalled is not None and state.place == "start":
        return (_RETRY, _QUIT)
    if state.place != "launch":
        return ()
    rest = _menu(state) if state.ask is None else _answers(state, state.ask)
    near = offers(state)
    # If quitting is the only other choice, the offers of the step come first.
    return (*near, *rest) if leading(state) or (near and rest[0] == _QUIT) else (*rest, *near)


def _meant(state: State) -> tuple[Choice, ...]:
    """Return suggestions after a line that was not understood."""
    last = state.log[-1] if state.log else None
    if not isinstance(last, e.NotUnderstood):
        return ()
    means = {name: text for name, _, text in state.knowledge.metrics}
    return tuple(Choice("meant:" + line, line, (), means.get(line.partition(" ")[0], "")) for line in last.meant)


def _answers(state: State, ask: Ask) -> tuple[Offer, ...]:
    expect = ask.group == "expect"
    out: list[Offer] = []
    for c in ask.choices if ask.kind == "choice" else ():
        answer = e.Expected(c.id) if expect else e.Answered(ask.id, c.id)
        out.append((Choice("answer:" + c.id, c.label, (c.id, *c.words), c.note), answer))
    note = "see above" if state.has_card("evidence", ask.id) else ""
    why: Offer = Choice("why", "Why is this asked?", ("q", "w", "why?"), note), e.WhyAsked()
    skip = e.Skipped(ask.id)
    # Enter takes the first choice: before the conclusion, that skips the question.
    if expect:
        first = Choice("skip", "Continue with the numbers" if state.numbers else "Show the diagnosis now", _SHOW_NOW)
        unknown: Offer = Choice("dont_know", "I don't know", DONT_KNOW_WORDS), e.Expected(None)
        never: Offer = Choice("never", "Show it and do not ask again", ("never",)), e.Expected(None, again=False)
        return ((first, skip), *out, unknown, never, why)
    if ask.group == "napkin" and ask.usual == "show":
        following = "continue with the numbers" if state.numbers else "show the diagnosis"
        return (
            (Choice("skip", f"None of these or skip: {following}", (*_SHOW_NOW, *DONT_KNOW_WORDS)), skip),
            *out,
            why,
        )
    if ask.usual is not None and ask.kind == "number":
        said = ask.usual if isinstance(ask.usual, str) else exact_text(ask.usual, ask.unit)
        usual = Choice("usual", f"Use {said}", ("usual",))
        out.append((usual, e.Answered(ask.id, ask.usual)))
    if ask.optional:
        label = "I do not have this section" if ask.kind == "page" else "I don't know"
        out.append((Choice("dont_know", label, DONT_KNOW_WORDS), e.Answered(ask.id, None)))
    out += [why, (Choice("skip", _SKIPS.get(ask.group, "Answer later"), ("a", "s", "later")), skip)]
    if state.numbers and state.launch is not None:
        enough = Choice("conclusion", "Show the diagnosis", ("x", "c", "enough", "stop"))
        out.append((enough, e.ConclusionShown()))
    return tuple(out)


def _menu(state: State) -> tuple[Offer, ...]:
    launch, finding = state.launch, state.finding_of(state.finding)
    if launch is not None and not revealed(state):
        return ((Choice("reveal", "Show the diagnosis now", _SHOW_NOW), e.Expected(None)),)
    out: list[Offer] = []
    if state.stalled is not None:
        out.append(_RETRY)
    if finding is not None and finding.fix is not None and not state.has_card("fix", finding.id):
        gains = finding.speedup is not None and not is_end(finding)
        label = "Show the fix, step by step" if gains else "Show what to do now"
        out.append((Choice("fix", label, ("fix", "f")), e.FixShown()))
    if finding is not None and not state.has_card("proof", finding.id):
        out.append((Choice("how", "How was this concluded?", ("h",)), e.HowAsked()))
    following = next_finding(state)
    if following is not None:
        gain = "" if following.speedup is None else short_gain_text(following.speedup)
        # An answer may have added a new first finding.
        first = launch is not None and following is launch.findings[0]
        label = f"{'What to fix first now' if first else 'Next finding'}: {following.title}"
        out.append((Choice("finding", label, ("next", "n"), gain), e.FindingShown(following.id)))
    exercise = _exercise(state, finding)
    if exercise:
        label = f"Practise it on an exercise: {exercise}"
        practise = Choice(f"practise:{exercise}", label, ("practise", "exercise", "p"))
        out.append((practise, e.ViewShown("practice", exercise)))
    for ask in open_questions(state)[:_MOST_QUESTIONS]:
        short = ask.ask if len(ask.ask) <= _ASK_SHOWN else ask.ask[: _ASK_SHOWN - 1].rstrip() + "…"
        out.append((Choice(f"ask:{ask.id}", f"Answer: {short}", (ask.id, ask.ask)), e.Asked(ask.id)))
    kernel = launch is not None and subject_of(state) == "kernel"
    if kernel and state.knowledge.algorithms and not state.has_card("napkin"):
        out.append((Choice("napkin", "Compare with what the algorithm needs", ("algorithm",)), e.NapkinBegun()))
    if launch is not None and not state.has_card("proof", launch.verdict.id):
        out.append((Choice("whyclass", "Why this class?"), e.WhyAsked()))
    if launch is not None and launch.missing and not state.has_card("missing") and not state.numbers:
        label = "Missing metrics and how to collect them"
        out.append((Choice("missing", label, ("collect",)), e.MissingShown()))
    if state.numbers and next_number(state) is not None:
        out.append((Choice("more", "Enter more numbers", ("numbers",)), e.NumbersContinued()))
    if state.diagnosis is not None and len(state.diagnosis.launches) > 1:
        out.append((Choice("launches", "Choose another launch", ("kernels", "l")), e.LaunchesShown()))
    return tuple(out) or (_QUIT,)


def _exercise(state: State, finding: Finding | None) -> str:
    """Return the exercise for a finding whose fix was shown."""
    if finding is None or finding.fix is None or not state.has_card("fix", finding.id):
        return ""
    return finding.fix.practice if finding.fix.practice in state.knowledge.exercises else ""


# Offers after the card of a step, a fix, a trace or a comparison
_Event = Callable[[State], e.Event | None]


class _Offered(Struct, frozen=True):
    """An offer: its label, its event (None if it is not possible), and other words for it."""

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
    "trace": _Offered("Open an Nsight Systems trace", lambda state: e.Asked("trace"), ("trace",)),
    "asked_timeline": _Offered(
        "Answer questions about the timeline", lambda state: e.Asked("timeline") if _no_trace(state) else None
    ),
    "timeline": _Offered(
        "Show the timeline",
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
    "variants": _Offered("Enter the three times", _of_launch(e.Asked("variants"))),
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
        ("compare", "new report", "changed", "c"),
    ),
    "version": _Offered(
        "I changed the code: type the new numbers",
        _of_launch(e.VersionBegun(), lambda state: state.numbers),
        ("new version", "changed"),
    ),
    "collect": _Offered("Show the command for the missing metrics", _of_launch(e.CollectShown(), _lacks_metrics)),
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
_LEADING: Final = ("step", "steps", "timeline")  # cards about next steps


def leading(state: State) -> bool:
    """Return whether the offers precede all other choices: the last card is about a step, not about the launch."""
    cards = state.conversation
    return bool(cards) and cards[-1].kind in _LEADING


def offers(state: State) -> tuple[Offer, ...]:
    """Return the offers of the last card; empty while a question is open."""
    if state.place != "launch" or state.ask is not None:
        return ()
    names, following = _leads(state)
    out = []
    for name in names:
        offered, event = _OFFERED[name], _OFFERED[name].event(state)
        if event is not None:
            pattern = timeline.next_pattern(state) if name == "pattern" else None
            label = offered.label.format(pattern="" if pattern is None else pattern.finding.title)
            out.append((Choice("step:" + name, label, offered.words), event))
    step = state.knowledge.step(following) if following else None
    if step is not None:
        label = f"Continue with step {step.id}: {step.title}"
        out.append((Choice(f"step:go:{step.id}", label, ("on", "go on")), e.StepShown(step.id)))
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
