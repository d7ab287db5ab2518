"""The instruction to blame for a stall: against a warp that runs the code, with branches and loops."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from listings import START, code, listing

from advisor.hardware.sass import parse
from advisor.hardware.sass_answers import answers_short, inputs, is_load, results
from advisor.records.diagnosis import LostSlots
from advisor.source.blame import blamed
from advisor.source.listing import read_listing
from advisor.source.measures import LOST
from advisor.source.producers import BLAMED, Producers

KERNELS = Path(__file__).parents[2] / "kernels"
register = st.integers(2, 7)
# A load, a shared load, arithmetic on two registers, a move under a predicate, and branches to a place in the code.
plain = (
    st.builds("LDG.E R{}, desc[UR4][R{}]".format, register, register),
    st.builds("LDS R{}, [R{}]".format, register, register),
    st.builds("FADD R{}, R{}, R{}".format, register, register, register),
)
line = st.one_of(
    *plain,
    st.builds("@P0 MOV R{}, R{}".format, register, register),
    st.builds("@P1 BRA 0x{:x}".format, st.integers(0, 11).map(lambda n: START + 16 * n)),
)


def awaited(codes: list[object], seed: int) -> dict[tuple[int, str], set[int]]:
    """Run the code in order, with random branches: what each instruction had to wait for, by kind of scoreboard."""
    chance, at, steps = random.Random(seed), 0, 0
    pending: dict[str, int] = {}
    out: dict[tuple[int, str], set[int]] = {}
    while at < len(codes) and steps < 200:
        one = codes[at]
        for name in inputs(one):
            producer = pending.pop(name, None)
            for reason, made in (("long_scoreboard", is_load), ("short_scoreboard", answers_short)):
                if producer is not None and made(codes[producer]):
                    out.setdefault((at, reason), set()).add(producer)
        if not one.predicate or chance.random() < 0.5:
            if one.opcode == "BRA":
                at, steps = (int(one.operands[0], 16) - START) // 16, steps + 1
                continue
            for name in results(one):
                pending[name] = at
        at, steps = at + 1, steps + 1
    return out


@given(st.lists(line, min_size=2, max_size=12), st.integers(0, 3))
def test_whatever_a_warp_waits_for_is_among_the_producers(lines: list[str], seed: int) -> None:
    codes, pcs = code(*lines, *["NOP"] * (12 - len(lines)), "EXIT")
    producers = Producers(codes, pcs)
    for (at, reason), waited in awaited(codes, seed).items():
        found = {source.at for source in producers.blamed(at, reason)}
        assert waited <= found, (lines, at, reason)


@given(st.lists(st.one_of(*plain), min_size=2, max_size=10))
def test_without_branches_the_producers_are_exactly_what_a_warp_waits_for(lines: list[str]) -> None:
    codes, pcs = code(*lines)
    producers = Producers(codes, pcs)
    waited = awaited(codes, 0)
    for at in range(len(codes)):
        for reason in ("long_scoreboard", "short_scoreboard"):
            found = producers.blamed(at, reason)
            if not any(source.overwrites for source in found):
                assert {source.at for source in found} == waited.get((at, reason), set()), (lines, at, reason)


@given(st.lists(line, min_size=2, max_size=12), st.sampled_from(BLAMED))
def test_shares_add_up_and_the_answer_is_ambiguous_if_it_is_divided(lines: list[str], reason: str) -> None:
    codes, pcs = code(*lines)
    producers = Producers(codes, pcs)
    for at in range(len(codes)):
        found = producers.blamed(at, reason)
        if found:
            assert sum(source.share for source in found) == pytest.approx(1)
            assert found[0].sure == (max(source.share for source in found) > 0.9)
            assert all(source.share > 0 for source in found)


@pytest.mark.parametrize(
    ("sass", "at", "reason", "expected"),
    [
        (["MUFU.RCP R4, R5", "FADD R6, R4, R4"], 1, "short_scoreboard", {0}),
        (["ISETP.GE.AND P2, PT, R0, UR4, PT", "NOP", "@P2 EXIT"], 2, "wait", {0}),
        (["IADD3 R7, P0, R4, R5, RZ", "IADD3.X R8, R6, RZ, RZ, P0, !PT"], 1, "wait", {0}),
        (["S2R R0, SR_TID.X", "LDS R4, [R2]", "SHFL.BFLY PT, R5, R4, 0x1, 0x1f"], 2, "short_scoreboard", {1}),
        (["HFMA2 R4, R5, R6, R7", "HFMA2 R8, R9, R10, R11"], 1, "wait", {0}),  # the pipe's own interval
        (["FADD R4, R5, R6", *["NOP"] * 20, "FADD R7, R4, R4"], 21, "wait", {20}),  # R4 is long there
        (["BAR.SYNC 0x0", "NOP", "LDS R4, [R2]"], 2, "barrier", {0}),
        (["BAR.ARV 0x1, 0x40", "NOP"], 1, "barrier", set()),  # does not wait
        (["LDG.E R4, desc[UR4][R2.64]", "MOV R2, R9"], 1, "long_scoreboard", {0}),  # the address is overwritten
        (["STG.E desc[UR4][R2.64], R6", "MOV R6, R9"], 1, "long_scoreboard", {0}),
        (["LDG.E R4, desc[UR4][R2.64]", "FADD R5, R6, R7"], 1, "long_scoreboard", set()),
        (["R2P PR, R0, 0x7f", "@P5 EXIT"], 1, "wait", {0}),
        (["VOTE.ANY R4, PT, P0", "FADD R5, R4, R4"], 1, "wait", {0}),
    ],
)
def test_the_producer_of_each_kind_of_stall(sass: list[str], at: int, reason: str, expected: set[int]) -> None:
    assert {source.at for source in Producers(*code(*sass)).blamed(at, reason)} == expected


def test_only_a_stall_that_needs_no_result_is_said_to_overwrite() -> None:
    producers = Producers(*code("LDG.E R4, desc[UR4][R2.64]", "MOV R2, R9", "FADD R5, R4, R4"))
    assert [producers.blamed(at, "long_scoreboard")[0].overwrites for at in (1, 2)] == [True, False]


def test_an_ambiguous_stall_is_divided_by_executions_over_distance() -> None:
    sass = ["LDG.E R4, desc[UR4][R2.64]", "LDG.E R6, desc[UR4][R8.64]", "FADD R1, R4, R6"]
    first, second = Producers(*code(*sass), executed=[30.0, 10.0, 10.0]).blamed(2, "long_scoreboard")
    assert (first.share, second.share) == (pytest.approx(0.6), pytest.approx(0.4)) and not first.sure
    rare, often = Producers(*code(*sass), executed=[1.0, 100.0, 100.0]).blamed(2, "long_scoreboard")
    assert often.sure and rare.share < 0.01


def test_predicates_are_results_or_inputs_as_they_are_used() -> None:
    set_both = parse("ISETP.GE.AND P1, P2, R0, UR4, P3")
    assert (results(set_both), inputs(set_both)) == ({"P1", "P2"}, {"R0", "UR4", "P3"})
    select = parse("@!P6 SEL R0, R2, R3, !P0")
    assert (results(select), inputs(select)) == ({"R0"}, {"R2", "R3", "P0", "P6"})
    assert (results(parse("LOP3.LUT P0, RZ, R4, 0x1, RZ, 0xc0, !PT")), results(parse("EXIT"))) == ({"P0"}, set())


LONG = "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued"


@given(st.lists(st.integers(0, 50), min_size=5, max_size=5), st.floats(2, 100))
def test_every_lost_slot_is_blamed_is_elsewhere_or_is_unattributed(samples: list[int], percent: float) -> None:
    sass = [
        "LDG.E R4, desc[UR4][R2.64]",
        "LDG.E R6, desc[UR4][R8.64]",
        "FADD R1, R4, R6",
        "FADD R4, R4, R6",
        "EXIT",
    ]
    made = listing([(text, {LONG: float(n)}, 10 + at) for at, (text, n) in enumerate(zip(sass, samples, strict=True))])
    lost = LostSlots("long_scoreboard", percent)
    found = blamed(made, lost, LOST["long_scoreboard"])
    if not sum(samples):
        assert found == lost
        return
    assert found.elsewhere is not None and found.unattributed is not None
    parts = sum(one.percent for one in found.blamed) + found.elsewhere + found.unattributed
    assert parts == pytest.approx(percent)
    # Only the first sum waits for loads: all other samples have nobody to blame.
    assert found.unattributed == pytest.approx(percent * (1 - samples[2] / sum(samples)))
    assert all(one.ambiguous == pytest.approx(one.percent) for one in found.blamed)


@pytest.mark.parametrize(
    ("exercise", "launch", "reason", "producer", "used", "least"),
    [
        ("linked-list", 0, "long_scoreboard", ("LDG", 16), ("SHFL", 17), 0.9),  # the next page of a list
        ("constant-lookup", 0, "short_scoreboard", ("LDC", 7), ("FFMA", 7), 0.9),  # a table in constant memory
        ("inner-barrier", 0, "barrier", ("BAR", 26), None, 0.7),  # __syncthreads_or in a loop
        ("few-bytes-in-flight", 0, "long_scoreboard", ("LDG", 7), ("FSETP", 7), 0.9),  # a search, one load at a time
        ("interleaved-reduction", 0, "long_scoreboard", ("LDG", 7), ("STS", 7), 0.9),  # a load that fills shared memory
    ],
)
def test_recorded_launches_whose_producer_is_known(
    exercise: str, launch: int, reason: str, producer: tuple[str, int], used: tuple[str, int] | None, least: float
) -> None:
    """The source says what each of these kernels waits for."""
    path = KERNELS / exercise / "recorded" / "h200" / "profile.ncu-rep.xz"
    made = read_listing(path, launch, (LOST[reason],), cc="9.0")
    first = blamed(made, LostSlots(reason, 100.0), LOST[reason]).blamed[0]
    places = [
        (next(w for w in one.sass.split() if w[0] != "@").partition(".")[0], one.line)
        for one in (first.producer, first.used)
    ]
    assert places[0] == producer and (used is None or places[1] == used)
    assert first.percent / 100 >= least
