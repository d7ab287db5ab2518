"""The table of GPUs: sourced, consistent with itself, and giving way to a report's own attributes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.hardware import gpus
from advisor.hardware.gpus import PEAKS, SCALED, WORKED_OUT, Difference, from_device, gpu, known_as, resolve
from advisor.knowledge.base import catalog
from advisor.records import resources
from advisor.records.errors import KnowledgeError, UsageError

CARDS = gpus.ids()
H200 = {
    "device_cc_major": 9.0,
    "device_cc_minor": 0.0,
    "device_sm_count": 132.0,
    "device_clock_hz": 1.98e9,
    "device_memory_clock_hz": 3.201e9,
    "device_bus_bits": 6016.0,
    "device_l2_bytes": 62914560.0,
    "device_max_warps_per_sm": 64.0,
    "device_max_blocks_per_sm": 32.0,
    "device_registers_per_sm": 65536.0,
    "device_shared_per_sm": 233472.0,
    "device_max_threads_per_block": 1024.0,
    "device_schedulers_per_sm": 4.0,
    "device_fp32_fp64_ratio": 2.0,
}


def test_every_card_that_the_product_promises_is_in_the_table() -> None:
    promised = (
        "V100-SXM2 V100-PCIE T4 A100-SXM-40GB A100-SXM-80GB A100-PCIE-40GB A100-PCIE-80GB A10 A10G A30 RTX-A4500 "
        "RTX-A6000 A40 L4 L40S RTX-2080-Ti RTX-3060 RTX-3070 RTX-3080 RTX-3090 RTX-4060 RTX-4060-Laptop RTX-4070 "
        "RTX-4070-Laptop RTX-4050-Laptop RTX-4090 RTX-5060-Ti RTX-5090 H100-SXM H100-PCIE H100-NVL H200-SXM GH200 H800 "
        "B100 B200 AGX-Orin AGX-Thor B300 GB200 GB300 GB10 H20 A800-SXM-80GB A800-PCIE-80GB GH200-144GB L40 L20 A2 A16 "
        "PRO-6000 PRO-6000-Server PRO-6000-Max-Q PRO-5000 PRO-4500 PRO-4000 PRO-2000 "
        "RTX-6000-Ada RTX-5000-Ada RTX-4000-Ada RTX-A5000 RTX-A4000 RTX-A2000 RTX-5080 RTX-5070-Ti RTX-5070 RTX-5060 "
        "RTX-5050 RTX-5090-Laptop RTX-5070-Laptop RTX-4080 RTX-4070-Ti RTX-4060-Ti RTX-4090-Laptop RTX-3090-Ti "
        "RTX-3080-Ti RTX-3060-Ti RTX-3050 RTX-3070-Laptop RTX-3060-Laptop RTX-3050-Laptop RTX-2080 RTX-2060 "
        "RTX-2070-Max-Q Orin-NX-16GB Orin-NX-8GB Orin-Nano-8GB Orin-Nano-4GB"
    )
    assert set(promised.split()) <= set(CARDS)


@pytest.mark.parametrize(
    ("card", "peak", "ridge"),
    [
        ("V100-SXM2", "fp32", 17.4),
        ("A100-SXM-80GB", "fp32", 9.6),
        ("A100-SXM-40GB", "fp32", 12.5),
        ("H100-SXM", "fp32", 20.0),
        ("RTX-4090", "fp32", 81.9),
        ("V100-SXM2", "fp16", 34.9),
        ("A100-SXM-80GB", "fp16", 38.3),
        ("H100-SXM", "fp16", 39.9),
        ("RTX-4090", "fp16", 81.9),
        ("V100-SXM2", "fp16_tensor", 138.9),
        ("A100-SXM-80GB", "fp16_tensor", 153.0),
        ("H100-SXM", "fp16_tensor", 295.2),
        ("RTX-4090", "fp16_tensor", 163.9),
    ],
)
def test_annex_b_is_reproduced_as_corrected(card: str, peak: str, ridge: float) -> None:
    found = gpu(card).ridge(peak)
    assert found is not None
    assert round(found, 1) == ridge


def test_the_errata_govern_bandwidths_rates_and_caches() -> None:
    assert gpu("A100-SXM-40GB").bandwidth == 1555e9
    assert gpu("A100-SXM-80GB").bandwidth == 2039e9
    assert gpu("RTX-4090").peaks["fp16"] == pytest.approx(82.6e12)
    assert gpu("RTX-4090").peaks["fp16_tensor"] == pytest.approx(165.2e12)
    assert gpu("H100-SXM").l2_bytes == 50 << 20
    assert gpu("A100-SXM-80GB").l2_bytes == 40 << 20
    assert gpu("H200-SXM").l2_bytes == 60 << 20


@pytest.mark.parametrize("card", CARDS)
def test_a_cards_peaks_agree_with_its_sms_clock_and_capability(card: str) -> None:
    """2 x cores x SMs x boost for fp32, and likewise for each other rate; datasheets round, tensor clocks vary."""
    found = gpu(card)
    capability = gpus.table().capabilities[found.cc]
    expected = gpus.worked_out(capability, gpus.is_geforce(found.name), found.sm_count, found.boost_clock_hz)
    for peak, rate in found.peaks.items():
        if peak in expected and peak not in found.differs:
            tolerance = 0.06 if peak == "fp64_tensor" else 0.03
            assert rate == pytest.approx(expected[peak], rel=tolerance), peak


@pytest.mark.parametrize("card", CARDS)
def test_a_card_that_differs_from_its_capability_is_slower_than_it(card: str) -> None:
    """A rate twice as high would be one that a datasheet prints with sparsity."""
    found = gpu(card)
    rates = gpus.table().capabilities[found.cc].rates(gpus.is_geforce(found.name))
    for peak in found.differs:
        assert found.peaks[peak] / found.peaks["fp32"] < 0.6 * rates[peak] / rates["fp32"], peak


@pytest.mark.parametrize("card", CARDS)
def test_no_peak_is_one_with_sparsity(card: str) -> None:
    """Each halving of the operands doubles the dense rate; a sparse figure among dense ones would double it again."""
    peaks = gpu(card).peaks
    for wide, narrow in (("tf32_tensor", "fp16_tensor"), ("fp16_tensor", "fp8_tensor")):
        if wide in peaks and narrow in peaks:
            assert peaks[narrow] / peaks[wide] == pytest.approx(2, rel=0.03), narrow
    if "bf16_tensor" in peaks and "fp16_tensor" in peaks:
        assert peaks["bf16_tensor"] == pytest.approx(peaks["fp16_tensor"], rel=0.01)
    if "fp8_tensor" in peaks and "fp4_tensor" in peaks:
        # Twice; three times on capability 10.3; four times where only fp4 accumulates in fp32 at full speed.
        times = 4 if gpus.is_geforce(gpu(card).name) else 3.06 if gpu(card).cc == "10.3" else 2
        assert peaks["fp4_tensor"] / peaks["fp8_tensor"] == pytest.approx(times, rel=0.03)


@pytest.mark.parametrize(
    ("card", "field", "value"),
    [
        ("PRO-6000", "fp16_tensor", 503.8e12),
        ("PRO-6000", "fp8_tensor", 1007.6e12),
        ("PRO-6000", "tf32_tensor", 251.9e12),
        ("H20", "fp16_tensor", 148e12),
        ("B200", "fp4_tensor", 9e15),
        ("B300", "fp4_tensor", 14e15),
        ("GB300", "fp4_tensor", 15e15),
        ("B300", "fp64", 1.25e12),
        ("A10G", "fp16_tensor", 70e12),
        ("RTX-5080", "fp4_tensor", 900.4e12),
        ("RTX-5080", "fp16_tensor", 112.6e12),
    ],
)
def test_the_corrected_peaks(card: str, field: str, value: float) -> None:
    assert gpu(card).peaks[field] == pytest.approx(value, rel=0.001)


def test_the_bandwidth_of_a_b200_is_that_of_an_hgx_board() -> None:
    assert gpu("B200").bandwidth == 7.7e12
    assert gpu("GB200").bandwidth == 8e12


@pytest.mark.parametrize(
    ("card", "ratio"),
    [("T4", 32), ("A10", 64), ("L4", 64), ("L40S", 64), ("RTX-5090", 64), ("B300", 60), ("H200-SXM", 2)],
)
def test_the_ratio_of_single_to_double_precision(card: str, ratio: float) -> None:
    peaks = gpu(card).peaks
    assert peaks["fp32"] / peaks["fp64"] == pytest.approx(ratio, rel=0.03)


def test_a_peak_without_a_clock_follows_from_the_listed_one_and_says_so() -> None:
    found = gpu("RTX-6000-Ada")
    assert found.peaks["fp16_tensor"] == pytest.approx(4 * found.peaks["fp32"])
    assert found.sources["peaks.fp16_tensor"] == SCALED.format("fp32")
    assert gpu("PRO-5000").sources["peaks.fp32"] == SCALED.format("fp4_tensor")


@pytest.mark.parametrize("card", CARDS)
def test_a_cards_bandwidth_agrees_with_its_memory_clock_and_bus(card: str) -> None:
    found = gpu(card)
    if found.memory_clock_hz and found.bus_bits:
        assert found.bandwidth == pytest.approx(gpus.double_rate(found.memory_clock_hz, found.bus_bits), rel=0.01)


@pytest.mark.parametrize("card", CARDS)
def test_every_number_names_its_source(card: str) -> None:
    found = gpu(card)
    for field in ("sm_count", "boost_clock_hz", "bandwidth", "l2_bytes", "memory_clock_hz", "bus_bits"):
        assert (getattr(found, field) is None) == (field not in found.sources), field
    assert {f"peaks.{peak}" for peak in found.peaks} <= set(found.sources)
    assert found.cites


def test_every_source_of_the_table_is_a_source_of_the_knowledge_base() -> None:
    for name, source in gpus.table().sources.items():
        assert catalog().cite(source.cites), name


def test_every_source_is_used() -> None:
    text = (resources.folder("knowledge") / "gpus.yaml").read_text(encoding="utf-8")
    for name in gpus.table().sources:
        assert f"      {name}: {{" in text, name


@pytest.mark.parametrize("card", CARDS)
def test_what_is_left_out_is_explained(card: str) -> None:
    found = gpu(card)
    missing = [f for f in ("sm_count", "boost_clock_hz", "l2_bytes", "bandwidth") if getattr(found, f) is None]
    if missing:
        assert "omitted" in found.note


@pytest.mark.parametrize("card", CARDS)
def test_each_card_has_an_fp32_peak_and_limits(card: str) -> None:
    found = gpu(card)
    assert found.peaks["fp32"] > 0
    assert found.limits
    assert list(found.peaks) == [peak for peak in PEAKS if peak in found.peaks]


@pytest.mark.parametrize("name", ["h100-sxm", "H100 SXM", "H100", "NVIDIA H100 80GB HBM3", "  h100_sxm5 "])
def test_a_gpu_is_found_in_any_case_and_by_its_aliases(name: str) -> None:
    assert gpu(name).id == "H100-SXM"


def test_a_gpu_that_is_nearly_spelled_right_gets_a_suggestion() -> None:
    with pytest.raises(UsageError, match=r"no GPU 'H10-SXM' in the table: did you mean H100-SXM"):
        gpu("H10-SXM")


@pytest.mark.parametrize("name", ["", "zzz", "x" * 500, "[bold]", "\x1b[31m"])
def test_a_gpu_that_is_not_there_is_refused_in_one_short_line(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        gpu(name)
    assert "\n" not in str(caught.value)
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 900


@pytest.mark.parametrize(
    ("device", "cc", "card"),
    [
        ("NVIDIA H200", "9.0", "H200-SXM"),
        ("NVIDIA A100 80GB PCIe", "8.0", "A100-PCIE-80GB"),
        ("NVIDIA A100-PCIE-40GB", "8.0", "A100-PCIE-40GB"),
        ("A100-SXM4-40GB", "8.0", "A100-SXM-40GB"),
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", "8.0", "A100-SXM-40GB"),
        ("GeForce RTX 2080 Ti", "7.5", "RTX-2080-Ti"),
        ("NVIDIA GeForce RTX 2080 Ti", "7.5", "RTX-2080-Ti"),
        ("NVIDIA GeForce RTX 4060", "8.9", "RTX-4060"),
        ("NVIDIA GeForce RTX 4060 Laptop GPU", "8.9", "RTX-4060-Laptop"),
        ("nvidia h200", "", "H200-SXM"),
        ("NVIDIA Thor", "10.1", "AGX-Thor"),
        ("NVIDIA H100 80GB HBM3", "9.0", "H100-SXM"),
        ("NVIDIA H100 80GB HBM3 MIG 1g.10gb", "9.0", "H100-SXM"),
        ("NVIDIA GeForce RTX 5070 Ti Laptop GPU", "12.0", "RTX-5070-Ti-Laptop"),
        ("NVIDIA GeForce RTX 5070 Ti", "12.0", "RTX-5070-Ti"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "12.0", "PRO-6000-Server"),
        ("NVIDIA RTX 6000 Ada Generation", "8.9", "RTX-6000-Ada"),
        ("NVIDIA B300 SXM6 AC", "10.3", "B300"),
        ("NVIDIA GH200 144G HBM3e", "9.0", "GH200-144GB"),
        ("NVIDIA H200 NVL", "9.0", ""),
        ("NVIDIA A16-2Q", "8.6", ""),
        ("NVIDIA H200", "8.0", ""),
        ("NVIDIA GeForce GTX 1080", "6.1", ""),
        ("", "", ""),
    ],
)
def test_a_card_is_known_by_the_name_that_the_driver_prints(device: str, cc: str, card: str) -> None:
    assert known_as(device, cc) == card


def test_an_alias_is_no_device_name() -> None:
    assert gpu("H100").id == "H100-SXM"
    assert known_as("H100", "9.0") == ""


def test_an_h200_worked_out_from_its_own_attributes_is_the_one_of_the_table() -> None:
    worked, listed = from_device(H200, "NVIDIA H200"), gpu("H200-SXM")
    assert worked.bandwidth == pytest.approx(listed.bandwidth, rel=0.005)
    assert worked.l2_bytes == listed.l2_bytes
    assert worked.limits == listed.limits
    for peak in ("fp32", "fp16", "fp16_tensor", "bf16_tensor", "tf32_tensor", "fp8_tensor", "int8_tensor"):
        assert worked.peaks[peak] == pytest.approx(listed.peaks[peak], rel=0.01), peak


def test_the_counters_peak_stands_in_for_a_missing_memory_clock() -> None:
    attributes = {k: v for k, v in H200.items() if k != "device_memory_clock_hz"} | {"dram_peak_bytes_per_s": 4.81e12}
    assert from_device(attributes, "NVIDIA H200").bandwidth == 4.81e12


def test_a_report_of_a_known_card_that_agrees_changes_nothing() -> None:
    found, known, differences = resolve(H200, "NVIDIA H200", "9.0")
    assert known
    assert differences == ()
    assert found == gpu("H200-SXM")


def test_a_reports_own_clock_wins_and_the_peaks_follow() -> None:
    attributes = {"device_sm_count": 128.0, "device_clock_hz": 2.595e9}
    found, known, differences = resolve(attributes, "NVIDIA GeForce RTX 4090", "8.9")
    assert known
    assert differences == (Difference("boost_clock_hz", 2.52e9, 2.595e9),)
    assert found.peaks["fp32"] == pytest.approx(82.6e12 * 2.595 / 2.52)
    assert found.bandwidth == gpu("RTX-4090").bandwidth


def test_what_only_the_report_gives_has_it_as_its_source() -> None:
    attributes = {"device_memory_clock_hz": 14.001e9, "device_bus_bits": 256.0, "device_l2_bytes": 64.0 * 2**20}
    found, known, differences = resolve(attributes, "NVIDIA GeForce RTX 5090 Laptop GPU", "12.0")
    assert known
    assert differences == ()
    assert found.bandwidth == pytest.approx(896e9, rel=0.001)
    assert {found.sources["bandwidth"], found.sources["l2_bytes"]} == {"the report's own device attributes"}
    assert found.sources["sm_count"] == gpu("RTX-5090-Laptop").sources["sm_count"]


def test_a_partition_with_fewer_sms_has_lower_peaks() -> None:
    found, _, differences = resolve(H200 | {"device_sm_count": 16.0}, "NVIDIA H200 MIG 1g.18gb", "9.0")
    assert [d.field for d in differences] == ["sm_count"]
    assert found.peaks["fp32"] == pytest.approx(67e12 * 16 / 132)


def test_an_unknown_card_is_worked_out_and_said_to_be_unknown() -> None:
    found, known, _ = resolve(H200, "NVIDIA H999", "9.0")
    assert not known
    assert found.id == ""
    assert found.peaks["fp32"] == pytest.approx(66.9e12, rel=0.01)


def test_an_unknown_capability_leaves_the_peaks_unknown() -> None:
    found, known, _ = resolve(H200 | {"device_cc_major": 99.0}, "NVIDIA X1", "99.0")
    assert not known
    assert found.peaks == {}
    assert found.limits is None
    assert found.bandwidth


def test_the_drivers_double_precision_ratio_is_believed_only_where_it_is_slower() -> None:
    h800 = from_device(H200 | {"device_fp32_fp64_ratio": 64.0}, "NVIDIA H801")
    assert h800.peaks["fp64"] == pytest.approx(h800.peaks["fp32"] / 64)
    ampere = H200 | {"device_cc_major": 8.0, "device_cc_minor": 6.0, "device_fp32_fp64_ratio": 32.0}
    assert from_device(ampere, "X").peaks["fp64"] == pytest.approx(from_device(ampere, "X").peaks["fp32"] / 64)


def test_geforce_tensor_cores_accumulate_at_half_speed_and_gtx_cards_have_none() -> None:
    turing = H200 | {"device_cc_major": 7.0, "device_cc_minor": 5.0}
    rtx, quadro = from_device(turing, "NVIDIA GeForce RTX 2099"), from_device(turing, "Quadro RTX 9999")
    assert rtx.peaks["fp16_tensor"] == pytest.approx(quadro.peaks["fp16_tensor"] / 2)
    assert not [p for p in from_device(turing, "NVIDIA GeForce GTX 1699").peaks if p.endswith("_tensor")]


def test_another_orin_module_is_not_taken_for_the_one_in_the_table() -> None:
    attributes = {
        "device_sm_count": 8.0,
        "device_clock_hz": 0.918e9,
        "device_memory_clock_hz": 0.918e9,
        "device_bus_bits": 64.0,
    }
    found, known, _ = resolve(attributes, "Orin", "8.7")
    assert not known
    assert found.bandwidth is None  # the driver's clock and bus are no memory bandwidth there
    assert found.sm_count == 8


def test_the_memory_clock_of_an_integrated_gpu_is_not_believed() -> None:
    attributes = {"device_sm_count": 20.0, "device_memory_clock_hz": 4.266e9, "device_bus_bits": 256.0}
    found, known, differences = resolve(attributes, "NVIDIA Thor", "11.0")
    assert known
    assert found.bandwidth == 273e9
    assert differences == ()


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(H200)), st.floats(allow_nan=True, allow_infinity=True), max_size=14))
def test_no_attributes_however_odd_make_it_fail(attributes: dict[str, float]) -> None:
    for name, cc in (("NVIDIA H200", "9.0"), ("NVIDIA H200", ""), ("something", "12.0"), ("", "")):
        found, _, _ = resolve(attributes, name, cc)
        assert all(rate > 0 for rate in found.peaks.values())


def test_a_peak_that_no_source_gives_says_that_it_is_worked_out() -> None:
    found = gpu("RTX-5060-Ti")
    assert found.sources["peaks.fp32"] == WORKED_OUT
    assert found.peaks["fp32"] == pytest.approx(23.7e12, rel=0.001)
    assert found.peaks["fp16_tensor"] == pytest.approx(47.4e12, rel=0.001)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('cc: "7.0"', 'cc: "7.1"', "no compute capability"),
        ("volta: {gb_per_s", "voltage: {gb_per_s", "no source 'voltage'"),
        ("fp16_tensor: 125}", "fp16_tensr: 125}", "no peak"),
        ("gb_per_s: 900, tflops: {fp64: 7.0", "sm_count: 80, gb_per_s: 900, tflops: {fp64: 7.0", "sm_count under"),
        ("aliases: [V100, V100 SXM]", "aliases: [T4]", "is already"),
        ("gb_per_s: 900", "gb_per_second: 900", "unknown field"),
        ("differs: [fp64]", "differs: [fp16]", "differs unlisted"),
        ("unknown: [int8_tensor]", "unknown: [fp16_tensor]", "listed although unknown"),
    ],
)
def test_a_mistake_in_the_table_is_told_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, says: str
) -> None:
    text = (resources.folder("knowledge") / "gpus.yaml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "gpus.yaml").write_text(text.replace(old, new, 1), encoding="utf-8")
    monkeypatch.setattr(resources, "folder", lambda _: tmp_path)
    gpus.table.cache_clear()
    try:
        with pytest.raises(KnowledgeError, match=says) as caught:
            gpus.table()
        at, _, _ = str(caught.value).partition(": ")
        assert int(at.rpartition(":")[2]) > 30  # within the table, not at the top of the file
    finally:
        monkeypatch.undo()
        gpus.table.cache_clear()


def test_limits_of_an_unknown_capability_are_refused() -> None:
    with pytest.raises(UsageError, match=r"no compute capability '5\.2'"):
        gpus.limits_of("5.2")
