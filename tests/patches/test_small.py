"""Patches of small sources in other styles: those that must be proven, and those that must be rejected and why."""

from __future__ import annotations

import pytest

from advisor.knowledge.base import catalog
from advisor.knowledge.patches import patch_kinds
from advisor.patches.counters import COUNTERS
from advisor.patches.kinds import kinds
from tests.emulator.tools import needs_tools
from tests.patches.small import SMALL, Small, tried

_WORDS = {"bit for bit", "within 1e-05 of the largest value"}


@needs_tools
@pytest.mark.parametrize("one", SMALL, ids=lambda one: one.name)
def test_each_kind_is_proven_or_rejected_for_the_right_reason(one: Small) -> None:
    found = tried(one)
    assert {p.kind for p in found.patches} == set(one.offered)
    for patch in found.patches:
        assert patch.promised.after <= 0.95 * patch.promised.before
        assert patch.results in _WORDS and patch.diff.startswith(f"--- a/{one.name}\n+++ b/{one.name}\n@@")
        if not patch_kinds()[patch.kind].rounds:
            assert patch.results == "bit for bit"
    reasons = {(r.kind, r.reason) for r in found.rejected}
    for kind, reason in one.rejected:
        assert (kind, reason) in reasons or not reason


@needs_tools
def test_a_patched_source_has_no_patch_of_the_same_kind_left() -> None:
    # Padding twice would bring the conflicts back, and a vectorised loop has no loads to join.
    for name in ("rotate_macro_tile.cu", "row_dots_pointer.cu", "column_matrix.cu"):
        one = next(s for s in SMALL if s.name == name)
        first = tried(one).patches[0]
        again = tried(one, (first.kind,), first.text)
        assert not again.patches and all(r.reason != "does not compile" for r in again.rejected)


def test_at_least_20_sources_are_tried_and_every_kind_is() -> None:
    assert len(SMALL) >= 20
    assert sum(1 for one in SMALL if one.rejected) >= 8
    assert {kind for one in SMALL for kind in (*one.offered, *(k for k, _ in one.rejected))} == set(kinds())


def test_every_kind_has_a_valid_entry() -> None:
    base = catalog()
    assert set(patch_kinds()) == set(kinds())
    for name, entry in patch_kinds().items():
        assert entry.counter in COUNTERS, name
        assert entry.diagnoses and all(one in base.diagnoses for one in entry.diagnoses), name
        for cite in entry.cites:
            source, _, place = cite.partition(".")
            assert place in base.sources[source].places, cite
