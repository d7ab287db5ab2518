"""Instructions of fp32 functions of CUDA and of their fast forms: `python -m tests.bench.function_costs`.

A kernel computes one function in a loop of 64 rounds whose argument changes; the emulator executes the machine code of
NVRTC, and what a loop without the function executes is taken off. Prints, for each function and architecture, the
instructions of a call and those of them on the XU pipe, as compiled, as an intrinsic, and with -use_fast_math. The
numbers of knowledge/math_functions.yaml come from here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from advisor.emulator.compile import compile_cubin
from advisor.emulator.counts import Problem, count
from advisor.emulator.cubin import read_cubin
from advisor.emulator.launch import Pointer
from advisor.hardware import sass

ROUNDS: Final = 64
ARCHITECTURES: Final = ("sm_80", "sm_90")
FLUSHED: Final = ("-use_fast_math",)
# By the id in the knowledge file: the precise function and its intrinsic, of v, which changes in each round, and b,
# which does not. The difference of two powers, one with the base that does not change, is the logarithm of the base.
CALLS: Final = {
    "exponential": ("expf(v)", "__expf(v)"),
    "decimal_exponential": ("exp10f(v)", "__exp10f(v)"),
    "logarithm": ("logf(v)", "__logf(v)"),
    "binary_logarithm": ("log2f(v)", "__log2f(v)"),
    "power_exponential": ("powf(b, v)", "__powf(b, v)"),
    "power": ("powf(v, b + v)", "__powf(v, b + v)"),
    "angle": ("sinf(v)", "__sinf(v)"),
}
_BASES: Final = {"power": "b + v"}
Cost = tuple[float, float]


def _source(form: int) -> str:
    loops = {name: calls[form] for name, calls in CALLS.items()}
    loops |= {f"{name}_base": _BASES.get(name, "v") for name in CALLS}
    return "\n".join(
        f'extern "C" __global__ void {name}(float* o, const float* x, const float* y) {{\n'
        "  float a = x[threadIdx.x], b = y[threadIdx.x], sum = 0;\n"
        "#pragma unroll 1\n"
        f"  for (int k = 0; k < {ROUNDS}; ++k) {{ float v = a + k * 0.003f; sum += {value}; }}\n"
        "  o[threadIdx.x] = sum;\n}"
        for name, value in loops.items()
    )


def _filled(values: Any) -> Callable[[Any, int, int], None]:
    data = values.astype(np.float32).view(np.uint8)

    def fill(view: Any, start: int, stop: int) -> None:
        view[:] = data[start:stop]

    return fill


def _executed(cubin: bytes, kernel: str) -> Cost:
    arrays = {
        "o": (128, None),
        "x": (128, _filled(np.linspace(0.4, 2.9, 32))),
        "y": (128, _filled(np.linspace(0.7, 2.3, 32))),
    }
    problem = Problem(read_cubin(cubin, kernel), (1, 1, 1), (32, 1, 1), tuple(map(Pointer, arrays)), arrays)
    found = count(problem, seconds=20.0).instructions
    special = sum(one.executed for one in found if sass.classify(one.opcode).pipe == "xu")
    return float(sum(one.executed for one in found)), float(special)


def costs(arch: str, form: int, options: tuple[str, ...] = ()) -> dict[str, Cost]:
    """Return for each function the instructions of a call, and those on XU. form: 0 precise, 1 the intrinsic."""
    cubin = compile_cubin(_source(form), "functions.cu", arch, options)
    out: dict[str, Cost] = {}
    for name in CALLS:
        with_call, without = (_executed(cubin, kernel) for kernel in (name, f"{name}_base"))
        out[name] = ((with_call[0] - without[0]) / ROUNDS, (with_call[1] - without[1]) / ROUNDS)
    whole, part = out.pop("power"), out["power_exponential"]
    out["power_logarithm"] = (whole[0] - part[0], whole[1] - part[1])
    return out


def main() -> None:
    """Print the table."""
    for arch in ARCHITECTURES:
        forms = (costs(arch, 0), costs(arch, 1), costs(arch, 0, FLUSHED))
        print(f"{arch}: instructions of a call, those on XU; precise, intrinsic, -use_fast_math")
        for name in forms[0]:
            print(f"  {name:20} " + "   ".join("{:5.1f} {:4.1f}".format(*form[name]) for form in forms))


if __name__ == "__main__":
    main()
