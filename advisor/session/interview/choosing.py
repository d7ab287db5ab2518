"""The questions of an interview and their order, the questions before it, and the user's prediction."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from advisor.knowledge.base import Catalog
from advisor.knowledge.expressions import ExpressionError, parse, parse_test
from advisor.knowledge.schemas import RuleDef
from advisor.readers.workload import typed
from advisor.records.diagnosis import ENDS, LaunchDiagnosis, Question, main_finding
from advisor.session.interview.pages import is_due, page_ask, pages, pages_by_metric
from advisor.session.records import Ask, Card, Choice, NapkinResult
from advisor.session.requests import Value
from advisor.session.state import State
from advisor.view.blocks import Line
from advisor.view.numbers import amount_text
from advisor.view.text import sentence_start

SUBJECTS: Final = {
    "kernel": ("A CUDA kernel in Nsight Compute", ("cuda", "ncu", "compute")),
    "workload": ("A draw or dispatch in Nsight Graphics", ("graphics", "draw", "dispatch", "frame", "shader")),
    "program": ("A whole program in Nsight Systems", ("timeline", "nsys", "trace", "system")),
}
WORKLOAD_WHY: Final = "Nsight Graphics shows it for the selected range. Unknown numbers are skipped."
WORKLOAD_KINDS: Final = {
    "full-screen": "a full-screen quad",
    "compute": "nothing: a compute shader",
    "geometry": "geometry",
}

# The questions that come first in any case; the others are ranked by trying their answers.
FIRST: Final = {
    "kernel": (
        *("subject", "gpu", "duration_ns", "sm_cycles_elapsed", "sm_throughput_pct", "memory_throughput_pct"),
        *("l1_throughput_pct", "l2_throughput_pct", "dram_pct"),
    ),
    "workload": ("subject", "gpu", "sm_throughput_pct", "tex_unit_pct", "l2_pct", "dram_pct", "crop_pct"),
}
# Bounds that a user can predict for a kernel: label and other words.
BOUNDS: Final = {
    "memory": ("Memory: DRAM or a cache is saturated", ("bandwidth", "dram", "cache")),
    "compute": ("Compute: an arithmetic pipe or the issue slots are saturated", ("arithmetic", "math", "flop")),
    "latency": ("Latency: no unit is saturated, warps stall", ("neither", "waiting")),
}
_ALGORITHM_WHY: Final = "The algorithm and its sizes determine the minimum bytes, operations and time."
# Metrics from which code, not a formula, calculates the headline numbers.
_PARTS: Final = {
    "compute_pct": ("sm_throughput_pct", "pipe_fma_pct", "pipe_alu_pct", "pipe_fp64_pct", "pipe_xu_pct", "issue_pct"),
    "memory_pct": ("memory_throughput_pct", "lsu_pct"),
}
# Stall reasons that affect the conclusion about a workload.
STALLS: Final = ("stall_long_scoreboard_pct", "stall_barrier_pct", "stall_wait_pct")
_MOST: Final = {"thread": 1e12, "inst": 1e18, "byte": 1e16, "ns": 1e15}  # bounds that only reject absurd values
_LEAST: Final = {"duration_ns": 300.0}  # an empty kernel takes about 1 us: a smaller number lacks its unit
_PERCENT = 100.0
_MOST_TITLES = 4
_MOST_PAGES = 2  # of those that decide most, the first in ncu's order is shown
_MOST_ROWS = 25  # a reader finds a few numbers per page; what the others are worth depends on these
Answers = tuple[tuple[int | None, str, float | str], ...]


def subject_of(state: State) -> str:
    """Return the subject of an interview: kernel, or workload (of Nsight Graphics)."""
    return "workload" if state.answer("subject") == "workload" else "kernel"


def _belongs(ask: Ask, subject: str, state: State) -> bool:
    if ask.id == "gpu" and state.gpu:
        return False
    return ask.group in ("subject", "gpu") or (ask.group == "workload") == (subject == "workload")


def open_numbers(state: State, answers: Answers | None = None) -> tuple[Ask, ...]:
    """Return the questions of the interview that are neither answered nor unknown, in reading order."""
    given = state.answers if answers is None else answers
    done = {question for _, question, _ in given} | {question for _, question in state.unknown}
    subject = "workload" if (None, "subject", "workload") in given else "kernel"
    return tuple(a for a in state.knowledge.interview if a.id not in done and _belongs(a, subject, state))


def first_page(asks: Sequence[Ask]) -> bool:
    """Return whether questions of the first page are among these open ones."""
    subject = "workload" if any(ask.group == "workload" for ask in asks) else "kernel"
    return any(ask.id in FIRST[subject] for ask in asks)


def next_number(state: State) -> Ask | None:
    """Return the next question of an interview; None if no answer would change anything.

    The numbers of a kernel are asked page by page, in ncu's order, at most _MOST_ROWS of a page at a time: those that
    decide most. A number that was left out of its page is asked alone, after all pages, or at once if it alone could
    refute the advice to stop. Skipped questions come last.
    """
    if state.wanted == ():
        return None
    asks = open_numbers(state)
    first = FIRST[subject_of(state)]
    rest = [ask.id for ask in asks] if state.wanted is None else state.wanted
    worth = list(dict.fromkeys((*first, *rest)))
    known = {} if state.launch is None else state.launch.metrics
    asks = tuple(sorted((ask for ask in asks if ask.id in worth), key=lambda ask: worth.index(ask.id)))
    page_of = pages_by_metric(state.knowledge.pages)
    asks = tuple(ask for ask in asks if (of := page_of.get(ask.id)) is None or is_due(of, ask.id, known))
    later = {question for _, question in state.put_off}
    if state.wanted is not None:
        # Of the first page too, a number that was left out is asked only if it decides.
        asks = tuple(ask for ask in asks if ask.id not in later or ask.id in state.wanted or ask.kind == "choice")
    refutes = [ask for ask in asks if ask.id in later and ask.id in (state.wanted or ())] if _ends(state) else []
    if refutes:
        return refutes[0]
    out: dict[str, Ask] = {}
    for ask in asks:
        page = page_of.get(ask.id) if ask.group == "metric" and ask.id not in later else None
        if page is None:
            out[ask.id] = ask
        elif page.id not in out:
            rows = pages_by_metric((page,))
            most = [one for one in asks if one.id not in later and one.id in rows][:_MOST_ROWS]
            out[page.id] = page_ask(page, most)
    places = {page.id: at for at, page in enumerate(state.knowledge.pages)}
    # Of the pages that decide most, the first in ncu's order.
    best = [ask for ask in out.values() if ask.id not in later][:_MOST_PAGES]
    chosen = min(best, key=lambda ask: _place(ask, places), default=next(iter(out.values()), None))
    return chosen if chosen is None or chosen.kind != "page" else _filled(state, chosen)


def _filled(state: State, ask: Ask) -> Ask:
    """Return the question for a page with its other rows that open rules depend on, so that it is asked only once."""
    launch = state.launch
    page = next((page for page in state.knowledge.pages if page.id == ask.id), None)
    if launch is None or page is None or state.wanted is None:
        return ask
    asked, later = {row.id for row in ask.rows}, {question for _, question in state.put_off}
    depend = {one.metric for one in launch.missing} - asked - later
    known = launch.metrics
    rows = pages_by_metric((page,))
    more = [one for one in open_numbers(state) if one.id in depend and one.id in rows]
    due = [one for one in more if is_due(page, one.id, known)]
    return page_ask(page, (*ask.rows, *due[: max(0, _MOST_ROWS - len(ask.rows))]))


def _place(ask: Ask, places: Mapping[str, int]) -> int:
    """Return where a question comes: the subject and the GPU, ncu's pages, then what only the user knows."""
    return -1 if ask.group in ("subject", "gpu") else places.get(ask.id, len(places))


def _ends(state: State) -> bool:
    """Return whether the first finding advises to stop."""
    found = None if state.launch is None else main_finding(state.launch)
    return found is not None and found.id in ENDS


def expectation(state: State) -> Ask:
    """Return the question for the user's prediction."""
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
    """Return the question for the algorithm that follows the prediction, with the option to skip it first."""
    return replace(algorithm_ask(state), ask="Which algorithm does it run?", usual="show")


def revealed(state: State) -> bool:
    """Return whether the conclusion about the current launch was shown; an interview shows it part by part."""
    if state.numbers or state.place != "launch":
        return True
    return any(card.kind == "class" and card.position == state.position for card in state.cards)


def expectation_due(state: State) -> bool:
    """Return whether to ask for the prediction now: once per launch, in an interview once the GPU is known."""
    if not state.expects or any(position == state.position for position, _ in state.expected):
        return False
    if not state.numbers:
        return True
    ask = next_number(state)
    return subject_of(state) == "kernel" and (ask is None or ask.group not in ("subject", "gpu"))


def replaced(state: State, place: int | None, question: str) -> Value:
    """Return the former answer to a question about the launch at `place`, None without one."""
    return next((value for p, q, value in reversed(state.answers) if (p, q) == (place, question)), None)


def ask_of(question: Question, state: State) -> Ask:
    """Return the engine's question with the range that the knowledge base gives it."""
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
    """Return the engine's open questions about the launch, skipped ones last, without answered or unknown ones."""
    launch = state.launch
    if launch is None:
        return ()
    given = {q for p, q, _ in state.answers if p in (state.position, None)}
    given |= {q for p, q in state.unknown if p in (state.position, None)}
    asks = [ask_of(question, state) for question in launch.questions if question.id not in given]
    later = {q for p, q in state.put_off if p == state.position}
    return tuple(sorted(asks, key=lambda ask: ask.id in later))


def algorithm_ask(state: State) -> Ask:
    """Return the first question of the napkin math: which algorithm."""
    choices = tuple(Choice(a.id, a.title) for a in state.knowledge.algorithms)
    return Ask("algorithm", "Which algorithm does it run?", _ALGORITHM_WHY, "choice", choices=choices, group="napkin")


# (expected, found): the evidence that distinguishes the two.
DECIDED_BY: Final = {
    ("memory", "memory"): "Memory reaches 60 % or more of its peak ({numbers}).",
    ("compute", "compute"): "A pipe or the issue slots reach 60 % or more of their peak ({numbers}).",
    ("latency", "latency"): "Neither memory nor compute reaches 60 % of its peak: warps stall ({numbers}).",
    (
        "memory",
        "latency",
    ): "Warps wait for memory, but its bandwidth is below 60 % of peak, so latency is the limit ({numbers}).",
    ("memory", "compute"): "Utilisation of the pipes or issue slots is higher than that of memory ({numbers}).",
    ("compute", "memory"): "The kernel does much arithmetic, but memory utilisation is higher ({numbers}).",
    ("compute", "latency"): "The kernel does much arithmetic, but warps stall and no pipe reaches 60 % ({numbers}).",
    ("latency", "memory"): "Warps stall because memory is saturated: fewer bytes help, more warps do not ({numbers}).",
    ("latency", "compute"): "A pipe is saturated: less work for it helps, more warps do not ({numbers}).",
    ("memory", "balanced"): "Memory is one of two limits: compute utilisation is as high ({numbers}).",
    ("compute", "balanced"): "Compute is one of two limits: memory utilisation is as high ({numbers}).",
    ("latency", "balanced"): "Memory and compute are both saturated, so warps spend little time waiting ({numbers}).",
}
# (by napkin math, found), if the two differ.
NAPKIN_DIFFERS: Final = {
    (
        "memory",
        "compute",
    ): "Napkin math predicts memory as the limit: the kernel computes more than the algorithm needs.",
    (
        "compute",
        "memory",
    ): "Napkin math predicts compute as the limit: the kernel moves more bytes than the algorithm needs.",
    ("memory", "latency"): "Napkin math predicts memory as the limit: find out why it is not saturated.",
    (
        "compute",
        "latency",
    ): "Napkin math predicts compute as the limit: find out why no pipe is saturated.",
}
# The bound that a class belongs to; `undetermined` has none.
SIDES: Final = {
    "dram_bound": "memory",
    "internal_congestion": "memory",
    "mixed_memory_bound": "memory",
    "compute_bound": "compute",
    "latency_bound": "latency",
    "balanced": "balanced",
}


def expected_bound(state: State) -> str | None:
    """Return the bound that the user predicted for the current launch; None for no idea or if it was not asked."""
    return next((bound for position, bound in reversed(state.expected) if position == state.position), None)


def napkin_bound(state: State) -> str:
    """Return the bound of the current launch by napkin math, empty without one."""
    found = (c.detail for c in reversed(state.cards) if c.kind == "napkin" and c.position == state.position)
    return next((detail.bound for detail in found if isinstance(detail, NapkinResult)), "")


def comparison_card(state: State) -> Card | None:
    """Return the card that compares prediction and napkin math with the class; None without both."""
    launch, bound, predicted = state.launch, expected_bound(state), napkin_bound(state)
    if launch is None or (bound is None and not predicted):
        return None
    side = SIDES.get(launch.verdict.id, "")
    title = launch.verdict.title or launch.verdict.id
    if not side:
        text = f"Your prediction: {bound}. These numbers do not decide the class" if bound is not None else ""
        return Card("note", text, (), state.position, "expect", "Prediction") if text else None
    if bound is None:
        head = f"No prediction. Actual: {title}"
    elif bound == side:
        head = f"Your prediction is right: {title}"
    else:
        head = f"Your prediction: {bound}. Actual: {title}"
    lines = []
    if bound is not None:
        lines.append(Line(DECIDED_BY[bound, side].format(numbers=_numbers(launch))))
    if launch.verdict.id == "internal_congestion" and bound == "memory":
        lines.append(Line("The limit is on the chip (L1, shared memory, L2): DRAM itself is not saturated."))
    if predicted:
        lines.append(
            Line(NAPKIN_DIFFERS.get((predicted, side), "Napkin math predicts the same." if predicted == side else ""))
        )
    return Card("note", head, tuple(line for line in lines if line.text), state.position, "expect", "Prediction")


def _numbers(launch: LaunchDiagnosis) -> str:
    def text(metric: str) -> str:
        value = launch.metrics.get(metric)
        return amount_text(value if value is not None and math.isfinite(value) else None, "%")

    return f"memory {text('memory_pct')}, compute {text('compute_pct')}, DRAM {text('dram_pct')}"


# Questions from the knowledge base
def needed_for(catalog: Catalog) -> dict[str, tuple[str, ...]]:
    """Map each metric id to the classes and findings whose rules read it, directly or through derived metrics."""
    tests = {}
    for name, entry in catalog.observations.items():
        try:
            tests[name] = _closure(catalog, parse_test(entry.test).names)
        except ExpressionError:
            continue  # `knowledge lint` reports this error; here one reason is missing.
    out: dict[str, dict[str, None]] = {}
    rules = [(name, (*c.when, *c.unless)) for name, c in catalog.classes.items()]
    rules += [(name, (*r.when, *r.unless)) for name, d in catalog.diagnoses.items() for r in d.seen]
    for concludes, names in rules:
        for observation in names:
            for metric in tests.get(observation, ()):
                out.setdefault(metric, {})[concludes] = None
    for whole, parts in _PARTS.items():
        for part in parts:
            # The classes come first: these numbers are asked mainly for them.
            out[part] = {**out.get(whole, {}), **out.get(part, {})}
    return {metric: tuple(found) for metric, found in out.items()}


def _closure(catalog: Catalog, names: frozenset[str]) -> frozenset[str]:
    """Return these metrics and all metrics in their formulas."""
    seen: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        definition = catalog.metrics.get(name)
        if definition is not None and definition.formula:
            todo += parse(definition.formula).names
    return frozenset(seen)


def interview(catalog: Catalog, gpus: tuple[Choice, ...] = ()) -> tuple[Ask, ...]:
    """Return the questions of an interview: the subject, the GPU (if a list is given), the numbers of the pages, facts
    that only the user knows, and the questions of a workload (group `workload`).

    The text for a number is the metric's meaning; its reason says where ncu shows it and which conclusions need it.
    """
    subjects = tuple(Choice(name, label, more) for name, (label, more) in SUBJECTS.items())
    asks = [
        Ask(
            "subject",
            "What did you profile?",
            "Each tool shows different numbers, so the questions depend on it.",
            "choice",
            choices=subjects,
            group="subject",
            usual="kernel",
        )
    ]
    if gpus:
        asks.append(
            Ask(
                "gpu",
                "Which GPU was it?",
                "Its limits and peaks decide what counts as high.",
                "choice",
                choices=gpus,
                group="gpu",
            )
        )
    needed = needed_for(catalog)
    titles = {name: c.title for name, c in catalog.classes.items()}
    titles |= {name: d.title for name, d in catalog.diagnoses.items()}
    asks += [
        replace(_number(catalog, metric, needed.get(metric, ()), titles), row=row, how=how)
        for page in pages(catalog)
        for metric, row, how in page.rows
    ]
    asks += [_question(catalog, q, titles) for q in catalog.questions]
    return (*asks, *_workload(catalog))


def _number(catalog: Catalog, metric: str, users: tuple[str, ...], titles: dict[str, str]) -> Ask:
    definition = catalog.metrics[metric]
    names = [titles.get(name, name) for name in users]
    more = f" and {len(names) - _MOST_TITLES} more" if len(names) > _MOST_TITLES else ""
    reasons = [f"It affects: {', '.join(names[:_MOST_TITLES])}{more}"] if names else []
    if definition.text:
        place = definition.text[0].replace("/", ": ", 1)
        reasons.insert(0, f"Nsight Compute shows it under {place}.")
    return Ask(
        id=metric,
        ask=sentence_start(definition.means or metric),
        why=" ".join(reasons),
        unit=definition.unit,
        low=_LEAST.get(metric, 0.0),
        high=_PERCENT * 1.1 if definition.unit == "%" else _MOST.get(definition.unit),
        would_change=users,
        group="metric",
    )


def _question(catalog: Catalog, name: str, titles: dict[str, str]) -> Ask:
    """Return the question for a fact that only the user knows."""
    entry = catalog.questions[name]
    users = [d.id for d in catalog.diagnoses.values() if any(_reads(catalog, rule, name) for rule in d.seen)]
    return Ask(
        id=name,
        ask=entry.ask,
        why=entry.why,
        kind=entry.kind,
        unit=entry.unit,
        low=entry.low,
        high=entry.high,
        choices=tuple(Choice(choice, label) for choice, label in entry.choices.items()),
        would_change=tuple(u for u in users if u in titles),
    )


def _reads(catalog: Catalog, rule: RuleDef, question: str) -> bool:
    names = (*rule.when, *rule.unless)
    if any(name.startswith(f"answer.{question}.") for name in names):
        return True
    sets = catalog.questions[question].sets
    tests = [parse_test(catalog.observations[n].test) for n in names if n in catalog.observations]
    return bool(sets) and any(sets in _closure(catalog, test.names) for test in tests)


def _workload(catalog: Catalog) -> list[Ask]:
    """Return the questions for a draw or dispatch, in the terms of Nsight Graphics."""
    known, out = typed(), []
    for unit, word in known.units.items():
        why = "The most utilised units limit the workload. Press d for a unit that is not among the five listed."
        ask = f"What is the utilisation of {unit}?"
        out.append(Ask(word.metric, ask, why, unit="%", low=0.0, high=_PERCENT, group="workload"))
    for word in (*known.numbers.values(), *known.complements.values()):
        definition = catalog.metrics.get(word.metric)
        if definition is None or any(ask.id == word.metric for ask in out):
            continue
        high = word.high * word.scale
        ask = (
            "How long does the draw or dispatch take?"
            if word.metric == "duration_ns"
            else sentence_start(definition.means)
        )
        why, unit, low = WORKLOAD_WHY, definition.unit, word.low * word.scale
        out.append(Ask(word.metric, ask, why, unit=unit, low=low, high=high, group="workload"))
    for metric in STALLS:
        ask, unit = sentence_start(catalog.metrics[metric].means), catalog.metrics[metric].unit
        out.append(Ask(metric, ask, WORKLOAD_WHY, unit=unit, low=0.0, high=_PERCENT, group="workload"))
    labels = {"kind": WORKLOAD_KINDS, "occupancy_limiter": {}}
    for name, text in (
        ("kind", "What does the workload draw?"),
        ("occupancy_limiter", "What limits the number of warps?"),
    ):
        choices = tuple(Choice(v, labels[name].get(v, v)) for v in known.choices[name].values)
        out.append(Ask(name, text, WORKLOAD_WHY, "choice", choices=choices, group="workload"))
    return out
