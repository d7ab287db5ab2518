"""What one lane accesses: the size of an element by its name in CUDA or in the table of data types."""

from __future__ import annotations

import re

from advisor.errors import UsageError
from advisor.napkin.patterns import WIDTHS

_SIZES = {
    **dict.fromkeys(("char", "uchar", "bool", "unsigned char", "signed char"), 1),
    **dict.fromkeys(("short", "ushort", "unsigned short"), 2),
    **dict.fromkeys(("half", "__half", "bfloat16", "__nv_bfloat16"), 2),
    **dict.fromkeys(("int", "uint", "unsigned", "unsigned int", "float"), 4),
    **dict.fromkeys(("long", "longlong", "ulonglong", "size_t", "double"), 8),
}


def access(name: str, vector: int = 1) -> tuple[int, int]:
    """Bytes of an element of the type, and of the access of a lane: `vector` elements side by side.

    name: a CUDA type (float, uchar, float4, half2), a data type of the table (f16, bf16, i8) or a number of bytes.
    UsageError for an unknown type and for an access that no lane makes.
    """
    plain = " ".join(name.strip().lower().removesuffix("_t").split())
    size = _size(plain if plain != "size" else "size_t", name)
    if size not in WIDTHS or size * vector not in WIDTHS:
        raise UsageError(f"a lane accesses 1, 2, 4, 8 or 16 bytes at once, not {size * vector:,}")
    return size, size * vector


def _size(plain: str, name: str) -> int:
    from advisor.napkin import algorithms

    if plain in _SIZES:
        return _SIZES[plain]
    if re.fullmatch(r"\d{1,6}", plain):
        return int(plain)
    if number := re.fullmatch(r"u?int(8|16|32|64)", plain):
        return int(number[1]) // 8
    if (vector := re.fullmatch(r"(.+?)([1-4])", plain)) and vector[1] in _SIZES:
        return _SIZES[vector[1]] * int(vector[2])
    try:
        return int(algorithms.dtype(plain).size)
    except UsageError:
        shown = name if len(name) <= 40 else name[:40] + "…"
        raise UsageError(
            f"no type {shown!r}: give one such as float, double, half, uchar, float4, or its bytes"
        ) from None
