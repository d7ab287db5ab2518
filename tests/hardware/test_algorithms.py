"""FLOP and least bytes of each algorithm, against counts done by hand or by a loop."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.hardware import algorithms as a
from advisor.hardware import roofline
from advisor.hardware.gpus import PEAKS
from advisor.knowledge.base import catalog
from advisor.knowledge.expressions import parse_test
from advisor.knowledge.texts import fields
from advisor.records import resources
from advisor.records.errors import KnowledgeError, UsageError


def counts(name: str, size: float = 4, **parameters: float) -> tuple[float, float]:
    entry = a.algorithm(name)
    flop, traffic, _ = a.count(entry, size, a.complete(entry, size, parameters))
    return flop, traffic


def test_every_promised_algorithm_is_there() -> None:
    promised = (
        "gemm batched_gemm gemv reduction scan elementwise transpose stencil stencil_box convolution softmax "
        "layer_norm attention attention_naive fft spmv histogram gather scatter own"
    )
    assert set(a.algorithms()) == set(promised.split())


def test_a_gemm_of_4096_has_682_7_flop_per_byte_in_fp32_and_1365_3_in_fp16() -> None:
    flop, traffic = counts("gemm", 4, m=4096, n=4096, k=4096)
    assert flop == 2 * 4096**3
    assert round(flop / traffic, 1) == 682.7
    flop, traffic = counts("gemm", 2, m=4096, n=4096, k=4096)
    assert round(flop / traffic, 1) == 1365.3


def test_a_reduction_has_a_quarter_flop_per_byte() -> None:
    flop, traffic = counts("reduction", n=1000)
    assert (flop, traffic) == (1000, 4000)


def test_a_gemm_that_adds_to_c_reads_it_and_another_type_of_c_counts_its_own_bytes() -> None:
    assert counts("gemm", m=10, n=20, k=30, reads_c=1)[1] - counts("gemm", m=10, n=20, k=30)[1] == 10 * 20 * 4
    assert counts("gemm", 1, m=10, n=20, k=30, out_size=4)[1] == (300 + 600) + 800


def test_a_batch_of_one_is_the_product_itself() -> None:
    shape = {"m": 30, "n": 40, "k": 50}
    assert counts("batched_gemm", batch=1, **shape) == counts("gemm", **shape)
    assert counts("batched_gemm", batch=7, **shape) == tuple(7 * x for x in counts("gemm", **shape))


def test_a_matrix_vector_product_is_a_gemm_with_one_column() -> None:
    assert counts("gemv", m=100, n=200) == counts("gemm", m=100, n=1, k=200)


def test_a_scan_moves_twice_what_a_reduction_moves() -> None:
    assert counts("scan", n=1000) == (1000, 8000)


def test_saxpy_reads_two_arrays_and_writes_one() -> None:
    assert counts("elementwise", n=100, inputs=2, outputs=1, flop_per_element=2) == (200, 1200)


def test_a_transposition_computes_nothing() -> None:
    assert counts("transpose", m=10, n=20) == (0, 1600)


def _taps(radius: int, axes: int, box: bool) -> int:
    offsets = itertools.product(range(-radius, radius + 1), repeat=axes)
    return sum(1 for o in offsets if box or sum(1 for x in o if x) <= 1)


@pytest.mark.parametrize(
    ("axes", "radius", "box"),
    [(1, 1, False), (2, 1, False), (3, 1, False), (3, 4, False)] + [(d, r, True) for d in (1, 2, 3) for r in (1, 2)],
)
def test_a_stencils_points_are_counted_as_a_loop_counts_them(axes: int, radius: int, box: bool) -> None:
    sides = dict(zip(("nx", "ny", "nz"), [20] * axes + [1] * (3 - axes), strict=True))
    points, taps = 20**axes, _taps(radius, axes, box)
    flop, traffic = counts("stencil_box" if box else "stencil", 8, radius=radius, **sides)
    assert flop == points * (2 * taps - 1)
    assert traffic == 2 * points * 8


@pytest.mark.parametrize(("stride", "padding", "groups"), [(1, 0, 1), (1, 1, 1), (2, 1, 1), (1, 1, 4)])
def test_a_convolution_is_counted_as_a_loop_counts_it(stride: int, padding: int, groups: int) -> None:
    n, c, h, w, k, r, s = 2, 4, 9, 8, 8, 3, 3
    p = len(range(0, h + 2 * padding - r + 1, stride))
    q = len(range(0, w + 2 * padding - s + 1, stride))
    shape = {"batch": n, "c": c, "h": h, "w": w, "k": k, "r": r, "s": s}
    flop, traffic = counts("convolution", stride=stride, padding=padding, groups=groups, **shape)
    assert flop == 2 * n * k * p * q * (c // groups) * r * s
    assert traffic == 4 * (n * c * h * w + k * (c // groups) * r * s + n * k * p * q)


def test_a_convolution_whose_filter_exceeds_the_image_is_refused() -> None:
    with pytest.raises(UsageError, match="must hold"):
        counts("convolution", h=3, w=3, r=7, s=7, padding=0)


def test_softmax_and_layer_norm_read_and_write_each_row_once() -> None:
    assert counts("softmax", rows=10, cols=100) == (5000, 8000)
    assert counts("layer_norm", rows=10, cols=100) == (8000, 8000 + 800)


def test_causal_attention_computes_the_lower_triangle() -> None:
    full, _ = counts("attention", batch=1, heads=1, queries=64, keys=64, dim=8)
    half, _ = counts("attention", batch=1, heads=1, queries=64, keys=64, dim=8, causal=1)
    seen = sum(1 for i in range(64) for j in range(64) if j <= i)
    assert full == 4 * 64 * 64 * 8
    assert half == 4 * seen * 8


def test_decoding_one_token_sees_every_key_even_when_causal() -> None:
    shape = {"batch": 1, "heads": 8, "queries": 1, "keys": 1000, "dim": 64}
    assert counts("attention", causal=1, **shape) == counts("attention", causal=0, **shape)


def test_shared_key_heads_move_fewer_bytes_and_compute_the_same() -> None:
    few, many = counts("attention", kv_heads=8), counts("attention")
    assert few[0] == many[0]
    assert few[1] < many[1]


def test_attention_step_by_step_moves_the_scores_four_times() -> None:
    shape = {"batch": 2, "heads": 3, "queries": 50, "keys": 60, "dim": 8}
    assert counts("attention_naive", **shape)[1] - counts("attention", **shape)[1] == 4 * 2 * 3 * 50 * 60 * 4


def test_an_fft_counts_five_n_log_n_on_complex_numbers() -> None:
    assert counts("fft", n=1024, batch=3) == (5 * 3 * 1024 * 10, 2 * 3 * 1024 * 8)


def test_spmv_reads_a_value_and_an_index_for_each_entry() -> None:
    assert counts("spmv", 8, rows=100, cols=50, nnz=700) == (1400, 700 * 12 + 101 * 4 + 150 * 8)


def test_a_histogram_reads_its_input_once() -> None:
    assert counts("histogram", 1, n=1000, bins=256) == (1000, 1000 + 1024)


def test_a_scattered_gather_pays_for_whole_sectors() -> None:
    near, far = counts("gather", n=100), counts("gather", n=100, sector_use=0.125)
    assert near[1] == 100 * 12
    assert far[1] - near[1] == 100 * (32 - 4)
    assert counts("scatter", n=100, sector_use=0.125)[1] == far[1]


def test_own_numbers_are_taken_as_they_are() -> None:
    assert counts("own", flop_count=12, byte_count=1) == (12, 1)


@pytest.mark.parametrize("name", sorted(a.algorithms()))
def test_each_algorithm_is_explained_sourced_and_has_defaults_in_range(name: str) -> None:
    entry = a.algorithms()[name]
    assert len(entry.derivation) >= 9
    assert all(parameter.means for parameter in entry.parameters.values())
    for dtype in a.dtypes().values():
        flop, traffic, _ = a.count(entry, dtype.size, a.complete(entry, dtype.size, {}))
        assert traffic > 0
        assert flop >= 0
    for key in entry.cites:
        assert catalog().cite(key), key


def test_every_text_of_the_napkin_cites_its_sources() -> None:
    cited = [k for dtype in a.dtypes().values() for k in dtype.cites]
    cited += [k for share in a.ceilings().values() for k in share.cites]
    cited += [k for r in a.remarks().values() for k in r.cites]
    assert [key for key in cited if not catalog().cite(key)] == []
    assert all(r.cites for r in a.remarks().values())


def test_notes_use_only_names_that_exist() -> None:
    full = roofline.estimate("gemm", dtype="f16", gpu_name="H100")
    known = set(roofline.names(full))
    for key, remark in a.remarks().items():
        assert parse_test(remark.test).names | fields(remark.says) <= known, key


def test_every_data_type_names_peaks_of_the_table() -> None:
    for dtype in a.dtypes().values():
        assert {p for p in (dtype.plain, dtype.tensor) if p} <= set(PEAKS)
    used = {p for dtype in a.dtypes().values() for p in (dtype.plain, dtype.tensor) if p}
    assert used == set(PEAKS)


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("bf16", "bf16"),
        ("FP32", "f32"),
        ("float", "f32"),
        ("half", "f16"),
        ("double", "f64"),
        ("int8", "i8"),
        ("e4m3", "f8"),
    ],
)
def test_data_types_have_the_names_that_people_use(alias: str, name: str) -> None:
    assert a.dtype(alias).id == name


@pytest.mark.parametrize(
    ("alias", "name"), [("Layer-Norm", "layer_norm"), ("conv2d", "convolution"), ("flash_attention", "attention")]
)
def test_algorithms_have_the_names_that_people_use(alias: str, name: str) -> None:
    assert a.algorithm(alias).id == name


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: a.algorithm("gem"), r"no algorithm 'gem': did you mean .*gemm"),
        (lambda: a.algorithm("quicksort-of-things"), "known: gemm, batched_gemm"),
        (lambda: a.dtype("f31"), r"no data type 'f31': did you mean"),
        (lambda: counts("gemm", x=3), "gemm has no parameter 'x': it takes m, n, k"),
        (lambda: counts("gemm", m=0), "m = 0 is out of range: at least 1"),
        (lambda: counts("gemm", m=1.5), "m = 1.5 must be a whole number"),
        (lambda: counts("gemm", m=math.nan), "out of range"),
        (lambda: counts("gemm", m=math.inf), "out of range"),
        (lambda: counts("gather", sector_use=2), "sector_use = 2 is out of range: 0.03125 to 1"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_can(call: object, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        call()  # type: ignore[operator]


@settings(deadline=None)
@given(st.sampled_from(sorted(a.algorithms())), st.data())
def test_more_elements_never_mean_less_work(name: str, data: st.DataObject) -> None:
    """Doubling any count parameter leaves FLOP and bytes no smaller, except where it cuts the work on purpose."""
    entry = a.algorithm(name)
    parameter = data.draw(st.sampled_from(sorted(entry.parameters)))
    definition = entry.parameters[parameter]
    shrinking = {"stride", "groups", "causal", "sector_use"}
    value = data.draw(st.integers(max(2, int(definition.low)), 40))
    if parameter in shrinking or 2 * value > definition.high:
        return
    given_values = {parameter: float(value)}
    once = counts(name, **given_values)
    if parameter in ("r", "s"):  # a larger filter has fewer places
        return
    twice = counts(name, **{parameter: float(2 * value)})
    assert twice[0] >= once[0]
    assert twice[1] >= once[1]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("flop: 2 * m * n * k", "flop: 2 * m * n * kk", "gemm: unknown name 'kk'"),
        ("flop: 2 * m * n * k", "flop: 2 ** m", "gemm: "),
        ("default: 4096}", "default: 4096, lowest: 1}", "unknown field"),
    ],
)
def test_a_mistake_in_a_formula_is_told_with_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, says: str
) -> None:
    text = (resources.folder("knowledge") / "napkin" / "algorithms.yaml").read_text(encoding="utf-8")
    (tmp_path / "napkin").mkdir()
    (tmp_path / "napkin" / "algorithms.yaml").write_text(text.replace(old, new, 1), encoding="utf-8")
    monkeypatch.setattr(resources, "folder", lambda _: tmp_path)
    a.algorithms.cache_clear()
    try:
        with pytest.raises(KnowledgeError, match=says):
            a.algorithms()
    finally:
        monkeypatch.undo()
        a.algorithms.cache_clear()
