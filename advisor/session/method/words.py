"""The words of the steps of the method: their cards, their list, and what they say of a launch."""

from __future__ import annotations

from typing import Final

STEP: Final = "Step {id}"
AT: Final = "here"
DONE: Final = "done"
SKIPPED: Final = "skipped"
READ: Final = "read"

RUN: Final = "Run"

NOTHING_HERE: Final = "The numbers at hand hold nothing about this."
UNDECIDED: Final = "{title}: not decided by these numbers"

# 0 and 0b
OVERLAP: Final = {
    "overlap": "The halves overlap well: the longer one, {longer}, is what to work on",
    "partial": "The halves overlap in part: with all of it the time could fall to that of the longer one, {longer}",
    "none": "The halves do not overlap: at best the time would be that of the longer one, {longer}",
    "latency": "The whole takes longer than both halves one after the other: latency that neither half shows",
}
LONGER: Final = {"memory": "memory", "math": "arithmetic"}

# 1 to 6
OCCUPANCY: Final = "Occupancy"
LIMITED_BY: Final = "capped by {what}"
GAIN: Final = "{gain}, between {low} and {high}"
GAIN_UNKNOWN: Final = "cannot be put in a number from what is known"
NOTHING_TO_GAIN: Final = "No cause with a gain was found on this launch."
NO_SOURCE_TYPED: Final = "Typed numbers have no instructions: open a report with source counters."
OPEN_SOURCE: Final = "/source shows the hot lines and instructions."
CONFIGURATION: Final = "Now"

# III to D
SERVED: Final = "Asked of L2"
ATOMICS: Final = "Atomics"
BALANCE: Final = "Balance"
CLOCKS: Final = {1.0: "locked by ncu", 0.0: "not locked"}
CACHES: Final = {1.0: "flushed before each pass", 0.0: "left as they were"}
NOT_SAID: Final = "not said"
SMS: Final = "SMs"
NO_CARD: Final = "The card of this launch is not in the table, so its ridge points are unknown."
MISSING_HERE: Final = "Missing"
NOTHING_MISSING: Final = "Nothing that a rule asked for is missing."

# Choices
CHOICES: Final = {
    "napkin": "Reckon what the algorithm needs",
    "variants": "Give the three times",
    "class": "Why this class?",
    "evidence": "Show the numbers behind the finding",
    "source": "Show the hot lines and instructions",
    "fix": "Show the fix, step by step",
    "renew": "I changed the code: compare with a new report",
    "version": "I changed the code: type the new numbers",
    "collect": "Show the command that collects what is missing",
    "trace": "Open a trace of Nsight Systems",
    "asked_timeline": "Answer questions about the timeline",
    "timeline": "Look at the timeline",
    "report": "Open a report of the kernel",
    "log": "Show the log of versions",
    "whatif": "Try other values",
}


LEAVE_IT: Final = "Leave it"
