"""The texts of the views' screens: titles, keys, hints."""

from __future__ import annotations

from typing import Final

TIP_LEAVE: Final = "Back to where this was opened, or call off what is being done"
TIP_TAKE: Final = "Take the line under the cursor"
TIP_VIEWS: Final = {
    "source": "Hot lines and instructions of this launch",
    "proof": "The tree from the finding to its numbers and sources",
    "whatif": "Try other values and see which conclusions turn",
    "steps": "The steps of the method, and where this session is",
    "log": "The experiment log: versions, times, what was seen",
}
VIEW_KEYS: Final = (
    ("f7", "source", "Source"),
    ("f8", "proof", "Proof"),
    ("f9", "whatif", "What if"),
    ("f5", "steps", "Steps"),
    ("f10", "log", "Log"),
)
TIP_UP: Final = "A line up"
TIP_DOWN: Final = "A line down"
TIP_PAGE_UP: Final = "A page up"
TIP_PAGE_DOWN: Final = "A page down"
TIP_FIRST_LINE: Final = "To the first line"
TIP_LAST_LINE: Final = "To the last line"
ONE_MOMENT: Final = "one moment"
AGAIN: Final = "r tries again."
TIP_AGAIN: Final = "Try again what failed or was called off"

# Source
SOURCE: Final = "Source"
MEASURE: Final = "{title} ({id}), {total} in all"
BECAUSE: Final = "because {reason}"
SEARCH: Final = "/{text}"
FILTERS: Final = "only {filters}: {kept} of {total} instructions (x shows all)"
COLUMN_SET: Final = "columns: {columns}"
NOTHING_HOT: Final = "Nothing in the code has any of it, or passes the filters."
NO_LINES: Final = "No line information: compile with -lineinfo to see source lines. Instructions are all there is."
NO_CODE: Final = "The report does not hold the machine code."
TRUST: Final = (
    "{lined} of what ran has a line{file}, {inlined} is inlined. Compilers move code: a share may be a neighbour's."
)
TRUST_IN: Final = " in {file}"
NO_TEXT: Final = "The text of the source is neither in the report nor on this machine."
TABS: Final = ("SASS", "Source text", "PTX", "Shape")
TAB_LINE: Final = "{number} {name}"
OF_LINE: Final = "{place} (a all)"
OF_ALL: Final = "all (a line)"
BY_HEAT: Final = "hot first (o)"
BY_CODE: Final = "in order (o)"
NO_PTX: Final = "The report holds no PTX: code compiled with -lineinfo carries it along."
NO_SHAPE: Final = "Without machine code there are no loops or registers to tell of."
PROMPT: Final = "/regex, share>5%, a measure such as samples, columns such as stalls; Tab leaves the line"
NOT_SOUGHT: Final = (
    "{text} is no search (/LDG), no comparison (share>5%), no measure (samples) and no column set (memory, stalls,"
    " predication, instructions)."
)
LIVE: Final = "{live} registers live"
PEAK: Final = "most in the kernel: {live} at 0x{pc:x} (p goes there)"
FOR_LOAD: Final = "waits: {wait} (l goes to what it waits for)"
WAITS: Final = "waits: {wait}"
RAN: Final = "ran {count} times for {lanes:.1f} of 32 lanes"
RAN_ONLY: Final = "ran {count} times"
NO_SOURCE_OF_WAIT: Final = "This instruction waits for no other one that the code names."
NO_HOTTER: Final = "There is no hotter place on that side."
TIP_SEARCH: Final = "Search by a regular expression, filter by a value, or name a measure or column set"
TIP_MEASURE: Final = "The next measure of those that this launch has any of"
TIP_COLUMNS: Final = "The next column set: memory, stalls, predication, instructions, none"
TIP_HOT: Final = "The next hot place in the order of the code"
TIP_TAB: Final = "Instructions, source text, PTX, or loops and registers"
TIP_ALL: Final = "Instructions of the line, or of the whole kernel"
TIP_ORDER: Final = "Hottest first, or in the order of the code"
TIP_MEASURE_BEFORE: Final = "The measure before"
TIP_HOT_BEFORE: Final = "The hot place before in the order of the code"
TIP_AWAITED: Final = "To the load or other instruction that this one waits for"
TIP_PEAK: Final = "To the instruction with the most live registers"
TIP_CLEAR: Final = "Take all filters away"

# Proof
PROOF: Final = "Proof"
CONCLUDED: Final = "concluded by {count} {rules}"
NOT_CONCLUDED: Final = "not concluded here: what kept each of its rules"
NO_RULES: Final = "No rule concludes this about a single launch."
RULE_FIRED: Final = "rule {rule}: fired"
RULE_BLOCKED: Final = "rule {rule}: did not fire"
CONDITIONS: Final = {"holds": "holds", "fails": "fails", "unknown": "unknown"}
UNLESS: Final = "unless"
LETS: Final = {0: "not the case, so nothing prevents it", 1: "not known, so less sure", 2: "is the case: prevents it"}
TURNS: Final = "Would turn"
TURNS_NOT: Final = "No single number of these turns it"
TURNS_AT: Final = "at {metric} = {at} (now {now}): then {after}"
SOURCES: Final = "Sources"
THRESHOLD: Final = "{metric} = {value}, tested {test}"
UNKNOWN_VALUE: Final = "not in the report"
PROOF_PROMPT: Final = "a finding to look at, such as {example}; Tab goes back to the tree"
NO_FINDING: Final = "No finding is called {text}."
TIP_EXPLAIN: Final = "What the word under the cursor means"
TIP_GO: Final = "To the step under the cursor"
TIP_SEE: Final = "The first entry of the knowledge base that the step points to"
TIP_FOLD_ONE: Final = "Fold, or go to what this belongs to"
TIP_UNFOLD_ONE: Final = "Unfold, or go to what lies under this"
TIP_FINDING_BEFORE: Final = "The finding before, or the class"
TIP_NEXT_FINDING: Final = "The next of the class and the findings"
TIP_FOLD: Final = "Fold or unfold what is under the cursor; e does so with everything"
TIP_ANOTHER: Final = "Another finding by its name, concluded or not"
WHAT: Final = {"class": "class", "finding": "finding", "absent": "not concluded"}

# What if
WHATIF: Final = "What if"
HEADS: Final = ("Metric", "Measured", "Tried", "Turns at")
CONCLUDING: Final = "concluding anew; this is the outcome before"
BEFORE_AFTER: Final = "measured → tried"
AS_MEASURED: Final = "Nothing is changed yet: left and right try other values of the metric under the cursor."
SAME: Final = "Class, findings and gains are as measured."
CLASS: Final = "class"
FIRST: Final = "first"
STAYS: Final = "stays"
CAME: Final = "comes"
WENT: Final = "goes"
GAIN: Final = "gain"
UNKNOWN: Final = "unknown"
VALUE_PROMPT: Final = "a value for {metric}, with its unit, or metric=value; Enter tries it"
NO_METRIC: Final = "{name} is no metric."
NO_THRESHOLD: Final = "Nothing that was concluded turns on that side."
NOTHING_TRIED: Final = "Nothing is tried: there is nothing to note."
NO_VALUE: Final = "The report does not say: type a value first."
TIP_LESS: Final = "1 % less (Shift: 10 %)"
TIP_MORE: Final = "1 % more (Shift: 10 %)"
TIP_TURN: Final = "To just beyond the next value where something turns (< and >)"
TIP_MUCH_LESS: Final = "10 % less"
TIP_MUCH_MORE: Final = "10 % more"
TIP_TURN_BELOW: Final = "To just beyond the next lower value where something turns"
TIP_RESET: Final = "The measured value again (R: all of them)"
TIP_NOTE: Final = "Keep what was tried as a card in the conversation"

# Steps and log
STEPS: Final = "Steps of the method"
HERE: Final = "here"
DONE: Final = "done"
SKIPPED: Final = "skipped"
READ: Final = "read"
OPEN: Final = "open"
TIP_READ_ON: Final = "On in the step's text, and from its end to its beginning"
NO_STEPS: Final = "The knowledge base tells no steps."
STEP_PARTS: Final = {
    "why": "Why",
    "steps": "Do",
    "look": "Look at",
    "commands": "Command",
    "exit": "Done when",
    "misleads": "Beware",
    "exercise": "Exercise",
    "see": "See",
    "cites": "Source",
}
STEP_NEEDS_LAUNCH: Final = "Choose a launch first: a step is gone through on one."
LOG: Final = "Experiment log"
NO_LOG: Final = "No versions yet: after a change to the code, /compare FILE sets its new report beside this one."
LOG_HEADS: Final = ("Version", "Change", "Time", "Gain", "Class", "First finding", "Next")
LOG_PARTS: Final = {"change": "Change", "observation": "Seen", "next_step": "Next", "finding": "First finding"}
