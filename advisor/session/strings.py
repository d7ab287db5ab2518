"""The words of the session's own face, and how it writes numbers. Texts about kernels come from the knowledge base."""

from __future__ import annotations

from typing import Final

from advisor.records.diagnosis import LaunchDiagnosis, Speedup
from advisor.session.language import words_commands
from advisor.session.numbers import number_text

FIX_FIRST: Final = "Fix first"
ARRAY: Final = "array"
INLINED_AT: Final = "inlined at"
NOTHING_TO_FIX: Final = "Nothing to fix"
FIRST_LABELS: Final = {"unexplained": "No cause found"}
ALSO: Final = "Also found"
TRUST: Final = "Careful"
NOTE: Final = "Note"
BESIDE: Final = "Beside"
CLASS: Final = "Class"
FIX: Final = "Fix"
NEXT: Final = "What next"
EVIDENCE: Final = "Evidence"
HOW: Final = "How"
WHY_NOT: Final = "Why not"
WHY: Final = "Why"
WHAT_IF: Final = "What if"
CHANGED: Final = "What changed"
UNCHANGED: Final = "Nothing changed"
QUESTION: Final = "Question"
YOU: Final = "You"
NAPKIN: Final = "Napkin"
EXPLAIN: Final = "Explain"
MISSING: Final = "Missing"
CHANGED_TITLE: Final = "The answer moved the conclusion"
INTERVIEW_TITLE: Final = "The numbers, one by one"
NOTHING_READ: Final = "There is nothing to look at"
NO_RULE: Final = "No rule concludes this about a single launch."
NOT_CONCLUDED: Final = "This was not concluded."
BECAUSE: Final = "Because"
SOURCE: Final = "Source"
RULE: Final = "Rule"
UNLESS: Final = {0: "Not the case", 1: "Not known", 2: "Prevents it"}
TURNS: Final = "It would turn"
TURNS_NOT: Final = "No single number of these turns it."
TURNS_AT: Final = "at {metric} = {at} (now {now})"
TURNS_INTO: Final = "then: {after}"
TAKE_USUAL: Final = "Take {value}"
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
IT_FIRED: Final = "It did conclude this here."
FAILS: Final = "Fails"
UNKNOWN: Final = "Unknown"
BLOCKS: Final = "Blocked by"
DID_YOU_MEAN: Final = "Perhaps"
MEANT_APART: Final = "   or   "
AMBIGUOUS: Final = "That could be several of the choices."
OUT_OF_RANGE: Final = "That is outside what is possible here: {range}."
NO_COMMAND: Final = "There is no such command."
NOT_FOUND_HERE: Final = "That was not found on this launch; /whynot says why."
WHICH_FINDING: Final = "Name one finding."
WHAT_IF_FORM: Final = "Write metric=value, several with commas between them."
NO_METRIC: Final = "{name} is no metric."
WHICH_LAUNCH: Final = "Name one launch, by its number or its kernel."
NOTHING_ASKED: Final = "Nothing is being asked."
NOTHING_TO_UNDO: Final = "There is nothing to undo."
TYPE_HELP: Final = "Type /help for what can be said here."
HELP: Final = "Help"
HELP_TITLE: Final = "What you can type"
UNKNOWN_NAMES: Final = "Not known"
NOT_IN_REPORT: Final = "What a rule wanted and the report lacks"
TRUST_TITLE: Final = "How far these numbers can be trusted"
ALGORITHM: Final = "Which algorithm is this?"
ALGORITHM_WHY: Final = (
    "From the algorithm and its sizes follow the fewest bytes and operations that it needs, and so the least time."
)
FAILED: Final = "That did not work"
UNCLEAR: Final = "Not understood"
INTERVIEW: Final = "Without a report"

DONT_KNOW: Final = "I don't know"
DONT_KNOW_WORDS: Final = ("d", "?", "dont know", "don't know", "do not know", "no idea", "unknown", "idk")
SKIP: Final = "Ask me later"
STOP_NAPKIN: Final = "Leave the napkin"
WHY_ASKED: Final = "Why is this asked?"
SAID_ABOVE: Final = "said above"
SHOW_FIX: Final = "Show the fix, step by step"
SHOW_WHAT_TO_DO: Final = "Show what to do now"
SHOW_HOW: Final = "How was this concluded?"
SHOW_WHY_CLASS: Final = "Why this class?"
SHOW_NEXT: Final = "Next finding: {title}"
SHOW_NOW_FIRST: Final = "What to fix first now: {title}"
SHOW_MISSING: Final = "What the report lacks, and how to collect it"
SHOW_NAPKIN: Final = "Compare with what the algorithm needs"
SHOW_LAUNCHES: Final = "Choose another launch"
TAKE_QUESTION: Final = "Answer: {ask}"
MORE_NUMBERS: Final = "Give more numbers"
SHOW_CONCLUSION: Final = "Enough: show the conclusion"
TRY_AGAIN: Final = "Try again"
LEAVE: Final = "Quit"

NO_SPEEDUP: Final = "The gain of its fix cannot be estimated from these numbers."
NO_FIX: Final = "There is no fix for this: it says how far to trust or read the numbers."
NO_FINDING: Final = "No finding: the report holds too little about this launch."
NO_CHANGE: Final = "Class, findings and expected gains are as before."
ANSWER_NOTED: Final = "Noted. The conclusions stand on what is known without it."
MEASURE_AGAIN: Final = "Apply the fix, profile again with the same options, and compare the durations first."
INTERVIEW_INTRO: Final = (
    "No report was given, so the advisor asks for the numbers that ncu shows. Type each with its unit,"
    " or press d for what you do not know. After each the conclusion is drawn anew."
)
INTERVIEW_DONE: Final = "That was the last number. The conclusion stands on what you gave."
NO_LAUNCHES: Final = "No launch could be read from this input."
WHICH_GPU: Final = "Which GPU was it?"
WHICH_GPU_WHY: Final = "Its limits and peaks decide what is a lot and what is little."
DECIDES: Final = "It takes part in deciding: {titles}"
AND_MORE: Final = "and {count} more"
UNEXPECTED: Final = "Something unexpected went wrong ({problem}). The session goes on; try again, or another launch."
NOT_AVAILABLE: Final = "This is not available here."
NOTHING_OPEN: Final = "No report is open: open one first."
TYPED_KERNEL: Final = "your kernel"
WHICH_DTYPE: Final = "Which data type are its elements?"
WHICH_DTYPE_WHY: Final = "The bytes follow from its size, and the peak of the arithmetic from its kind."
NEEDS: Final = "Needs"
INTENSITY: Final = "Intensity"
BELOW: Final = "under the ridge at"
ABOVE: Final = "over the ridge at"
EXPECT: Final = {"memory": "memory should be the limit", "compute": "arithmetic should be the limit"}
FLOOR: Final = "Least time"
MEASURED: Final = "Measured"
SO: Final = "That is"
TIMES_REACHABLE: Final = "{times:.2f} times what good code reaches"
NOT_USED: Final = "Since the two contradict each other, nothing is concluded from these sizes."
CALLED_OFF: Final = "Called off. Nothing was changed."
NOTHING_MISSING: Final = "The report lacks nothing that a rule wanted."
NO_EVIDENCE: Final = "No single number stands behind this finding."

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
