"""The words of the session's own face, and how it writes numbers. Texts about kernels come from the knowledge base."""

from __future__ import annotations

from typing import Final

from advisor.records.diagnosis import LaunchDiagnosis, Speedup
from advisor.session.language import words_commands
from advisor.session.numbers import number_text

ARRAY: Final = "array"
INLINED_AT: Final = "inlined at"
FIRST_LABELS: Final = {"unexplained": "No cause found"}
ALSO: Final = "Also found"
TRUST: Final = "Careful"
NOTE: Final = "Note"
CLASS: Final = "Class"
FIX: Final = "Fix"
WHY: Final = "Why"
YOU: Final = "You"
INTERVIEW_TITLE: Final = "The numbers, one by one"
SOURCE: Final = "Source"
RULE: Final = "Rule"
UNLESS: Final = {0: "Not the case", 1: "Not known", 2: "Prevents it"}
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
DID_YOU_MEAN: Final = "Perhaps"
MEANT_APART: Final = "   or   "
WHICH_FINDING: Final = "Name one finding."
NO_METRIC: Final = "{name} is no metric."
NOTHING_ASKED: Final = "Nothing is being asked."
TYPE_HELP: Final = "Type /help for what can be said here."
ALGORITHM_WHY: Final = (
    "From the algorithm and its sizes follow the fewest bytes and operations that it needs, and so the least time."
)
FAILED: Final = "That did not work"
INTERVIEW: Final = "Without a report"

DONT_KNOW: Final = "I don't know"
DONT_KNOW_WORDS: Final = ("d", "?", "dont know", "don't know", "do not know", "no idea", "unknown", "idk")
TRY_AGAIN: Final = "Try again"
LEAVE: Final = "Quit"

NO_FINDING: Final = "No finding: the report holds too little about this launch."
NO_CHANGE: Final = "Class, findings and expected gains are as before."
AND_MORE: Final = "and {count} more"
NOT_AVAILABLE: Final = "This is not available here."
INTENSITY: Final = "Intensity"
EXPECT: Final = {"memory": "memory should be the limit", "compute": "arithmetic should be the limit"}
CALLED_OFF: Final = "Called off. Nothing was changed."

COMMANDS: Final = tuple((command.usage, command.does) for command in words_commands.COMMANDS)
HELP_HINTS: Final = (
    "A choice is taken by its number, its name or the beginning of it; Enter takes the marked one.",
    "Numbers take units: 83%, 12.5us, 1.2 TB/s, 512 MiB, 4k (4,000), 4Ki (4,096), 2^20.",
    "Numbers that nobody asked for: dram 83%, l2 hit rate = 41, 40 registers, several in a line.",
    "Plain words: what is long scoreboard, why not bank conflicts, what if dram = 70, compare with new.ncu-rep.",
)


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
    return "" if margin is None else f"{abs(margin) * 100:.0f} % from the nearest threshold"
