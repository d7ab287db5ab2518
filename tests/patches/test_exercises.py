"""Patches that mend exercises, with the data of their cases. `python -m tests.bench.patches` tries all."""

from __future__ import annotations

import pytest

from tests.bench.patches import tried
from tests.emulator.tools import needs_tools

# Of the mended exercises those that take little time.
MENDED = (
    ("bank-conflicts", "pad_tile"),
    ("byte-image", "vector_map"),
    ("column-walk", "vector_loop"),
    ("constant-lookup", "constant_to_global"),
    ("double-literals", "single_precision"),
    ("few-bin-histogram", "aggregate_atomic"),
    ("interleaved-reduction", "pad_index"),
    ("oscillator-bank", "truncate_float"),
    ("pair-energies", "whole_power"),
    ("sensor-smoothing", "drop_volatile"),
    ("split-multiply-add", "fuse_multiply_add"),
    ("two-causes", "align_struct"),
    ("uniform-parameters", "vector_loop"),
)
_HOW = ("bit for bit", "within the exercise's tolerance")


@needs_tools
@pytest.mark.heavy
@pytest.mark.parametrize(("name", "kind"), MENDED)
def test_an_exercise_is_mended(name: str, kind: str) -> None:
    found = tried(name, kinds=(kind,))
    assert [p.kind for p in found.patches] == [kind]
    patch = found.patches[0]
    assert patch.promised.after < 0.7 * patch.promised.before and patch.results in _HOW


@needs_tools
@pytest.mark.heavy
def test_a_kernel_at_its_limit_gets_no_patch() -> None:
    assert not tried("good-copy").patches
