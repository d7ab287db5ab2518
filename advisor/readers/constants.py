"""Constants in the floating-point instructions of a kernel. Runs in the child process: standard library only."""

from __future__ import annotations

import re
from collections.abc import Mapping

from advisor.records.magnitudes import float_bits

# An fp32 instruction of an arithmetic or selecting kind, and a constant in it with seven digits or more: the
# coefficients of polynomials. Short ones, such as 0.5 or 2, are in any code.
_FLOAT = re.compile(r"^\s*(?:@!?U?P\w\s+)?F(?:FMA|ADD|MUL|SETP|SEL)(?:32I)?\b")
_CONSTANT = re.compile(r"(?<![\w.])-?(\d{1,12}\.\d{6,40}(?:e[-+]\d{1,3})?|0x[0-9a-f]{8})\b")
_MOST = 4096
_SIGN = 0x7FFFFFFF


def constants_of(texts: Mapping[int, str], executed: Mapping[int, float]) -> dict[int, float]:
    """Return the long constants of the fp32 instructions, and how often warps execute instructions with each.

    texts: address -> instruction. A constant is the bits of its fp32 value without the sign; at most 4,096 are kept.
    """
    out: dict[int, float] = {}
    for pc, text in texts.items():
        if not _FLOAT.match(text):
            continue
        for found in _CONSTANT.findall(text):
            bits = int(found, 16) & _SIGN if found.startswith("0x") else float_bits(float(found))
            if bits in out or len(out) < _MOST:
                out[bits] = out.get(bits, 0.0) + executed.get(pc, 0.0)
    return out
