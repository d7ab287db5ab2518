"""Whose turn it is: what can be said now, in which order, and which event each choice stands for."""

from __future__ import annotations

from advisor.records.diagnosis import Finding, Question
from advisor.session import events as e
from advisor.session import strings
from advisor.session.interview import words
from advisor.session.interview.choosing import next_number, revealed, subject_of
from advisor.session.method import words as words_method
from advisor.session.method.offers import BEFORE, leading, offers
from advisor.session.numbers import number_text
from advisor.session.records import Ask, Choice
from advisor.session.state import State, is_end

_MOST_QUESTIONS = 2  # offered at a time: more would push the rest of the choices out of a small screen
_ASK_SHOWN = 66  # characters of a question in a choice
MEANT = "meant:"  # before a line that could have been meant, when the last one was not understood
_ANSWER = "answer:"  # keeps the choices of a question apart from the ones that every question has

_SKIPS = {
    "napkin": "Leave the napkin",
    "path": words_method.LEAVE_IT,
    "variants": words_method.LEAVE_IT,
    "timeline": "Enough: say what these numbers mean",
}


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


def algorithm_ask(state: State) -> Ask:
    """The first question of the napkin: which algorithm."""
    choices = tuple(Choice(a.id, a.title) for a in state.lore.algorithms)
    return Ask(
        "algorithm", "Which algorithm is this?", strings.ALGORITHM_WHY, "choice", choices=choices, group="napkin"
    )


def shown_findings(state: State) -> set[str]:
    """The findings of the launch that have had a card."""
    told = [c for c in state.cards if c.position == state.position and not c.past]
    return {c.finding for c in told if c.kind in ("finding", "trust", "note")}


def next_finding(state: State) -> Finding | None:
    """The first finding of the launch that was not yet looked at; trust findings have a card of their own."""
    launch, shown = state.launch, shown_findings(state)
    if launch is None:
        return None
    return next((f for f in launch.findings if f.id not in shown and f.kind != "trust"), None)


def choices(state: State) -> tuple[Choice, ...]:
    """What can be chosen now, the likeliest first."""
    if state.stalled is not None and state.place == "start":
        return (Choice("retry", strings.TRY_AGAIN), Choice("quit", strings.LEAVE))
    if state.place != "launch":
        return ()
    rest = _menu(state) if state.ask is None else _answers(state, state.ask)
    near = tuple(choice for choice, _ in offers(state))
    # Nothing but leaving is no better than where a step leads.
    first = leading(state) or (bool(near) and rest[0].id == "quit")
    return (*_meant(state), *near, *rest) if first else (*_meant(state), *rest, *near)


def _meant(state: State) -> tuple[Choice, ...]:
    """After a line that was not understood: what could have been meant, ready to be taken."""
    last = state.log[-1] if state.log else None
    if not isinstance(last, e.NotUnderstood):
        return ()
    means = {name: text for name, _, text in state.lore.metrics}
    return tuple(Choice(MEANT + line, line, (), means.get(line.partition(" ")[0], "")) for line in last.meant)


def _before(state: State, ask: Ask) -> Choice | None:
    """The way past a question that stands before the reveal; it comes first, since Enter takes it."""
    if ask.group == "expect":
        return Choice("skip", "Go on to the numbers" if state.numbers else words.SHOW_NOW, words.SHOW_NOW_WORDS)
    if ask.group == "napkin" and ask.usual == "show":
        return Choice(
            "skip",
            "None of these, or skip this: go on to the numbers"
            if state.numbers
            else "None of these, or skip this: show the diagnosis",
            words.SHOW_NOW_WORDS,
        )
    return None


def _why(state: State, ask: Ask) -> Choice:
    """Why it is asked; said once, and then that it was."""
    said = state.has_card("evidence", ask.id)
    return Choice("why", "Why is this asked?", ("w", "why?"), "said above" if said else "")


def _answers(state: State, ask: Ask) -> tuple[Choice, ...]:
    listed = ask.choices if ask.kind == "choice" else ()
    out = [Choice(_ANSWER + c.id, c.label, (c.id, *c.words), c.note) for c in listed]
    before = _before(state, ask)
    if before is not None:
        out = [before, *out]
        if ask.group == "expect":
            out.append(Choice("dont_know", strings.DONT_KNOW, strings.DONT_KNOW_WORDS))
            out.append(Choice("never", "Show it, and never ask this again", words.NEVER_AGAIN_WORDS))
        return (*out, _why(state, ask))
    if ask.usual is not None and ask.kind == "number":
        out.append(Choice("usual", f"Take {number_text(ask.usual, ask.unit)}", ("u", "usual")))
    if ask.optional:
        out.append(Choice("dont_know", strings.DONT_KNOW, strings.DONT_KNOW_WORDS))
    out.append(_why(state, ask))
    out.append(Choice("skip", _SKIPS.get(ask.group, "Ask me later"), ("s", "later")))
    if state.numbers and state.launch is not None:
        out.append(Choice("conclusion", "Enough: show the conclusion", ("c", "enough", "stop")))
    return tuple(out)


def _menu(state: State) -> tuple[Choice, ...]:
    out: list[Choice] = []
    if state.launch is not None and not revealed(state):
        return (Choice("reveal", words.SHOW_NOW, words.SHOW_NOW_WORDS),)
    finding = state.finding_of(state.finding)
    if state.stalled is not None:
        out.append(Choice("retry", strings.TRY_AGAIN))
    if finding is not None and finding.fix is not None and not state.has_card("fix", finding.id):
        gains = finding.speedup is not None and not is_end(finding)
        out.append(Choice("fix", "Show the fix, step by step" if gains else "Show what to do now", ("fix",)))
    if finding is not None and not state.has_card("proof", finding.id):
        out.append(Choice("how", "How was this concluded?"))
    following = next_finding(state)
    if following is not None:
        gain = "" if following.speedup is None else strings.gain_text(following.speedup)
        # An answer may have brought a new first finding: it is not the next one.
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
    if kernel and state.lore.algorithms and not state.has_card("napkin"):
        out.append(Choice("napkin", "Compare with what the algorithm needs", ("algorithm",)))
    if state.launch is not None and not state.has_card("proof", state.launch.verdict.id):
        out.append(Choice("whyclass", "Why this class?"))
    if state.launch is not None and state.launch.missing and not state.has_card("missing") and not state.numbers:
        out.append(Choice("missing", "What the report lacks, and how to collect it", ("collect",)))
    if state.numbers and next_number(state) is not None:
        out.append(Choice("more", "Give more numbers", ("numbers",)))
    if state.diagnosis is not None and len(state.diagnosis.launches) > 1:
        out.append(Choice("launches", "Choose another launch", ("kernels",)))
    return tuple(out) or (Choice("quit", strings.LEAVE),)


def _exercise(state: State, finding: Finding | None) -> str:
    """The exercise for a finding whose fix was shown."""
    if finding is None or finding.fix is None or not state.has_card("fix", finding.id):
        return ""
    return finding.fix.practice if finding.fix.practice in state.lore.exercises else ""


def event_of(choice: str, state: State, said: str = "") -> e.Event | None:
    """The event that a choice stands for now; None when it is not among the choices."""
    if choice not in {c.id for c in choices(state)}:
        return None
    if choice.startswith(MEANT):
        from advisor.session.language.understand import understand

        return understand(choice.removeprefix(MEANT), state)
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
    if ask.group == "expect" and choice.startswith(_ANSWER):
        return e.Expected(choice.removeprefix(_ANSWER))
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
