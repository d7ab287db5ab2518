"""Numbers with names, in the words that people and Nsight Compute use."""

from __future__ import annotations

from functools import cache

import pytest

from advisor.knowledge.base import catalog
from advisor.knowledge.spoken import spoken_names
from advisor.session.language.names import metrics_of, plain
from advisor.session.language.values import bare_number, said, understood
from advisor.session.records import KnowledgeIndex


@cache
def knowledge_index() -> KnowledgeIndex:
    from advisor.session import services

    return services.knowledge_index()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("dram = 70 %, l2 41%", {"dram_pct": 70, "l2_pct": 41}),
        ("dram 83% l2 41 l1 7", {"dram_pct": 83, "l2_pct": 41, "l1_wavefronts_pct": 7}),
        ("83% dram; 41% l2", {"dram_pct": 83, "l2_pct": 41}),
        ("the DRAM is at about 83 percent", {"dram_pct": 83}),
        ("37.5 achieved occupancy", {"occupancy_achieved_pct": 37.5}),
        ("Achieved Occupancy [%] 37.5", {"occupancy_achieved_pct": 37.5}),
        ("long scoreboard 42%", {"stall_long_scoreboard_pct": 42}),
        ("long scorebord 42%", {"stall_long_scoreboard_pct": 42}),
        ("stall long scoreboard is 12.3 cycles", {"stall_long_scoreboard": 12.3}),
        ("Stall LG Throttle 82.8 cycles", {"stall_lg_throttle": 82.8}),
        ("it takes 1,234.56 us", {"duration_ns": 1_234_560}),
        ("time: 12.5us", {"duration_ns": 12_500}),
        ("bandwidth 1.2 TB/s", {"dram_bytes_per_s": 1.2e12}),
        ("memory throughput 3 TB/s", {"dram_bytes_per_s": 3e12}),
        ("memory throughput 83", {"memory_throughput_pct": 83}),
        ("40 registers and 256 threads per block", {"registers_per_thread": 40, "block_size": 256}),
        ("grid 2^20, block 4k", {"grid_size": 2**20, "block_size": 4000}),
        ("Compute (SM) Throughput 34.2", {"sm_throughput_pct": 34.2}),
        ("L1/TEX Hit Rate 12.4 %", {"l1_hit_pct": 12.4}),
        ("sm__throughput.avg.pct_of_peak_sustained_elapsed 12.3", {"sm_throughput_pct": 12.3}),
        ("eligible warps .5", {"eligible_warps": 0.5}),
        ("dram_pct: -3e1", {"dram_pct": -30}),
    ],
)
def test_numbers_are_understood_with_their_names_in_any_order(text: str, values: dict[str, float]):
    assert dict(understood(said(text), knowledge_index()).values) == pytest.approx(values)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("long scoreboard 42", ["stall_long_scoreboard = 42", "stall_long_scoreboard_pct = 42"]),
        ("occupancy 50", ["occupancy_achieved_pct = 50", "occupancy_theoretical_pct = 50"]),
        ("hit rate 30, dram 7%", ["l2_hit_pct = 30, dram = 7%", "l1_hit_pct = 30, dram = 7%"]),
        ("dram 4 GB", ["dram_read_bytes = 4 GB", "dram_write_bytes = 4 GB", "dram_bytes = 4 GB"]),
    ],
)
def test_a_name_that_could_be_several_numbers_lists_them(text: str, meant: list[str]):
    found = understood(said(text), knowledge_index())
    assert found.because and len(found.values) == len(said(text)) - 1  # those of the other names are taken
    assert list(found.meant)[: len(meant)] == meant


@pytest.mark.parametrize(
    ("text", "values", "unread"),
    [
        ("dram 83%, l2 5 ms", {"dram_pct": 83}, "l2 5 ms: expected a percentage, such as 83%"),
        ("dram 83% l2 5 ms l1 7", {"dram_pct": 83, "l1_wavefronts_pct": 7}, "l2 5 ms: expected a percentage"),
        ("duration 12 GB, dram 7%", {"dram_pct": 7}, "duration 12 GB: expected a time, such as 12.5 us or 3 ms"),
        ("zzyzx 4, dram 7%", {"dram_pct": 7}, "zzyzx 4: no metric has this name"),
        ("long scoreboard 42, dram 7", {"dram_pct": 7}, "42: several metrics match; type stall_long_scoreboard or"),
    ],
)
def test_a_pair_that_is_not_understood_is_named_and_leaves_out_no_other(
    text: str, values: dict[str, float], unread: str
):
    found = understood(said(text), knowledge_index())
    assert dict(found.values) == values and len(found.unread) == 1 and unread in found.unread[0]


@pytest.mark.parametrize(
    "text", ["1.2 TB/s", "83%", "1 1 1", "dram", "dram and l2", "10 dram 20", "", "=", "l2", "0x10"]
)
def test_a_number_without_a_name_and_a_name_without_a_number_are_no_pair(text: str):
    assert said(text) == ()


def test_a_value_of_another_kind_says_what_is_asked_for():
    found = understood(said("duration 12 GB"), knowledge_index())
    assert not found.values and "a time such as 12.5 us" in found.because


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("about 83 %", "83 %"),
        ("it is 12.5us", "12.5us"),
        ("64 MiB", "64 MiB"),
        ("dram 83", ""),
        ("83 84", ""),
        ("", ""),
    ],
)
def test_a_bare_number_is_found_among_words_that_name_nothing(text: str, number: str):
    assert bare_number(text) == number


def test_a_line_of_thousands_of_numbers_is_no_line_of_pairs():
    assert said("dram 1 " * 500) == ()


def test_each_metric_is_found_by_its_id_and_by_each_name_that_people_give_it():
    for metric, _, _ in knowledge_index().metrics:
        assert metrics_of(metric, knowledge_index()) == (metric,)
    for metric, names in spoken_names().items():
        for name in names:
            assert metrics_of(name, knowledge_index()) == (metric,), name


def test_what_people_say_stands_for_one_metric_and_is_no_id_of_another():
    metrics = catalog(()).metrics
    ids = {plain(name): name for name in metrics}
    seen: dict[str, str] = {}
    for metric, names in spoken_names().items():
        assert metric in metrics, f"{metric} is no metric"
        for name in names:
            assert seen.setdefault(plain(name), metric) == metric, f"{name} stands for two metrics"
            assert ids.get(plain(name), metric) == metric, f"{name} is the id of another metric"


@pytest.mark.parametrize(
    "label", ["Duration", "DRAM Throughput", "L2 Hit Rate", "Registers Per Thread", "Waves Per SM"]
)
def test_the_labels_of_ncu_are_names(label: str):
    assert len(metrics_of(label, knowledge_index(), lambda metric: metric != "duration_us")) == 1
