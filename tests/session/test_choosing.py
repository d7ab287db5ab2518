"""Which question comes next: held against trying every answer, and followed on the whole knowledge base."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import pandas as pd
import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from reasoning.conftest import make_catalog
from tui.factory import desk
from tui.talk import begin, say, settle

from advisor.knowledge.base import Catalog, catalog
from advisor.reasoning.asking.needs import OpenRules
from advisor.reasoning.conclude import conclude
from advisor.reasoning.diagnose import analyse_numbers
from advisor.reasoning.inputs import Inputs
from advisor.reasoning.next_question import wanted
from advisor.reasoning.ranking import ranked
from advisor.records.readings import ReportInfo
from advisor.session import events as e
from advisor.session.choices import choices
from advisor.session.executor import Executor, sources
from advisor.session.interview.choosing import next_number, open_numbers
from advisor.session.language.understand import event_of
from advisor.session.reducer import reduce, replay
from advisor.session.state import State
from tests.changed import replace

METRICS = ("lanes_active", "l1_hit_pct", "eligible_warps")
TESTS = {
    "many_lanes": "lanes_active > 10",
    "all_lanes": "lanes_active >= 20",
    "hits": "l1_hit_pct > 40",
    "ready": "eligible_warps > 1",
    "either": "l1_hit_pct > 70 or eligible_warps > 3",
    "both": "lanes_active > 5 and eligible_warps < 2",
    "ratio": "lanes_active / eligible_warps > 4",
}
# One in each interval between the thresholds, and zero: what is divided by it is unknown.
VALUES = {
    "lanes_active": (0.0, 2.0, 7.0, 15.0, 30.0),
    "l1_hit_pct": (0.0, 10.0, 55.0, 90.0),
    "eligible_warps": (0.0, 0.5, 1.5, 2.5, 6.0),
}
NAME = st.sampled_from([*TESTS, "answer.reads_again.yes"])
WHEN, UNLESS = st.lists(NAME, min_size=1, max_size=2, unique=True), st.lists(NAME, max_size=2, unique=True)
RULES = st.lists(st.tuples(st.sampled_from("abc"), WHEN, UNLESS), min_size=1, max_size=4)


def knowledge(rules: Sequence[tuple[str, list[str], list[str]]]) -> Catalog:
    """Diagnoses of these rules on real metrics; a rule that names a condition on both sides loses it on one."""
    made = [
        (f"{finding}.r{at}", 3, when, [name for name in unless if name not in when])
        for at, (finding, when, unless) in enumerate(rules)
    ]
    return make_catalog(
        made,
        classes={"wide": (("many_lanes",), ())},
        tests=TESTS,
        choices={"reads_again": ("yes", "no")},
        metrics=catalog().metrics,
    )


def typed(known: Sequence[Mapping[str, float | str]]) -> Inputs:
    """Rows of typed numbers."""
    row = {"report": 0, "index": 0, "kernel": "k", "kernel_full": "k", "grid": None, "block": None}
    row |= {"gpu_name": "", "cc": "", "opcodes": None, "accesses": None, "rules": ()}
    frame = pd.DataFrame([row] * len(known))
    answers = {None: {}, **dict(enumerate(dict(one) for one in known))}
    return Inputs(frame, (ReportInfo("typed", "", "typed", "numbers"),), None, answers)


def outcomes(known: Catalog, rows: Sequence[Mapping[str, float | str]]) -> list[tuple[str, str]]:
    """Class and first finding of each row."""
    concluded = conclude(known, typed(rows))

    class Found:
        def __init__(self, name: str) -> None:
            self.id, self.kind, self.speedup = name, "diagnosis", None

    return [
        (trace.class_id, next((f.id for f in ranked(known, [Found(n) for n in trace.findings])), ""))
        for trace in concluded.traces
    ]


def values_between(given_: Mapping[str, float | str]) -> dict[str, tuple[float, ...]]:
    """VALUES, with one on each side of every threshold that a ratio makes of the other number too."""
    lanes = [float(given_["lanes_active"])] if "lanes_active" in given_ else VALUES["lanes_active"]
    edges = sorted({0.0, 1.0, 2.0, 3.0, *(one / 4 for one in lanes)})
    ready = (0.0, *((a + b) / 2 for a, b in itertools.pairwise(edges)), edges[-1] + 1)
    ready_given = [float(given_["eligible_warps"])] if "eligible_warps" in given_ else []
    edges = sorted({0.0, 5.0, 10.0, 20.0, *(4 * one for one in ready_given)})
    many = (0.0, *((a + b) / 2 for a, b in itertools.pairwise(edges)), edges[-1] + 1)
    return {**VALUES, "eligible_warps": ready, "lanes_active": many}


def matter(known: Catalog, given_: Mapping[str, float | str], askable: Sequence[str]) -> set[str]:
    """By trying everything: the questions whose answer changes the outcome, whatever else is answered or not."""
    between = values_between(given_)
    options = {name: (None, *between.get(name, ("yes", "no"))) for name in askable}
    points = [dict(zip(options, one, strict=True)) for one in itertools.product(*options.values())]
    rows = [{**given_, **{n: v for n, v in point.items() if v is not None}} for point in points]
    found = dict(zip((tuple(p.values()) for p in points), outcomes(known, rows), strict=True))
    out = set()
    for point in points:
        for name in askable:
            without = tuple({**point, name: None}.values())
            if found[tuple(point.values())] != found[without]:
                out.add(name)
    return out


@settings(max_examples=10, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(RULES, st.dictionaries(st.sampled_from(METRICS), st.floats(0.1, 40), max_size=1), st.booleans())
@example([("a", ["many_lanes"], ["either"]), ("a", ["either"], [])], {"lanes_active": 20.0}, False)
@example([("a", ["many_lanes"], ["either"]), ("a", ["many_lanes"], ["hits"])], {"lanes_active": 20.0}, False)
@example([("c", ["ratio"], ["both"])], {"lanes_active": 0.1}, False)
@example(
    [("b", ["all_lanes"], ["ready"]), ("a", ["many_lanes"], ["both", "ready"]), ("a", ["both", "ready"], ["either"])],
    {"lanes_active": 25.0},
    False,
)
def test_what_is_asked_could_change_the_outcome_and_when_nothing_is_asked_nothing_could(rules, given_, choice):
    known = knowledge(rules)
    askable = [name for name in METRICS if name not in given_] + (["reads_again"] if choice else [])
    inputs = replace(typed([{}]), answers={None: dict(given_)})
    asked = wanted(known, inputs, conclude(known, inputs), askable)
    could = matter(known, given_, askable)
    assert asked or not could
    # Of several numbers that only count together it takes each to be possible, which together they need not be.
    needs = OpenRules(known, inputs, conclude(known, inputs), askable).needs()
    together = {name for need in needs if len(need.asks) > 1 for name in need.asks}
    assert set(asked[:1]) <= could | together


def test_a_number_that_a_full_sum_leaves_no_room_for_is_not_asked():
    known = make_catalog([("a.r", 3, ["waits"], [])], tests={"waits": "stall_wait_pct > 30"}, metrics=catalog().metrics)
    for other, asked in ((60.0, ("stall_wait_pct",)), (80.0, ())):
        inputs = replace(typed([{}]), answers={None: {"stall_barrier_pct": other}})
        assert wanted(known, inputs, conclude(known, inputs), ["stall_wait_pct"]) == asked


def test_what_needs_a_number_that_nobody_can_read_off_is_not_worth_the_rest():
    known = make_catalog([("a.r", 3, ["many_lanes", "hits"], [])], tests=TESTS, metrics=catalog().metrics)
    inputs = replace(typed([{}]), answers={None: {}})
    both = wanted(known, inputs, conclude(known, inputs), ["lanes_active", "l1_hit_pct"])
    assert set(both) == {"lanes_active", "l1_hit_pct"}
    assert wanted(known, inputs, conclude(known, inputs), ["lanes_active"]) == ()


def test_a_question_of_a_choice_takes_part_where_it_decides():
    known = make_catalog(
        [("a.r", 3, ["many_lanes", "answer.reads_again.yes"], [])],
        tests=TESTS,
        choices={"reads_again": ("yes", "no")},
        metrics=catalog().metrics,
    )
    inputs = replace(typed([{}]), answers={None: {"lanes_active": 20.0}})
    assert wanted(known, inputs, conclude(known, inputs), ["reads_again"]) == ("reads_again",)
    inputs = replace(typed([{}]), answers={None: {"lanes_active": 2.0}})
    assert wanted(known, inputs, conclude(known, inputs), ["reads_again"]) == ()


def test_a_kernel_of_a_few_microseconds_ends_the_questions():
    short = {"duration_ns": 3000.0}
    assert analyse_numbers(short, gpu="H200-SXM").wanted(["sm_throughput_pct", "dram_pct"]) == ()


# On the whole knowledge base

REAL = Executor(sources())


def averaging(state: State, *numbers: tuple[str, float]) -> State:
    return settle(reduce(state, e.Volunteered(numbers)), REAL)


def test_the_averaging_kernel_of_the_ado_series_is_found_uncoalesced_from_the_numbers_of_its_screenshots():
    state, at = begin(at=REAL)
    state = say(state, at, "kernel", "V100-SXM2", "skip", "compute 15, memory 50, dram 30, duration 78.9 ms")
    assert state.launch is not None and state.launch.verdict.id == "latency_bound"
    state = averaging(state, ("issue_every", 6.8), ("issue_interval", 109.1), ("stall_lg_throttle", 82.8))
    state = averaging(state, ("active_warps", 16.0), ("eligible_warps", 0.69), ("load_sector_ratio", 8.0))
    assert state.launch.findings[0].id == "uncoalesced_access"
    assert not any(f.id == "littles_law_broken" for f in state.launch.findings), "16 warps, 16 × 6.8 ≈ 109"
    assert state.ask is not None
    asked, depend = {row.id for row in state.ask.rows}, {one.metric for one in state.launch.missing}
    assert asked & set(state.wanted) and asked <= depend | set(state.wanted), "a page is asked whole, without idle rows"


def test_a_workload_of_nsight_graphics_is_asked_for_its_units_and_stops_when_nothing_more_matters():
    state, at = begin(at=REAL)
    state = say(state, at, "workload", "d", "40.7", "39.8", "36.3", "25.7", "26.4")
    assert state.launch is not None and state.launch.scope == "workload"
    state = averaging(
        state,
        ("sm_throughput_active_pct", 43.0),
        ("sm_active_pct", 97.4),
        ("graphics_idle_pct", 0.2),
        ("stall_long_scoreboard_pct", 65.7),
    )
    texts = {"l1_hit_pct": "80.1", "l2_hit_pct": "83"}
    for _ in range(12):
        if state.ask is None:
            break
        state = say(state, at, texts.get(state.ask.id, "d"))
    assert state.ask is None and state.wanted == ()
    assert state.launch.findings[0].id == "texture_latency_bound"
    assert replay(state.log) == state


def test_a_question_once_answered_or_unknown_never_comes_again():
    state, at = begin(at=REAL)
    state = say(state, at, "kernel", "h200", "skip")
    seen: list[str] = []
    for turn in range(60):
        if state.ask is None:
            break
        ask = state.ask
        if ask.kind == "page":
            some = ask.rows[turn % 3 :]
            seen += [row.id for row in ask.rows]
            values = tuple((row.id, {"%": 20.0, "ns": 5e5}.get(row.unit, 2.0)) for row in some)
            answer = e.PageRead(ask.id, values) if values else e.Answered(ask.id, None)
            state = settle(reduce(state, answer), at)
            continue
        seen.append(ask.id)
        if ask.kind == "choice":
            state = settle(reduce(state, event_of(choices(state)[0].id, state)), at)
        else:
            value = {"%": 20.0, "ns": 5e5}.get(ask.unit, 2.0)
            state = settle(reduce(state, e.Answered(ask.id, None if turn % 3 == 2 else value)), at)
    assert state.ask is None, "it stops by itself"
    left = {name for name in seen if seen.count(name) > 1}
    assert all(seen.count(name) == 2 for name in left), "left out of its page, then asked alone because it decides"
    assert left <= {name for page in state.knowledge.pages for name, _, _ in page.rows}
    assert len(set(seen)) < len(state.knowledge.interview)


def test_what_is_skipped_comes_last_and_twice_skipped_never():
    state, at = begin()
    state = say(state, at, "skip", "/skip")
    assert state.ask is not None and state.ask.id == "dram_pct"
    state = say(state, at, "1", "2")
    assert state.ask is not None and state.ask.id == "duration_ns"
    assert say(state, at, "/skip").ask is None


def test_without_trials_the_questions_come_in_their_order():
    state, _ = begin(at=desk())
    assert state.wanted is None
    assert [ask.id for ask in open_numbers(state)] == ["duration_ns", "dram_pct", "l2_pct"]
    assert next_number(replace(state, wanted=("l2_pct",))).id == "duration_ns", "the first page comes first"
    assert next_number(replace(state, wanted=())) is None


def test_the_gain_that_a_number_moves_makes_it_worth_asking():
    known = {"duration_ns": 3e5, "sm_throughput_pct": 20.0, "memory_throughput_pct": 88.0, "dram_pct": 85.0}
    known |= {"load_sector_ratio": 8.0, "l2_pct": 40.0}
    asked = analyse_numbers(known, gpu="H200-SXM").wanted(["l1_wavefronts_pct", "waves"])
    assert all(math.isfinite(value) for value in known.values()) and isinstance(asked, tuple)


@pytest.mark.parametrize("name", ["duration_ns", "sm_throughput_pct"])
def test_what_is_known_is_never_wanted(name: str):
    known = {"duration_ns": 3e5, "sm_throughput_pct": 20.0}
    assert name not in analyse_numbers(known, gpu="H200-SXM").wanted([*known, "memory_throughput_pct"])
