"""Numbers as people type and read them, in the canonical units, and the few words around them."""

from __future__ import annotations

import math
from typing import Final

from advisor.records import quantities
from advisor.records.diagnosis import LaunchDiagnosis, Speedup
from advisor.records.errors import UsageError

_DIGITS = 4
_MOST_MORE = 6
UNIT_HINTS: Final = {
    "byte": "a size, such as 134 MB or 64 MiB",
    "byte/s": "a rate, such as 1.2 TB/s",
    "ns": "a time, such as 12.5 us or 3 ms",
    "%": "a percentage, such as 83%",
    "Hz": "a clock, such as 1.98 GHz",
    "FLOP": "a count, such as 137 GFLOP",
    "count": "a number, such as 4096, 4k (4,000) or 2^12 (4,096)",
    "ratio": "a number, such as 4 or 16.5",
}


def number(text: str, unit: str) -> float:
    """The number in `unit`; a unit that has no other spellings takes plain numbers. UsageError says what is wrong."""
    try:
        return quantities.parse(text, unit)
    except ValueError:
        return quantities.parse(text.casefold().removesuffix(unit.casefold()) if unit else text, "")


def number_text(value: float | str | None, unit: str, more: int = 0) -> str:
    """A value in its canonical unit for people: `333.8 us`, `83.2 %`, `4.1 TB/s`; unknown where there is none.

    more: digits beyond the usual ones.
    """
    if value is None or isinstance(value, str):
        return "unknown" if value is None else value
    if not math.isfinite(value):
        return "unknown"
    if unit == "%":
        return f"{value:.{1 + more}f} %"
    if unit == "bool":
        return "yes" if value else "no"
    try:
        return quantities.show(float(value), unit, _DIGITS + more)
    except ValueError:
        return f"{quantities.show(float(value), digits=_DIGITS + more)} {unit}".strip()


def chosen_text(value: float, unit: str) -> str:
    """A value that somebody chose, with as many digits as it takes to read the same value back, six more at most."""
    for more in range(_MOST_MORE):
        text = number_text(value, unit, more)
        try:
            if math.isclose(number(text, unit), value, rel_tol=1e-9):
                return text
        except UsageError:
            return text  # a unit that is shown and not read, such as yes and no
    return number_text(value, unit, _MOST_MORE)


def duration_text(ns: float | None) -> str:
    """A duration with the unit that suits it."""
    return number_text(ns, "ns")


def sentence_start(text: str) -> str:
    """The text with a capital at its start."""
    return text[:1].upper() + text[1:]


def gain_text(speedup: Speedup | None) -> str:
    """An expected speedup in a few characters, a dash when there is none."""
    if speedup is None:
        return "–"
    digits = 2 if speedup.estimate < 10 else 1 if speedup.estimate < 100 else 0
    return f"{speedup.estimate:.{digits}f}×"


def speedup_text(speedup: Speedup) -> str:
    """An expected speedup with its range."""
    spread = "" if speedup.low == speedup.high else f", between {speedup.low:.2f} and {speedup.high:.2f}"
    return f"{speedup.estimate:.2f} times faster{spread}"


def shape_text(shape: tuple[int, int, int] | None) -> str:
    """A grid or block as 256×256×1, without trailing ones."""
    if shape is None:
        return "unknown"
    kept = list(shape)
    while len(kept) > 1 and kept[-1] == 1:
        kept.pop()
    return "×".join(f"{n:,}" for n in kept)


def launch_number(launch: LaunchDiagnosis, several: bool) -> str:
    """How a launch is called: its index in the report, with the report's number before it where there are several."""
    return f"{launch.report}#{launch.index}" if several else f"{launch.index}"


def margin_share(margin: float, value: float | None, threshold: float) -> str:
    """A margin as a share of its threshold; from three times the threshold on as a factor, as people would say it.

    What fails is short of the threshold or, where the value had to stay under it, over it.
    """
    times = 0.0 if value is None else value / threshold
    if times >= 3:
        return f"{times:,.1f} times the threshold"
    missed = "over" if value is not None and value > threshold else "short of"
    return f"{abs(margin) * 100:.0f} % {'clear of' if margin >= 0 else missed} the threshold"


def margin_text(margin: float | None) -> str:
    """How far the binding comparison is from its threshold."""
    return "" if margin is None else f"margin {abs(margin) * 100:.0f} %"


def sentence(text: str) -> str:
    """The text with a capital at its start and a full stop at its end."""
    text = text.strip()
    if not text:
        return ""
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?:" else ".")
