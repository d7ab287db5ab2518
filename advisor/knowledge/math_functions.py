"""The fp32 functions of the CUDA math library, by constants of their polynomials: knowledge/math_functions.yaml."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal, get_args

import msgspec

from advisor.knowledge.loader import load
from advisor.records import resources
from advisor.records.magnitudes import float_bits

Kind = Literal["exponential", "logarithm", "power", "angle"]
_DOUBLES: Final = "double_exponential_inst"
# The metrics that `function_counts` returns.
COUNTS: Final = (
    _DOUBLES,
    *(f"{kind}_function_inst" for kind in get_args(Kind)),
    *("function_inst", "function_special_inst", "function_conversion_inst"),
    *("fast_function_inst", "fast_function_special_inst"),
)


class FunctionDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A function, or a part of one. constants: of which each call executes one, once.

    precise, fast: of a call, its instructions and the special functions among them, as it is and as an intrinsic;
    conversions: those of the precise form.
    """

    id: str
    kind: Kind
    constants: tuple[float, ...]
    precise: tuple[float, float]
    fast: tuple[float, float]
    cites: tuple[str, ...]
    conversions: float = 0.0


class DoubleExponential(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Exponentials in double precision. constant: which each subtracts once; steps, moves: what a single one lacks."""

    constant: float
    steps: float
    moves: float
    cites: tuple[str, ...]


class WholePower(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A power with a small whole exponent. multiply_adds: by it in each; products: that are left of it."""

    multiply_adds: float
    products: float
    cites: tuple[str, ...]


class MathFunctions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file."""

    functions: tuple[FunctionDef, ...]
    whole_power: WholePower
    double_exponential: DoubleExponential


@lru_cache(maxsize=1)
def math_functions() -> MathFunctions:
    """Return the functions. Raises KnowledgeError with file and line."""
    return load(resources.folder("knowledge") / "math_functions.yaml", MathFunctions)


@lru_cache(maxsize=1)
def _by_bits() -> dict[int, FunctionDef]:
    return {float_bits(constant): one for one in math_functions().functions for constant in one.constants}


def function_counts(constants: Mapping[int, float], whole_products: float = 0.0) -> dict[str, float]:
    """Return the metrics of precise functions; empty where the code has none that is known.

    constants: bits of fp32 values without the sign -> instructions with them that warps executed; whole_products:
    multiply-adds with a small whole number that warps executed.
    """
    known = _by_bits()
    calls: dict[str, tuple[FunctionDef, float]] = {}
    for bits, count in constants.items():
        if (one := known.get(bits)) is not None and count > 0 and math.isfinite(count):
            calls[one.id] = one, calls.get(one.id, (one, 0.0))[1] + count
    doubles = constants.get(float_bits(math_functions().double_exponential.constant), 0.0)
    own = {_DOUBLES: doubles} if doubles > 0 and math.isfinite(doubles) else {}
    if not calls:
        return own
    out = own | dict.fromkeys((f"{kind}_function_inst" for kind in get_args(Kind)), 0.0)
    for one, count in calls.values():
        out[f"{one.kind}_function_inst"] += count * one.precise[0]
    for name, form in (("", "precise"), ("fast_", "fast")):
        for place, unit in enumerate(("", "special_")):
            out[f"{name}function_{unit}inst"] = math.fsum(n * getattr(one, form)[place] for one, n in calls.values())
    # Of powers with a whole exponent, products are left.
    parts = [calls[name] for name in ("power_logarithm", "power_exponential") if name in calls]
    whole = min((whole_products / math_functions().whole_power.multiply_adds, *(n for _, n in parts))) if parts else 0.0
    if whole > 0:
        out["fast_function_inst"] += whole * (math_functions().whole_power.products - sum(p.fast[0] for p, _ in parts))
        out["fast_function_special_inst"] -= whole * sum(p.fast[1] for p, _ in parts)
    out["function_conversion_inst"] = math.fsum(n * one.conversions for one, n in calls.values())
    return out
