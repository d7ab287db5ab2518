"""Numbers as people type them: `4096`, `4k`, `1M`, `2^20`, `1.2 TB/s`, `83%`, `12.5us`, `64 MiB`, `1,234.5`.

k, M, G, T are powers of 1000, Ki, Mi, Gi, Ti powers of 1024, in any case. A number without a unit is in the unit that
was asked for. `flops` may mean a count or a rate: what was asked for decides.
"""

from __future__ import annotations

import math
import re

from advisor.records.errors import UsageError

_LONGEST = 60
_NUMBER = re.compile(
    r"\s*(?P<number>[+-]?(?:\d{1,3}(?:,\d{3})+|\d+(?:_\d+)*)?(?:\.\d+|\.)?(?:e[+-]?\d+)?)"
    r"(?:\s*(?:\^|\*\*)\s*(?P<power>\d{1,3}))?\s*(?P<unit>[^\d\s].*?)?\s*",
    re.IGNORECASE,
)
_DECIMAL = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "p": 1e15}
_BINARY = {"ki": 2.0**10, "mi": 2.0**20, "gi": 2.0**30, "ti": 2.0**40}
# What each dimension is called in an error.
_CALLED = {
    "count": "a plain number",
    "byte": "a size such as 64 MiB",
    "byte/s": "a rate such as 1.2 TB/s",
    "time": "a time such as 12.5 us",
    "hz": "a clock such as 1.98 GHz",
    "%": "a percentage",
    "flop": "a count of FLOP",
    "flop/s": "a rate such as 19.5 TFLOP/s",
    "cycle": "a number of cycles",
    "bit": "a number of bits",
}


class QuantityError(UsageError):
    """The text is not a number, or has a unit of another kind than was asked for."""


def _spellings() -> dict[str, tuple[str, float]]:
    """Each way to write a unit, lower case, to its dimension and its size in ns, bytes, Hz, percent, … of it."""
    out: dict[str, tuple[str, float]] = {}

    def add(dimension: str, names: tuple[str, ...], prefixes: dict[str, float], scale: float = 1.0) -> None:
        for prefix, factor in prefixes.items():
            for name in names:
                out[prefix + name] = (dimension, factor * scale)

    add("count", ("",), _DECIMAL | _BINARY)
    add("byte", ("b", "byte", "bytes"), _DECIMAL | _BINARY)
    add("byte/s", ("b/s", "bps", "byte/s", "bytes/s", "byte/second", "bytes/second"), _DECIMAL | _BINARY)
    add("hz", ("hz", "cycle/s", "cycle/second"), {k: v for k, v in _DECIMAL.items() if k in ("", "k", "m", "g")})
    add("flop/s", ("flop/s", "flop/second", "op/s", "ops/s"), _DECIMAL)
    add("flop", ("flop", "op", "ops", "flops"), _DECIMAL)
    for names, scale in (
        (("ns", "nsec", "nsecond", "nanosecond", "nanoseconds"), 1.0),
        (("us", "µs", "μs", "usec", "usecond", "microsecond", "microseconds"), 1e3),
        (("ms", "msec", "msecond", "millisecond", "milliseconds"), 1e6),
        (("s", "sec", "second", "seconds"), 1e9),
        (("min", "minute", "minutes"), 60e9),
    ):
        add("time", names, {"": 1.0}, scale)
    add("%", ("%", "percent", "pct"), {"": 1.0})
    add("count", ("count", "ratio", "x", "flop/byte", "flop/b", "flops/byte", "bool"), {"": 1.0})
    add("cycle", ("cycle", "cycles"), _DECIMAL)
    add("bit", ("bit", "bits"), {"": 1.0})
    return out


_UNITS = _spellings()


def _unit(text: str) -> tuple[str, float] | None:
    return _UNITS.get(re.sub(r"\s+", "", text).lower())


def is_unit(text: str) -> bool:
    """Whether the text is a way to write a unit or a suffix such as k; the empty text is none."""
    return bool(text.strip()) and _unit(text) is not None


def parse(text: str, unit: str = "") -> float:
    """The number in `unit` ('' a plain number, byte, byte/s, ns, us, Hz, %, FLOP, FLOP/s, cycle, …).

    A percentage given for a plain number is a share: `83%` is 0.83. QuantityError says in one line what is wrong.
    """
    asked = _unit(unit)
    if asked is None:
        raise ValueError(f"not a unit: {unit!r}")
    shown = text.strip() if len(text) <= _LONGEST else text[:_LONGEST].strip() + "…"
    match = _NUMBER.fullmatch(text) if len(text) <= _LONGEST else None
    digits = match["number"].replace(",", "").replace("_", "") if match else ""
    try:
        value = float(digits)
        if match and match["power"]:
            value = value ** int(match["power"])
    except (ValueError, OverflowError):
        value = math.nan
    if match is None or not math.isfinite(value):
        raise QuantityError(f"{shown!r} is not a number: write {_CALLED[asked[0]]}, 4096, 4k, 2^20 or 1.5e9")
    given = _unit(match["unit"]) if match["unit"] else None
    if match["unit"] and given is None:
        raise QuantityError(
            f"{shown!r}: {match['unit'].strip()!r} is no unit known here; {_CALLED[asked[0]]} is asked for"
        )
    if given is None:
        return value
    dimension, scale = given
    if dimension == asked[0]:
        return value * scale / asked[1]
    if dimension == "count":  # a bare suffix: 64M of whatever was asked for
        if match["unit"].lower() in _DECIMAL | _BINARY:
            return value * scale
    elif (dimension, asked[0]) == ("%", "count"):
        return value / 100
    elif dimension == "flop" and asked[0] == "flop/s" and match["unit"].lower().endswith("s"):
        return value * scale / asked[1]
    raise QuantityError(f"{shown!r} is {_CALLED[dimension]}; {_CALLED[asked[0]]} is asked for")


def show(value: float, unit: str = "", digits: int = 4) -> str:
    """The number for people, in the prefix that reads best: `1.536 TB/s`, `12.5 us`, `4,096`. parse() reads it back."""
    found = _unit(unit)
    if found is None:
        raise ValueError(f"not a unit: {unit!r}")
    dimension, scale = found
    if not math.isfinite(value):
        return "unknown"
    value = float(value)
    base = value * scale
    if dimension == "time":
        name, factor = next(((n, f) for n, f in (("s", 1e9), ("ms", 1e6), ("us", 1e3)) if abs(base) >= f), ("ns", 1.0))
        return f"{_digits(base / factor, digits)} {name}"
    if dimension in ("byte", "byte/s", "hz", "flop", "flop/s"):
        names = {"byte": "B", "byte/s": "B/s", "hz": "Hz", "flop": "FLOP", "flop/s": "FLOP/s"}
        known = ("P", "T", "G", "M", "k") if dimension != "hz" else ("G", "M", "k")
        prefix = next((p for p in known if abs(base) >= _DECIMAL[p.lower()]), "")
        return f"{_digits(base / _DECIMAL[prefix.lower()], digits)} {prefix}{names[dimension]}"
    suffix = {"%": " %", "cycle": " cycles", "bit": " bit"}.get(dimension, "")
    return f"{_digits(value, digits)}{suffix}"


def _digits(value: float, digits: int) -> str:
    """At least `digits` significant digits of a large number, no exponent where it would not help."""
    if value.is_integer() and abs(value) < 1e15:
        return f"{value:,.0f}"
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:,.{max(0, digits - 1 - math.floor(math.log10(abs(value))))}f}"
    return f"{value:.{digits}g}"
