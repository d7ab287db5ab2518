"""CuPy's random numbers without a GPU: those of a recording are the ones whose counts were recorded."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.emulator.counts import METRICS
from advisor.emulator.report import read_launch, unpacked
from advisor.practice import manifest
from advisor.practice.cupy_random import STATES_PER_SM, CupyGenerator, Stream
from advisor.practice.emulated import bench
from advisor.practice.lazy_arrays import LARGE, LazyGenerator
from advisor.records.errors import KnowledgeError


def test_the_inputs_of_a_recording_are_those_that_were_counted() -> None:
    """A warp of `station-log` touches as many sectors as its lanes have groups of eight stations."""
    found = manifest.recording(manifest.exercise("station-log"))
    assert found is not None and found.record.seed is not None
    record = found.record
    made = bench(manifest.case("station-log"), record.card, record.sizes, recorded_seed=record.seed)
    groups = np.sort(np.asarray(made.data["station"]).reshape(-1, 32) // 8, axis=1)
    touched = len(groups) + int((np.diff(groups, axis=1) != 0).sum())
    launch = record.steps["atomics"].launches[0]
    with unpacked(found.report) as report:
        code = read_launch(report, launch, (METRICS["sectors"],))
    atomics = {i.address for i in code.program.code if i.opcode == "REDG"}
    counted = {n for address, n in code.counts[METRICS["sectors"]].items() if address in atomics}
    assert counted == {float(touched)}


def test_states_are_far_apart_in_one_sequence() -> None:
    states = Stream.seeded(3, 64)
    words = np.array(states.words)
    assert words.shape == (5, 64) and len({tuple(w) for w in words.T}) == 64
    assert len(set(states.counter.tolist())) == 1
    # The places of the first states do not depend on how many there are.
    more = Stream.seeded(3, 128)
    assert all((a == b[:64]).all() for a, b in zip(states.words, more.words, strict=True))


def test_parts_are_the_same_in_any_order_and_follow_each_other() -> None:
    size = 5 * STATES_PER_SM + 100 + LARGE
    whole = np.asarray(CupyGenerator(5, 1).random(size, np.float32))
    lazy = CupyGenerator(5, 1).random(size, np.float32)
    for start, stop in ((LARGE, LARGE + 9), (0, 5000), (2047, 2049), (size - 3, size)):
        assert (lazy.chunk(start, stop) == whole[start:stop]).all()
    assert whole.min() >= 0 and whole.max() < 1 and abs(float(whole.mean()) - 0.5) < 0.01
    # An array continues where the one before ended, also if that one was not read.
    one = CupyGenerator(5, 1)
    one.random(2 * STATES_PER_SM, np.float32)
    assert (one.random(100, np.float32) == whole[2 * STATES_PER_SM :][:100]).all()


def test_whole_numbers_are_drawn_again_until_they_fit() -> None:
    made = CupyGenerator(5, 1).integers(10, 15, 40_000, np.int32)
    assert made.dtype == np.int32 and set(made.tolist()) == {10, 11, 12, 13, 14}
    assert np.bincount(made - 10).min() > 7_500


def test_what_is_not_reproduced_is_refused_and_other_numbers_are_taken() -> None:
    with pytest.raises(KnowledgeError, match="single precision"):
        CupyGenerator(1, 1).random(4, np.float64)
    with pytest.raises(KnowledgeError, match="normal"):
        CupyGenerator(1, 1).standard_normal(4)

    class Case:
        @staticmethod
        def inputs(xp: object, rng: LazyGenerator, n: dict[str, int]) -> dict[str, object]:
            return {"x": rng.standard_normal(n["n"], dtype=np.float32)}

        @staticmethod
        def outputs(xp: object, n: dict[str, int]) -> dict[str, object]:
            return {}

    found = manifest.recording(manifest.exercise("station-log"))
    assert found is not None
    made = bench(Case, found.record.card, {"n": 8}, recorded_seed=1)  # type: ignore[arg-type]
    assert made.data["x"].shape == (8,)
