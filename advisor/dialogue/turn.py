"""Whose turn it is: what can be said now, in which order, and which event each choice stands for."""

from __future__ import annotations

from advisor.dialogue import events as e
from advisor.dialogue import face
from advisor.dialogue.numbers import number_text
from advisor.dialogue.records import Ask, Choice
from advisor.dialogue.state import State, is_end
from advisor.model import Finding, Question

_MOST_QUESTIONS = 2  # offered at a time: more would push the rest of the choices out of a small screen
_ASK_SHOWN = 66  # characters of a question in a choice
_ANSWER = "answer:"  # keeps the choices of a question apart from the ones that every question has


def ask_of(question: Question, state: State) -> Ask:
    """The engine's question as it is put, with the range that the knowledge base gives it."""
    low, high = next(((lo, hi) for name, lo, hi in state.lore.ranges if name == question.id), (None, None))
    return Ask(
        id=question.id,
        ask=question.ask,
        why=question.why,
        kind=question.kind,
        unit=question.unit,
        low=low,
        high=high,
        choices=tuple(Choice(name, label) for name, label in question.choices),
        would_change=question.would_change,
    )


def open_questions(state: State) -> tuple[Ask, ...]:
    """What the engine would like to know about the launch: not yet put off first, answered or unknown left out."""
    launch = state.launch
    if launch is None:
        return ()
    given = {q for p, q, _ in state.answers if p in (state.position, None)}
    given |= {q for p, q in state.unknown if p in (state.position, None)}
    asks = [ask_of(question, state) for question in launch.questions if question.id not in given]
    later = {q for p, q in state.put_off if p == state.position}
    return tuple(sorted(asks, key=lambda ask: ask.id in later))


def next_number(state: State) -> Ask | None:
    """In an interview, the next number to ask for; those put off come last."""
    done = {q for _, q, _ in state.answers} | {q for _, q in state.unknown}
    asks = [ask for ask in state.lore.interview if ask.id not in done and not (ask.id == "gpu" and state.gpu)]
    later = {q for _, q in state.put_off}
    return next(iter(sorted(asks, key=lambda ask: ask.id in later)), None)


def algorithm_ask(state: State) -> Ask:
    """The first question of the napkin: which algorithm."""
    choices = tuple(Choice(a.id, a.title) for a in state.lore.algorithms)
    return Ask("algorithm", face.ALGORITHM, face.ALGORITHM_WHY, "choice", choices=choices, group="napkin")


def shown_findings(state: State) -> set[str]:
    """The findings of the launch that have had a card."""
    return {c.finding for c in state.cards if c.kind in ("finding", "trust", "note") and c.position == state.position}


def next_finding(state: State) -> Finding | None:
    """The first finding of the launch that was not yet looked at; trust findings have a card of their own."""
    launch, shown = state.launch, shown_findings(state)
    if launch is None:
        return None
    return next((f for f in launch.findings if f.id not in shown and f.kind != "trust"), None)


def choices(state: State) -> tuple[Choice, ...]:
    """What can be chosen now, the likeliest first."""
    if state.stalled is not None and state.place == "start":
        return (Choice("retry", face.TRY_AGAIN), Choice("quit", face.LEAVE))
    if state.place != "launch":
        return ()
    if state.ask is not None:
        return _answers(state, state.ask)
    return _menu(state)


def _answers(state: State, ask: Ask) -> tuple[Choice, ...]:
    listed = ask.choices if ask.kind == "choice" else ()
    out = [Choice(_ANSWER + c.id, c.label, (c.id, *c.words), c.note) for c in listed]
    if ask.usual is not None and ask.kind == "number":
        out.append(Choice("usual", face.TAKE_USUAL.format(value=number_text(ask.usual, ask.unit)), ("u", "usual")))
    if ask.optional:
        out.append(Choice("dont_know", face.DONT_KNOW, face.DONT_KNOW_WORDS))
    out.append(Choice("why", face.WHY_ASKED, ("w", "why?")))
    out.append(Choice("skip", face.STOP_NAPKIN if ask.group == "napkin" else face.SKIP, ("s", "later")))
    if state.numbers and state.launch is not None:
        out.append(Choice("conclusion", face.SHOW_CONCLUSION, ("c", "enough", "stop")))
    return tuple(out)


def _menu(state: State) -> tuple[Choice, ...]:
    out: list[Choice] = []
    finding = state.finding_of(state.finding)
    if state.stalled is not None:
        out.append(Choice("retry", face.TRY_AGAIN))
    if finding is not None and finding.fix is not None and not state.has_card("fix", finding.id):
        gains = finding.speedup is not None and not is_end(finding)
        out.append(Choice("fix", face.SHOW_FIX if gains else face.SHOW_WHAT_TO_DO, ("fix",)))
    if finding is not None and not state.has_card("proof", finding.id):
        out.append(Choice("how", face.SHOW_HOW))
    following = next_finding(state)
    if following is not None:
        gain = "" if following.speedup is None else face.gain_text(following.speedup)
        # An answer may have brought a new first finding: it is not the next one.
        words = (
            face.SHOW_NOW_FIRST
            if state.launch is not None and following is state.launch.findings[0]
            else face.SHOW_NEXT
        )
        out.append(Choice("finding", words.format(title=following.title), ("next",), gain))
    for ask in open_questions(state)[:_MOST_QUESTIONS]:
        short = ask.ask if len(ask.ask) <= _ASK_SHOWN else ask.ask[: _ASK_SHOWN - 1].rstrip() + "…"
        out.append(Choice(f"ask:{ask.id}", face.TAKE_QUESTION.format(ask=short), (ask.id, ask.ask)))
    if state.lore.algorithms and not state.has_card("napkin") and not state.numbers:
        out.append(Choice("napkin", face.SHOW_NAPKIN, ("algorithm",)))
    if state.launch is not None and not state.has_card("proof", state.launch.verdict.id):
        out.append(Choice("whyclass", face.SHOW_WHY_CLASS))
    if state.launch is not None and state.launch.missing and not state.has_card("missing") and not state.numbers:
        out.append(Choice("missing", face.SHOW_MISSING, ("collect",)))
    if state.numbers and next_number(state) is not None:
        out.append(Choice("more", face.MORE_NUMBERS, ("numbers",)))
    if state.diagnosis is not None and len(state.diagnosis.launches) > 1:
        out.append(Choice("launches", face.SHOW_LAUNCHES, ("kernels",)))
    return tuple(out) or (Choice("quit", face.LEAVE),)


def event_of(choice: str, state: State, said: str = "") -> e.Event | None:
    """The event that a choice stands for now; None when it is not among the choices."""
    if choice not in {c.id for c in choices(state)}:
        return None
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
        "more": e.NumbersContinued(),
        "launches": e.LaunchesShown(),
        "retry": e.Retried(),
        "quit": e.Quit(),
    }
    return made.get(name)


def _answer_event(choice: str, ask: Ask, said: str) -> e.Event:
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
    return e.Answered(ask.id, choice.removeprefix(_ANSWER), said)
