"""Parse and format numbers: `parse` reads typed input, the `*_text` functions format output.

Input: `4096`, `4k`, `1M`, `2^20`, `1.2 TB/s`, `83%`, `12.5us`, `64 MiB`, `1,234.5`.

k, M, G, T are powers of 1000, Ki, Mi, Gi, Ti powers of 1024, in any case. A number without a unit is in the
requested unit. `flops` can be a count or a rate, depending on the requested unit.
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
# A speedup below the first is none; a range from there to the second or beyond is open.
NO_GAIN, _OPEN = 1.05, 1.5
# A range whose ends are this factor apart has no middle that one can plan by.
_WIDE = 20.0
# Of a time that a fix saves, the part from which on its range has two ends.
_SLIGHT = 0.05
# Name of each dimension in an error message.
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
    """The text is not a number, or its unit has another dimension than the requested one."""


def _spellings() -> dict[str, tuple[str, float]]:
    """Map each spelling of a unit, in lower case, to its dimension and its size in ns, bytes, Hz, percent, …."""
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
    """Return whether the text is a unit or a suffix such as k; the empty text is neither."""
    return bool(text.strip()) and _unit(text) is not None


def parse(text: str, unit: str = "") -> float:
    """Parse a number in `unit` ('' for a plain number, byte, byte/s, ns, us, Hz, %, FLOP, FLOP/s, cycle, …).

    A percentage given for a plain number is a share: `83%` is 0.83. Raises QuantityError for an invalid text.
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
        raise QuantityError(f"{shown!r}: {match['unit'].strip()!r} is not a known unit; expected {_CALLED[asked[0]]}")
    if given is None:
        return value
    dimension, scale = given
    if dimension == asked[0]:
        return value * scale / asked[1]
    if dimension == "count":  # a bare suffix: 64M in the requested unit
        if match["unit"].lower() in _DECIMAL | _BINARY:
            return value * scale
    elif (dimension, asked[0]) == ("%", "count"):
        return value / 100
    elif dimension == "flop" and asked[0] == "flop/s" and match["unit"].lower().endswith("s"):
        return value * scale / asked[1]
    raise QuantityError(f"{shown!r} is {_CALLED[dimension]}; expected {_CALLED[asked[0]]}")


def parse_metric(text: str, unit: str) -> float:
    """Parse a number in a metric's unit; a unit without other spellings, such as inst, is optional."""
    if _unit(unit) is not None:
        return parse(text, unit)
    words = (plural(2, unit), unit) if unit in _NOUNS else (unit,)
    bare = text.casefold().rstrip()
    return parse(next((bare.removesuffix(word) for word in map(str.casefold, words) if bare.endswith(word)), bare))


def show(value: float, unit: str = "", digits: int = 4) -> str:
    """Format a number with the best prefix: `1.536 TB/s`, `12.5 µs`, `4,096`. parse() can read the result."""
    found = _unit(unit)
    if found is None:
        raise ValueError(f"not a unit: {unit!r}")
    dimension, scale = found
    if not math.isfinite(value):
        return "unknown"
    value = float(value)
    base = value * scale
    if dimension == "time":
        name, factor = next(((n, f) for n, f in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)) if abs(base) >= f), ("ns", 1.0))
        return f"{_digits(base / factor, digits)} {name}"
    if dimension in ("byte", "byte/s", "hz", "flop", "flop/s"):
        names = {"byte": "B", "byte/s": "B/s", "hz": "Hz", "flop": "FLOP", "flop/s": "FLOP/s"}
        known = ("P", "T", "G", "M", "k") if dimension != "hz" else ("G", "M", "k")
        prefix = next((p for p in known if abs(base) >= _DECIMAL[p.lower()]), "")
        return f"{_digits(base / _DECIMAL[prefix.lower()], digits)} {prefix}{names[dimension]}"
    suffix = {"%": " %", "cycle": " cycles", "bit": " bit"}.get(dimension, "")
    return f"{_digits(value, digits)}{suffix}"


def _digits(value: float, digits: int) -> str:
    """Format with at least `digits` significant digits, without an exponent if it is not needed."""
    if value.is_integer() and abs(value) < 1e15:
        return f"{value:,.0f}"
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:,.{max(0, digits - 1 - math.floor(math.log10(abs(value))))}f}"
    return f"{value:.{digits}g}"


# Units after a value in a comparison or a table; other units are spelled out or part of the metric's name.
_SHOWN = {
    "ns": "ns",
    "us": "us",
    "byte": "byte",
    "byte/s": "byte/s",
    "Hz": "Hz",
    "flop": "FLOP",
    "FLOP": "FLOP",
    "FLOP/s": "FLOP/s",
}
# Units that are words, with a plural.
_NOUNS = frozenset(("block", "bit", "cycle", "register", "request", "sample", "sector", "thread", "warp", "wavefront"))
_PLAIN = ("ratio", "count", "bool", "actual/ideal", "")


def significant(value: float, digits: int) -> float:
    """Round the value to this many significant digits."""
    return float(f"{value:.{digits}g}")


def factor_text(value: float) -> str:
    """`2.2`, `16`, `131`: two significant digits, whole from 10 up; two decimals near 1."""
    if value >= 9.95:
        return f"{value:,.0f}"
    if 0.905 <= value < 1.095:
        return f"{value:.2f}"
    return f"{value:.1f}" if value >= 0.95 else f"{value:.2g}"


def speedup_text(value: float) -> str:
    """`2.2×`: a speedup or another factor."""
    return f"{factor_text(value)}×"


def range_text(low: float, high: float) -> str:
    """`1.8–2.7×`: the range of a factor; one number if both ends have the same text."""
    first, last = factor_text(low), factor_text(high)
    return f"{last}×" if first == last else f"{first}–{last}×"


def gain_text(estimate: float, low: float, high: float) -> str:
    """`2.2× (1.8–2.7×)`: an estimated speedup with its range.

    `up to 33×, possibly none` or `at least 1.6×, perhaps 20×` where the middle of the range says little.
    """
    if is_open(low, high):
        return f"up to {speedup_text(high)}, possibly none"
    if is_wide(low, high):
        return f"at least {speedup_text(low)}, perhaps {speedup_text(estimate)}"
    return f"{speedup_text(estimate)} ({range_text(low, high)})"


def is_open(low: float, high: float) -> bool:
    """Return whether a range of speedups reaches from none to a factor, so that its middle says little."""
    return low < NO_GAIN and high >= _OPEN


def is_wide(low: float, high: float) -> bool:
    """Return whether a range of speedups is so wide that its upper end says nothing."""
    return high >= _WIDE * low


def saves_nothing(least: float, most: float) -> bool:
    """Return whether the lower end of a time saved is next to nothing beside its upper end."""
    return least < _SLIGHT * most


def saved_text(least: float, most: float) -> str:
    """`2.1–2.9 ms`: the time that a fix saves, two digits at each end; `≤ 2.9 ms` if it may save nothing."""
    low, high = (time_text(significant(value, 2)) for value in (least, most))
    if saves_nothing(least, most):
        return f"≤ {high}"
    value, _, unit = low.partition(" ")
    return high if low == high else f"{value}–{high}" if high.endswith(f" {unit}") else f"{low}–{high}"


def time_text(nanoseconds: float | None) -> str:
    """`152 µs`: three significant digits with the best prefix; `unknown time` for None."""
    if nanoseconds is None or not math.isfinite(nanoseconds):
        return "unknown time"
    value = significant(nanoseconds, 3)
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if abs(value) >= scale:
            return f"{value / scale:,.0f} {unit}" if abs(value) >= 1000 * scale else f"{value / scale:.3g} {unit}"
    return f"{value:.3g} ns"


def time_range_text(low: float, high: float) -> str:
    """`137–152 µs`: a range of times, with the unit only once if both have the same."""
    first, last = time_text(low), time_text(high)
    if first == last:
        return first
    value, _, unit = first.partition(" ")
    return f"{value}–{last}" if last.endswith(f" {unit}") else f"{first}–{last}"


def share_text(share: float) -> str:
    """`84 %` for 0.84; one decimal below 2 %."""
    return f"{100 * share:.1f} %" if 0 < abs(share) < 0.0195 else f"{100 * share:.0f} %"


def percent_text(percent: float | None) -> str:
    """`84.2 %`: a measured percentage with one decimal; `unknown` for None."""
    return "unknown" if percent is None or not math.isfinite(percent) else f"{percent:.1f} %"


def change_text(share: float) -> str:
    """`-63 %`, `+4.2 %`: a relative change with its sign; as a factor (`43×`) from a tenfold increase on."""
    if share >= 10:
        return speedup_text(1 + share)
    return f"{share * 100:+.1f} %" if abs(share) < 0.1 else f"{share * 100:+.0f} %"


def count_text(value: float) -> str:
    """`12,345`: a whole number with thousands separators."""
    return f"{value:,.0f}"


def brief_text(value: float) -> str:
    """`31.9`, `4,096`, `12.6M`: a number for a narrow column."""
    for size, mark in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            return f"{value / (1e3 if mark == 'k' else size):.3g}{mark}"
    return f"{value:,.0f}" if value == int(value) else f"{value:.3g}"


MEDIUM_CONFIDENCE = 0.5  # below it, a conclusion is low confidence


def confidence_text(confidence: float) -> str:
    """`high` from 0.8, `medium` from 0.5, else `low`."""
    return "high" if confidence >= 0.8 else "medium" if confidence >= MEDIUM_CONFIDENCE else "low"


def amount_text(value: float | None, unit: str, digits: int = 3) -> str:
    """`268 MB`, `52.1 %`, `1.05 M inst`: a metric's value in its canonical unit with the best prefix.

    digits: significant digits; above 3 counts are written in full, and a percentage has three decimals fewer.
    """
    if value is None or not math.isfinite(value):
        return "unknown"
    if unit == "%":
        return f"{value:.{max(1, digits - 3)}f} %"
    if unit == "bool":
        return "yes" if value else "no"
    if digits > 3:
        known = _unit(unit) is not None
        return show(value, unit, digits) if known else f"{show(value, digits=digits)} {unit_name(unit, value)}"
    if unit in ("ns", "us"):
        return time_text(value * (1e3 if unit == "us" else 1.0))
    if unit in _SHOWN:
        return show(significant(value, 3), _SHOWN[unit], 3)
    name = "" if unit in _PLAIN else f" {unit_name(unit, value)}"
    for scale, prefix in ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e5, " k")):
        if abs(value) >= scale:
            return f"{_three(value / min(scale, 1e3 if prefix == ' k' else scale))}{prefix}{name}"
    return f"{_three(value)}{name}"


def unit_name(unit: str, value: float) -> str:
    """Return a unit after a number: `1 block`, `8 blocks`, `93 M inst`."""
    return plural(value, unit) if unit in _NOUNS else unit


def exact_text(value: float, unit: str) -> str:
    """Format a value with enough digits to parse the same value again: at least 4, at most 10."""
    for digits in range(4, 10):
        text = amount_text(value, unit, digits)
        try:
            if math.isclose(parse_metric(text, unit), value, rel_tol=1e-9):
                return text
        except QuantityError:
            return text  # a unit that cannot be parsed, such as yes and no
    return amount_text(value, unit, 10)


def _three(value: float) -> str:
    if (float(value).is_integer() and abs(value) < 1e5) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def plural(count: float, one: str, many: str = "") -> str:
    """Return the noun for this count: `one`, or `many`, by default `one` with its ending: blocks, launches."""
    return one if count == 1 else many or one + ("es" if one.endswith(("ch", "sh", "s", "x")) else "s")


def counted(count: int, one: str, many: str = "") -> str:
    """`1 report`, `1,200 launches`: the count with its noun."""
    return f"{count:,} {plural(count, one, many)}"
