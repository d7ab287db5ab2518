"""Which question comes next in an interview, and the questions that stand before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from advisor.session import strings
from advisor.session.events import Value
from advisor.session.interview import words
from advisor.session.records import Ask, Choice
from advisor.session.state import State

# What the class needs, in the order in which a person reads it off the first page. After that the trials decide.
FIRST: Final = {
    "kernel": ("subject", "gpu", "duration_ns", "sm_throughput_pct", "memory_throughput_pct", "dram_pct"),
    "workload": ("subject", "gpu", "sm_throughput_pct", "tex_unit_pct", "l2_pct", "dram_pct", "crop_pct"),
}
Answers = tuple[tuple[int | None, str, float | str], ...]


def subject_of(state: State) -> str:
    """What an interview is about: a kernel, or a workload of Nsight Graphics."""
    return "workload" if state.answer("subject") == "workload" else "kernel"


def _belongs(ask: Ask, subject: str, state: State) -> bool:
    if ask.id == "gpu" and state.gpu:
        return False
    return ask.group in ("subject", "gpu") or (ask.group == "workload") == (subject == "workload")


def open_numbers(state: State, answers: Answers | None = None) -> tuple[Ask, ...]:
    """The questions of the interview that are neither answered nor unknown, in the order in which they are read."""
    given = state.answers if answers is None else answers
    done = {question for _, question, _ in given} | {question for _, question in state.unknown}
    subject = "workload" if (None, "subject", "workload") in given else "kernel"
    return tuple(a for a in state.lore.interview if a.id not in done and _belongs(a, subject, state))


def first_page(asks: Sequence[Ask]) -> bool:
    """Whether questions of the first page are among these open ones."""
    subject = "workload" if any(ask.group == "workload" for ask in asks) else "kernel"
    return any(ask.id in FIRST[subject] for ask in asks)


def next_number(state: State) -> Ask | None:
    """In an interview, the next question: the first page's, then those worth asking; those put off come last.

    None as soon as no answer would change anything any more.
    """
    if state.wanted == ():
        return None
    asks = open_numbers(state)
    first = FIRST[subject_of(state)]
    rest = [ask.id for ask in asks] if state.wanted is None else state.wanted
    worth = list(dict.fromkeys((*first, *rest)))
    asks = tuple(sorted((ask for ask in asks if ask.id in worth), key=lambda ask: worth.index(ask.id)))
    later = {question for _, question in state.put_off}
    return next(iter(sorted(asks, key=lambda ask: ask.id in later)), None)


def expectation(state: State) -> Ask:
    """Which bound does the user expect."""
    choices = tuple(Choice(name, label, more) for name, (label, more) in words.BOUNDS.items())
    return Ask(
        "expect",
        "Before the diagnosis: what do you expect to limit this kernel?",
        "A guess that turns out wrong shows which number to read first the next time",
        "choice",
        choices=choices,
        group="expect",
        usual="show",
    )


def offer(state: State) -> Ask:
    """After the expectation: which algorithm is it, with the way past it first."""
    choices = tuple(Choice(a.id, a.title) for a in state.lore.algorithms)
    return Ask(
        "algorithm",
        "And which algorithm is it?",
        strings.ALGORITHM_WHY,
        "choice",
        choices=choices,
        group="napkin",
        usual="show",
    )


def revealed(state: State) -> bool:
    """Whether the conclusion about the launch at hand was shown; an interview shows it piece by piece."""
    if state.numbers or state.place != "launch":
        return True
    return any(card.kind == "class" and card.position == state.position for card in state.cards)


def expectation_due(state: State) -> bool:
    """Whether the expectation is to be asked for now: once a launch, in an interview once the card is known."""
    if not state.expects or any(position == state.position for position, _ in state.expected):
        return False
    if not state.numbers:
        return True
    ask = next_number(state)
    return subject_of(state) == "kernel" and (ask is None or ask.group not in ("subject", "gpu"))


def replaced(state: State, place: int | None, question: str) -> Value:
    """The former answer to a question at a place, None where there is none."""
    return next((value for p, q, value in reversed(state.answers) if (p, q) == (place, question)), None)
