"""Each term that the pages and the sources use has a definition, and a long entry begins with a short answer."""

from __future__ import annotations

import pytest

from advisor.explain.explain import explain
from advisor.knowledge.time_model import time_model
from advisor.view.pages.explain import explain_page
from advisor.view.writers.terminal import terminal_text

TERMS = (
    *("load latency", "swizzling", "register pressure", "predication", "cp.async", "cache hit rate", "loop unrolling"),
    *("array of structures", "achievable bandwidth", "ridge point", "arithmetic intensity", "wave quantization"),
    *("bytes in flight", "eligible warps", "mio throttle", "double buffering", "thread block cluster", "wavefront"),
    *("CUDA graph", "pinned memory", "Amdahl's law", "grid stride loop", "launch bounds", "lineinfo", "clock control"),
    *("instruction mix", "vectorized load", "tiling", "DRAM latency", "block launch", "constant cache", "branch unit"),
)


@pytest.mark.parametrize("term", TERMS)
def test_a_term_has_a_definition(term: str) -> None:
    found = explain(term, ())
    assert found.kind != "search"
    assert next(name for name, _ in found.sections) in ("what", "means", "says", "why"), found.sections


def test_each_term_of_the_time_model_says_what_it_is() -> None:
    assert all(term.what.endswith(".") for term in time_model().terms.values())


def test_the_map_begins_with_a_short_answer_and_ends_with_the_picture() -> None:
    page = explain_page(explain("map", ()))
    lines = terminal_text(page, width=80).splitlines()
    assert "DRAM" in " ".join(lines[:6])
    screen = "\n".join(lines[:24])
    assert "+----" not in screen
    assert "Compute (SM) Throughput is the largest" in screen
