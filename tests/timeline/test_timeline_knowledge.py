"""Each pattern of the catalogue can be explained, with what it gives and how it misleads; facts that must be told."""

from __future__ import annotations

import pytest

from advisor.explain.explain import explain
from advisor.knowledge.base import catalog, timelines
from advisor.lint.entries import CatalogueDef
from advisor.records.resources import folder
from advisor.view.pages.explain import explain_page
from advisor.view.writers.terminal import terminal_text

PATTERNS = timelines(catalog()).findings
# What a user may type -> what the page must say.
FACTS = [
    (
        "data_loading_starved",
        ("about 2×", "num_workers", "persistent_workers=True", "pin_memory=True", "non_blocking=True"),
    ),
    ("blocking_post_processing", ("about 4×", "preallocated", "event")),
    (
        "communication_bound",
        ("between 25 and 200", "nvidia-smi topo -m", "helps over PCIe and hurts over NVLink", "slowest member"),
    ),
    ("pageable_memory", ("cudaMallocHost", "cudaMemcpyAsync", "only a hint", "memory kind")),
    ("copy_not_overlapped", ("two streams and two buffers", "Pinned", "2×")),
    ("sync_between_kernels", ("cudaDeviceSynchronize", "cudaStreamWaitEvent", "wakes up")),
    ("gpu_idle", ("sum of kernel times", "500 ms", "first iteration")),
    ("unified_memory_migration", ("cudaMemPrefetchAsync", "cudaMemAdvise", "leave the first iteration out")),
    ("graph_launch_granularity", ("gap", "cudaGraphExecUpdate")),
    ("many_tiny_kernels", ("Fuse", "CUDA graph", "percentages are meaningless")),
    ("dominant_kernel", ("over 30 %", "1.43×", "--ncu-command")),
    ("healthy_pipeline", ("only if the trace contains all the data that it depends on",)),
    ("fix_system_first", ("computing_pct <= 50",)),
    ("drill_down", ("top_kernel_pct > 30", "computing_pct > 50")),
    ("open_graphs", ("--cuda-graph-trace=node",)),
]


def test_all_patterns_of_the_catalogue_are_there() -> None:
    from advisor.knowledge.loader import load

    assert set(PATTERNS) >= set(load(folder("knowledge") / "catalogue.yaml", CatalogueDef).timeline)


@pytest.mark.parametrize("pattern", sorted(PATTERNS))
def test_a_pattern_has_a_page_with_rules_fix_typical_gain_and_sources(pattern: str) -> None:
    found = explain(pattern)
    assert found.kind == "pattern" and found.cites
    for heading in ("what", "why", "rules", "misleads", "fix", "steps", "typical", "costs", "fires", "silent"):
        assert found.section(heading), heading


@pytest.mark.parametrize(("word", "facts"), FACTS)
def test_the_fact_is_told(word: str, facts: tuple[str, ...]) -> None:
    text = " ".join(terminal_text(explain_page(explain(word)), width=120).casefold().split())
    assert [fact for fact in facts if fact.casefold() not in text] == []


def test_patterns_and_decisions_can_be_listed() -> None:
    assert "gpu_idle" in explain("patterns").section("what")[0]
    assert "drill_down" in explain("decisions").section("what")[0]
