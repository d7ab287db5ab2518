"""The functions that constants tell, and what their calls cost: knowledge/math_functions.yaml."""

from __future__ import annotations

import pytest

from advisor.emulator.compile import compile_cubin
from advisor.emulator.cubin import read_cubin
from advisor.hardware.sass_constants import constants_of, whole_products
from advisor.knowledge.math_functions import function_counts, math_functions
from advisor.records.magnitudes import float_bits
from tests.bench.function_costs import ARCHITECTURES, costs
from tests.emulator.tools import needs_tools

SOURCE = """
extern "C" __global__ void exponential(float* x) { x[threadIdx.x] = expf(x[threadIdx.x]); }
extern "C" __global__ void decimal_exponential(float* x) { x[threadIdx.x] = exp10f(x[threadIdx.x]); }
extern "C" __global__ void logarithm(float* x) { x[threadIdx.x] = logf(x[threadIdx.x]); }
extern "C" __global__ void common_logarithm(float* x) { x[threadIdx.x] = log10f(x[threadIdx.x]); }
extern "C" __global__ void binary_logarithm(float* x) { x[threadIdx.x] = log2f(x[threadIdx.x]); }
extern "C" __global__ void power(float* x) { x[threadIdx.x] = powf(x[threadIdx.x], x[32 + threadIdx.x]); }
extern "C" __global__ void sine(float* x) { x[threadIdx.x] = sinf(x[threadIdx.x]); }
extern "C" __global__ void cosine(float* x) { x[threadIdx.x] = cosf(x[threadIdx.x]); }
extern "C" __global__ void tangent(float* x) { x[threadIdx.x] = tanf(x[threadIdx.x]); }
extern "C" __global__ void fast(float* x) { x[threadIdx.x] = __expf(__logf(__sinf(x[threadIdx.x]))); }
extern "C" __global__ void others(float* x)
{
  float v = x[threadIdx.x];
  x[threadIdx.x] = atanf(v) * 0.63661977f + erff(v) + tanhf(v) + sqrtf(v) + 1 / v + asinf(v) + cbrtf(v) + log1pf(v);
  x[32 + threadIdx.x] = expm1f(v) + coshf(v) + sinhf(v) + erfcf(v) + normcdff(v) + hypotf(v, 2) + fmodf(v, 3);
}
"""
OF: dict[str, set[str]] = {
    **{name: {name} for name in ("exponential", "decimal_exponential", "logarithm", "binary_logarithm")},
    "common_logarithm": {"logarithm"},
    "power": {"power_logarithm", "power_exponential"},
    "sine": {"angle"},
    "cosine": {"angle"},
    "tangent": {"angle"},
    "fast": set(),
    "others": set(),
}


@needs_tools
@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90"])
def test_constants_tell_a_function_and_no_other(arch: str) -> None:
    cubin = compile_cubin(SOURCE, "functions.cu", arch)
    for kernel, ids in OF.items():
        texts = {i.address: i.text for i in read_cubin(cubin, kernel).code}
        found = constants_of(texts, dict.fromkeys(texts, 2.0))
        told = {one.id: [found.get(float_bits(c), 0.0) for c in one.constants] for one in math_functions().functions}
        assert {name for name, counts in told.items() if any(counts)} == ids, kernel
        assert all(sum(counts) == 2 for counts in told.values() if any(counts)), kernel


@needs_tools
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_calls_cost_what_the_emulator_executes(arch: str) -> None:
    forms = {"precise": costs(arch, 0), "fast": costs(arch, 1)}
    compiled = [one for one in math_functions().functions if one.id in forms["fast"]]
    assert len(compiled) == len(math_functions().functions) - 1  # but for that of older libraries
    for one in compiled:
        for form, found in forms.items():
            instructions, special = getattr(one, form)
            special += one.conversions if form == "precise" else 0
            assert found[one.id][0] == pytest.approx(instructions, abs=2.0), (one.id, form)
            # Integers become floats on the XU pipe until compute capability 8.
            assert found[one.id][1] == pytest.approx(special, abs=0.1 if arch == "sm_90" else 1.1), (one.id, form)


@needs_tools
@pytest.mark.parametrize(("exponent", "whole"), [("2.0f", 1), ("13.0f", 1), ("2.5f", 0), ("0.333f", 0), ("x[99]", 0)])
def test_powers_with_a_whole_exponent_become_products(exponent: str, whole: int) -> None:
    cubin = compile_cubin(f'extern "C" __global__ void k(float* x) {{ *x = powf(*x, {exponent}); }}', "k.cu", "sm_90")
    texts = {i.address: i.text for i in read_cubin(cubin, "k").code}
    executed = dict.fromkeys(texts, 3.0)
    assert whole_products(texts, executed) == 6 * whole
    counts = function_counts(constants_of(texts, executed), whole_products(texts, executed))
    assert counts["fast_function_inst"] == 3 * (4 if whole else 9)
    assert counts["fast_function_special_inst"] == 3 * (0 if whole else 2)


@needs_tools
@pytest.mark.parametrize(("call", "found"), [("exp", 1), ("exp2", 1), ("sin", 0), ("sqrt", 0), ("log", 0)])
def test_exponentials_in_double_precision_round_by_a_constant(call: str, found: int) -> None:
    cubin = compile_cubin(f'extern "C" __global__ void k(double* x) {{ *x = {call}(*x); }}', "k.cu", "sm_90")
    texts = {i.address: i.text for i in read_cubin(cubin, "k").code}
    counts = function_counts(constants_of(texts, dict.fromkeys(texts, 3.0)))
    assert counts == ({"double_exponential_inst": 3.0 * found} if found else {})


def test_the_test_for_even_exponents_is_no_power_with_a_whole_exponent() -> None:
    lines = ["FFMA R11, R11, -2, -R4", "FFMA R6, R6.reuse, 13, -R5", "FFMA R6, R11, R13, R6", "FMUL R5, R6, 13"]
    assert whole_products(dict(enumerate(lines)), dict.fromkeys(range(4), 1.5)) == 1.5


def test_a_constant_is_read_in_every_way_that_it_is_written() -> None:
    """As a decimal number, with an exponent, or as its bits; with a sign, a predicate, or before the last operand."""
    pi = float_bits(1.5707962512969970703)
    lines = [
        "FMUL R0, R2, 1.5707962512969970703",
        "@!P0 FMUL.FTZ R0, R2.reuse, -1.5707962512969970703 ;",
        "  @P1  FFMA R0, R2, 0x3fc90fda, R4",
        "FSETP.GT.AND P0, PT, R0, 1.5707962512969970703e+00, PT",
    ]
    assert constants_of(dict(enumerate(lines)), dict.fromkeys(range(9), 1.5)) == {pi: 6.0}


@pytest.mark.parametrize(
    "line",
    [
        "MOV R0, 0x3fc90fda",  # may be any number
        "IMAD R0, R2, 0x3fc90fda, RZ",
        "FMUL R0, R2, 0.5",
        "LDG.E R2, desc[UR4][R2.64+0x15707962]",
        "FFMA R0, R2, R3, R4",
        "FMUL R0, R2, +INF",
        "FMUL R0, R2, 9.99999999999e+999",
        "",
    ],
)
def test_other_text_has_no_constant_of_a_function(line: str) -> None:
    assert float_bits(1.5707962512969970703) not in constants_of({0: line}, {0: 1.0})


def test_counts_are_the_calls_times_their_instructions() -> None:
    """A base that is the same in all rounds of a loop has its logarithm outside it."""
    ids = {one.id: float_bits(one.constants[0]) for one in math_functions().functions}
    found = function_counts({ids["power_logarithm"]: 10, ids["power_exponential"]: 100, ids["logarithm"]: 1, 5: 1000})
    assert found["power_function_inst"] == 10 * 37 + 100 * 41
    assert found["logarithm_function_inst"] == 26
    assert found["function_inst"] == 10 * 37 + 100 * 41 + 26
    assert found["fast_function_inst"] == 10 * 4 + 100 * 5 + 4
    assert found["function_conversion_inst"] == 300
    assert found["angle_function_inst"] == 0


@pytest.mark.parametrize("constants", [{}, {7: 5.0}, {float_bits(1.5707962512969970703): 0.0}])
def test_code_without_known_functions_leaves_them_unknown(constants: dict[int, float]) -> None:
    """Another version of the library may have other polynomials."""
    assert function_counts(constants) == {}
