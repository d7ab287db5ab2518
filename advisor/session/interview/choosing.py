"""Which question comes next in an interview, those that come before it, and the user's prediction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from advisor.records.diagnosis import LaunchDiagnosis, Question
from advisor.session.records import Ask, Card, Choice, NapkinResult
from advisor.session.requests import Value
from advisor.session.state import State
from advisor.view.blocks import Line
from advisor.view.numbers import amount_text

SUBJECTS: Final = {
    "kernel": ("A CUDA kernel in Nsight Compute", ("cuda", "ncu", "compute")),
    "workload": ("A draw or dispatch in Nsight Graphics", ("graphics", "draw", "dispatch", "frame", "shader")),
    "program": ("A whole program in Nsight Systems", ("timeline", "nsys", "trace", "system")),
}
WORKLOAD_WHY: Final = "Nsight Graphics shows it for the selected range; what is unknown is left out."
WORKLOAD_KINDS: Final = {
    "full-screen": "a full-screen quad",
    "compute": "nothing: a compute shader",
    "geometry": "geometry",
}

# What the class needs, in the order in which a person reads it off the first page. After that the trials decide.
FIRST: Final = {
    "kernel": ("subject", "gpu", "duration_ns", "sm_throughput_pct", "memory_throughput_pct", "dram_pct"),
    "workload": ("subject", "gpu", "sm_throughput_pct", "tex_unit_pct", "l2_pct", "dram_pct", "crop_pct"),
}
# What a user can expect a kernel to be limited by: label and other words.
BOUNDS: Final = {
    "memory": ("Memory: bytes wait for DRAM or a cache", ("bandwidth", "dram", "cache")),
    "compute": ("Compute: an arithmetic pipe or the issue slots are saturated", ("arithmetic", "math", "flop")),
    "latency": ("Latency: no unit is saturated, warps wait", ("neither", "waiting")),
}
_ALGORITHM_WHY: Final = (
    "The algorithm and its sizes give the fewest bytes and operations that it needs, and so the minimum time."
)
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
    return tuple(a for a in state.knowledge.interview if a.id not in done and _belongs(a, subject, state))


def first_page(asks: Sequence[Ask]) -> bool:
    """Whether questions of the first page are among these open ones."""
    subject = "workload" if any(ask.group == "workload" for ask in asks) else "kernel"
    return any(ask.id in FIRST[subject] for ask in asks)


def next_number(state: State) -> Ask | None:
    """In an interview, the next question: the first page's, then those worth asking; skipped ones come last.

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
    choices = tuple(Choice(name, label, more) for name, (label, more) in BOUNDS.items())
    return Ask(
        "expect",
        "Before the diagnosis: what do you expect to limit this kernel?",
        "A prediction trains you to spot the deciding metric",
        "choice",
        choices=choices,
        group="expect",
        usual="show",
    )


def offer(state: State) -> Ask:
    """After the expectation: which algorithm is it, with the way past it first."""
    choices = tuple(Choice(a.id, a.title) for a in state.knowledge.algorithms)
    return Ask(
        "algorithm",
        "And which algorithm is it?",
        _ALGORITHM_WHY,
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


def ask_of(question: Question, state: State) -> Ask:
    """The engine's question as it is put, with the range that the knowledge base gives it."""
    low, high = next(((lo, hi) for name, lo, hi in state.knowledge.ranges if name == question.id), (None, None))
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
    """The engine's open questions about the launch: skipped ones last, answered or unknown ones left out."""
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
    choices = tuple(Choice(a.id, a.title) for a in state.knowledge.algorithms)
    return Ask("algorithm", "Which algorithm is this?", _ALGORITHM_WHY, "choice", choices=choices, group="napkin")


# (expected, found): what tells the one from the other.
TELLS: Final = {
    ("memory", "memory"): "Memory leads with 60 % or more of its peak ({numbers}).",
    ("compute", "compute"): "A pipe or the issue slots lead with 60 % or more of their peak ({numbers}).",
    ("latency", "latency"): "Neither side reaches 60 % of its peak, so time passes in waiting ({numbers}).",
    ("memory", "latency"): "Waiting for memory is no full memory: bandwidth limits from 60 % of its peak ({numbers}).",
    ("memory", "compute"): "The counters show the arithmetic or the issue slots fuller than memory ({numbers}).",
    ("compute", "memory"): "Much arithmetic does not make it the limit: the memory side is fuller ({numbers}).",
    ("compute", "latency"): "Much arithmetic does not fill a pipe while warps wait: none reaches 60 % ({numbers}).",
    ("latency", "memory"): "Warps stall because memory is saturated: fewer bytes help, more warps do not ({numbers}).",
    ("latency", "compute"): "A pipe is full, so less work for it helps and more warps do not ({numbers}).",
    ("memory", "balanced"): "Memory is one of two: compute is as full ({numbers}).",
    ("compute", "balanced"): "Compute is one of two: memory is as full ({numbers}).",
    ("latency", "balanced"): "Both sides are full, so little time passes in mere waiting ({numbers}).",
}
# (on paper, found) where the two differ.
PAPER: Final = {
    ("memory", "compute"): "On paper memory should be the limit: the kernel computes more than the algorithm asks for.",
    ("compute", "memory"): "On paper arithmetic should be the limit: bytes are moved that the algorithm does not need.",
    ("memory", "latency"): "On paper memory should be the limit: what keeps it from being full is the thing to find.",
    ("compute", "latency"): "On paper arithmetic should be the limit: something keeps the pipes from being full.",
}
# On which side a class stands; `undetermined` on none.
SIDES: Final = {
    "dram_bound": "memory",
    "internal_congestion": "memory",
    "mixed_memory_bound": "memory",
    "compute_bound": "compute",
    "latency_bound": "latency",
    "balanced": "balanced",
}


def expected_bound(state: State) -> str | None:
    """The bound that the user expects of the launch at hand; None for no idea, and where it was not asked."""
    return next((bound for position, bound in reversed(state.expected) if position == state.position), None)


def on_paper(state: State) -> str:
    """The side that the napkin expects of the launch at hand, empty without one."""
    found = (c.detail for c in reversed(state.cards) if c.kind == "napkin" and c.position == state.position)
    return next((detail.bound for detail in found if isinstance(detail, NapkinResult)), "")


def comparison_card(state: State) -> Card | None:
    """How expectation and napkin compare with the class, in a sentence each; None where neither was given."""
    launch, bound, paper = state.launch, expected_bound(state), on_paper(state)
    if launch is None or (bound is None and not paper):
        return None
    side = SIDES.get(launch.verdict.id, "")
    title = launch.verdict.title or launch.verdict.id
    if not side:
        text = f"You expected {bound}; these numbers do not decide it" if bound is not None else ""
        return Card("note", text, (), state.position, "expect", "Expected") if text else None
    if bound is None:
        head = f"You left it open; it is: {title}"
    elif bound == side:
        head = f"As you expected: {title}"
    else:
        head = f"You expected {bound}; it is: {title}"
    lines = []
    if bound is not None:
        lines.append(Line(TELLS[bound, side].format(numbers=_numbers(launch))))
    if launch.verdict.id == "internal_congestion" and bound == "memory":
        lines.append(Line("It is the inside of the memory system: DRAM itself is not what is full."))
    if paper:
        lines.append(Line(PAPER.get((paper, side), "On paper it is the same." if paper == side else "")))
    return Card("note", head, tuple(line for line in lines if line.text), state.position, "expect", "Expected")


def _numbers(launch: LaunchDiagnosis) -> str:
    def text(metric: str) -> str:
        value = launch.metrics.get(metric)
        return amount_text(value if value is not None and math.isfinite(value) else None, "%")

    return f"memory {text('memory_pct')}, compute {text('compute_pct')}, DRAM {text('dram_pct')}"
