"""What is counted: sectors and wavefronts of known patterns, sampling of blocks, and what decides counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from advisor.emulator import counts
from advisor.emulator.counts import Problem, classes, count, machine_of, memory_of
from advisor.emulator.launch import Pointer
from advisor.emulator.program import TimeLimitError
from advisor.emulator.relevance import relevance
from advisor.hardware import traffic
from tests.emulator.small import OUT, program

LANE = np.arange(32)


def rows(offsets: Any) -> Any:
    """Two rows: the pattern, and the same moved by a whole line."""
    return np.stack([np.asarray(offsets, np.int64), np.asarray(offsets, np.int64) + 4096])


@pytest.mark.parametrize(
    ("offsets", "sectors"),
    [(LANE * 4, 4), (LANE * 8, 8), (LANE * 128, 32), (LANE * 0, 1), (LANE * 4 + 16, 5), (LANE[::-1] * 4, 4)],
)
def test_sectors_are_distinct_pieces_of_32_bytes(offsets: Any, sectors: int) -> None:
    assert traffic.sectors(rows(offsets), None, 5).tolist() == [sectors, sectors]
    mask = np.ones((2, 32), bool)
    mask[1] = LANE == 5
    assert traffic.sectors(rows(offsets), mask, 5).tolist() == [sectors, 1]


# The last five are patterns of recorded kernels, with the counts of an H200.
@pytest.mark.parametrize(
    ("offsets", "size", "found"),
    [
        (LANE * 4, 4, (1, 1)),
        (LANE * 128, 4, (32, 1)),
        (LANE * 8, 4, (2, 1)),
        (LANE * 132, 4, (1, 1)),
        (LANE * 0, 4, (1, 1)),
        (LANE * 8, 8, (2, 2)),
        (LANE * 16, 16, (4, 4)),
        (LANE * 0, 16, (2, 2)),
        (LANE // 16 * 16, 16, (2, 2)),
        (LANE % 8 * 16, 16, (4, 4)),
        (LANE % 16 * 16, 16, (4, 4)),
    ],
)
def test_wavefronts_follow_banks_and_parts_of_a_warp(offsets: Any, size: int, found: tuple[int, int]) -> None:
    made = traffic.wavefronts(rows(offsets), None, size)
    assert [int(one[0]) for one in made] == list(found)
    mask = np.broadcast_to(LANE >= 0, (2, 32)).copy()
    mask[1] = False
    made = traffic.wavefronts(rows(offsets), mask, size)
    assert [one.tolist() for one in made] == [[found[0], 0], [found[1], 0]]


def test_atomic_operations_at_one_word_follow_each_other() -> None:
    found = traffic.atomic_wavefronts(rows(LANE % 8 * 4), None)
    assert [one.tolist() for one in found] == [[4, 4], [1, 1]]
    found = traffic.atomic_wavefronts(rows(LANE * 4), np.stack([LANE < 5, LANE < 0]))
    assert [one.tolist() for one in found] == [[1, 0], [1, 0]]


def test_classes_cover_the_grid_once() -> None:
    for grid in ((1, 1, 1), (2, 1, 1), (7, 3, 1), (5, 4, 3)):
        assert sum(size for _, size in classes(grid)) == grid[0] * grid[1] * grid[2]


def problem(lines: tuple[str, ...], blocks: int, arguments: tuple[Any, ...] = (), size: int = 4) -> Problem:
    return Problem(
        program(lines), (blocks, 1, 1), (64, 1, 1), (Pointer("out"), *arguments), {"out": (blocks * 64 * size, None)}
    )


def test_a_large_grid_is_counted_exactly_from_a_few_blocks() -> None:
    lines = (*OUT, "LDC R6, c[0x0][0x218]", "ISETP.GE.AND P0, PT, R0, R6, PT", "@P0 EXIT", "STG.E desc[UR4][R2.64], R0")
    n = 100_000 * 64 - 40
    found = count(problem(lines, 100_000, (np.int32(n),)))
    store = found.instructions[-2]
    assert (store.executed, store.threads_on) == (100_000 * 2 - 1, n)
    assert store.sectors == n / 8 and found.executed_blocks < 200 and not found.data_dependent


def test_where_the_work_changes_between_blocks_is_found() -> None:
    # Blocks from 12,345 on execute one more instruction.
    lines = ("S2R R0, SR_CTAID.X", "ISETP.LT.AND P0, PT, R0, 0x3039, PT", "@P0 EXIT", "MOV R1, R0")
    found = count(problem(lines, 50_000))
    assert found.instructions[3].executed == (50_000 - 12_345) * 2
    assert found.spread == 0


def test_only_what_decides_counts_is_needed() -> None:
    lines = (*OUT, "LDG.E R4, desc[UR4][R2.64]", "FADD R4, R4, R4", "STG.E desc[UR4][R2.64], R4")
    one = problem(lines, 4)
    memory, addresses = memory_of(one)
    builds = machine_of(one, [0], memory, addresses, None, 5.0).builds
    found = relevance(one.program, builds)
    texts = {one.program.code[i].text for i in found.needed}
    assert "IMAD.WIDE R2, R0, 0x4, RZ" in texts and "FADD R4, R4, R4" not in texts and not found.inputs
    branch = (*lines[:-2], "ISETP.NE.AND P0, PT, R4, RZ, PT", "@P0 EXIT")
    one = problem(branch, 4)
    memory, addresses = memory_of(one)
    assert relevance(one.program, machine_of(one, [0], memory, addresses, None, 5.0).builds).inputs


# Of 20,000 blocks, those whose number is a multiple of 4,099 (and one word of the input) execute one more instruction.
RARE = (*OUT, "LDG.E R4, desc[UR4][R2.64]", "ISETP.NE.AND P0, PT, R4, RZ, PT", "@P0 EXIT", "MOV R5, R4")
RARE_BLOCKS = 20_000


def rare() -> Problem:
    def fill(view: Any, start: int, stop: int) -> None:
        words = np.arange(start // 4, stop // 4)
        view[:] = (words // 64 % 4099 != 0).astype(np.int32).view(np.uint8)

    made = problem(RARE, RARE_BLOCKS)
    return replace(made, arrays={"out": (RARE_BLOCKS * 256, fill)})


def test_rare_inputs_are_counted_where_time_allows_all_blocks() -> None:
    blocks = len(range(0, RARE_BLOCKS, 4099))
    whole = count(rare(), whole_s=60.0)
    assert whole.exact and whole.data_dependent
    assert whole.instructions[-1].executed == 2 * blocks and whole.spread == 0
    last = whole.instructions[-1].address
    assert last in whole.varied and whole.instructions[0].address not in whole.varied


def test_a_try_that_takes_too_long_leaves_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    sampled = count(rare(), whole_s=0.0)
    assert not sampled.exact
    monkeypatch.setattr(counts, "_TRIED", 0)
    monkeypatch.setattr(counts, "_SLOW_START", 1e9)
    assert replace(count(rare(), whole_s=1e-6), warp_steps=sampled.warp_steps) == sampled
    monkeypatch.setattr(counts, "_TRIED", -1)

    def stop(self: Any, part: Any, until: float) -> Any:
        if until != self._deadline:  # in the try
            seen.append(len(part))
            if len(seen) > 3:
                raise TimeLimitError("did not end")
        return real(self, part, until)

    real, seen = counts._Run._counts, list[int]()
    monkeypatch.setattr(counts._Run, "_counts", stop)
    assert replace(count(rare(), whole_s=60.0, seconds=1e3), warp_steps=sampled.warp_steps) == sampled
    assert len(seen) == 4
