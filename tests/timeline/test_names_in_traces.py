"""Names in a trace: what group a call, a range or a kernel is of."""

from __future__ import annotations

from advisor.timeline.trace import is_named


def test_a_name_tells_its_group() -> None:
    assert is_named("communication", "ncclDevKernel_AllReduce_Sum_f32_RING_LL")
    assert not is_named("communication", "sgemm_128x128")


def test_of_a_long_name_the_beginning_is_searched() -> None:
    """A hostile database has names of megabytes, and each is asked several times."""
    assert is_named("communication", "ncclDevKernel_AllReduce" + "x" * 100_000)
    assert not is_named("communication", "x" * 100_000 + "ncclDevKernel_AllReduce")
