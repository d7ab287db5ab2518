"""Constants in the instructions of a kernel that tell which functions of the CUDA math library it calls.

Standard library only: the child process of the readers imports this module.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from advisor.records.magnitudes import float_bits

# An instruction begins with its predicate, if it has one.
HEAD = r"^\s*(?:@!?U?P\w\s+)?"
# A floating-point instruction of an arithmetic or selecting kind, and a constant in it with seven digits or more: the
# coefficients of polynomials. Short ones, such as 0.5 or 2, are in any code.
_FLOAT = re.compile(HEAD + r"(F(?:FMA|ADD|MUL|SETP|SEL)(?:32I)?|DADD)\b")
_CONSTANT = re.compile(r"(?<![\w.])(-?)(\d{1,12}\.\d{6,40}(?:e[-+]\d{1,3})?|0x[0-9a-f]{8})\b")
# A product with a small whole number, to which something is added. A power with such an exponent has two of them; with
# -2, one with any exponent may test whether it is even.
_WHOLE_PRODUCT = re.compile(HEAD + r"FFMA(?:\.FTZ)? R\d{1,3}, ?-?R\d{1,3}(?:\.reuse)?, ?(\d{1,2}), ?-?R")
_MOST = 4096
# The compiler tests the exponent of the argument of a precise square root (0xf3000000, which is -0xd000000) and of a
# precise reciprocal (0x1800000) with integer instructions, before the fast path; only a division has its own (FCHK).
_CHECK = re.compile(HEAD + r"(?:FCHK\b|(?:VIADD|IADD3?|IADD32I)\b.{0,200}?(?:0xf3000000|-0xd000000|0x1800000)\b)")
_SIGN = 0x7FFFFFFF


def checks_of(texts: Mapping[int, str], executed: Mapping[int, float]) -> float:
    """Return the tests of the arguments of precise divisions, reciprocals and square roots that warps execute."""
    return math.fsum(executed.get(pc, 0.0) for pc, text in texts.items() if _CHECK.match(text))


def function_marks(texts: Mapping[int, str], executed: Mapping[int, float]) -> dict[str, Any]:
    """Return what tells the functions of a launch, as data that JSON can represent."""
    constants = list(constants_of(texts, executed).items())
    return {"constants": constants, "whole_products": whole_products(texts, executed)}


def whole_products(texts: Mapping[int, str], executed: Mapping[int, float]) -> float:
    """Return the multiply-adds with a factor from 2 to 99 in the code that warps execute."""
    return math.fsum(
        executed.get(pc, 0.0)
        for pc, text in texts.items()
        if (found := _WHOLE_PRODUCT.match(text)) and int(found[1]) > 1
    )


def constants_of(texts: Mapping[int, str], executed: Mapping[int, float]) -> dict[int, float]:
    """Return the long constants of fp32 instructions and of double sums, and how often warps execute those with each.

    texts: address -> instruction. A constant is the bits of its fp32 value without the sign; at most 4,096 are kept. Of
    double ones only those that are subtracted count: what rounds adds the same number before.
    """
    out: dict[int, float] = {}
    for pc, text in texts.items():
        if not (of := _FLOAT.match(text)):
            continue
        for sign, found in _CONSTANT.findall(text):
            if of[1] == "DADD" and not sign:
                continue
            bits = int(found, 16) & _SIGN if found.startswith("0x") else float_bits(float(found))
            if bits in out or len(out) < _MOST:
                out[bits] = out.get(bits, 0.0) + executed.get(pc, 0.0)
    return out
