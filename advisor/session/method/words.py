"""The words of the steps of the method: their cards, their list, and what they say of a launch."""

from __future__ import annotations

from typing import Final

STEP: Final = "Step {id}"
STEPS: Final = "Steps"
STEPS_TITLE: Final = "The steps of the method"
HERE: Final = "Here"
AT: Final = "here"
DONE: Final = "done"
SKIPPED: Final = "skipped"
READ: Final = "read"
PROGRESS: Final = "{done} of {all} done"
GO_THERE: Final = "/goto STEP leads to any of them."

LOOK: Final = "Look at"
DONE_WHEN: Final = "Done when"
FORMULA: Final = "Formula"
EXAMPLE: Final = "Example"
RUN: Final = "Run"
MISLEADS: Final = "Misleads"
READ_ON: Final = "Read on"
POINT: Final = "Know"
PRACTISE: Final = "Practise"
PRACTISE_COMMAND: Final = "ncu-advisor practice show {name}"

NO_LAUNCH: Final = "No launch is open yet, so nothing can be said about yours: open a report, or type numbers."
NO_TRACE: Final = "No trace of the whole program is open, so nothing is known of this: /timeline TRACE opens one."
NO_TRACE_ASK: Final = "The report of one kernel cannot tell. What nsys shows can also be typed, number by number."
NOTHING_HERE: Final = "The numbers at hand hold nothing about this."
COLLECT_WITH: Final = "Collect it with: {command}"
NOT_OF_LAUNCH: Final = "This step is about the machine and the tools; a report says nothing of it."
NOT_LOOKED: Final = "{title}: could not be looked at, since unknown: {wanting}"
NOT_ANSWERED: Final = "{title}: not decided without your answer: {ask}"
UNDECIDED: Final = "{title}: not decided by these numbers"
NOT_FOUND: Final = "{title}: checked, and not the case"
UNKNOWN_OF: Final = "unknown: {names}"

# 0 and 0b
NO_NAPKIN: Final = "No napkin for this launch yet: a report cannot say what the algorithm needs. /goto 0 reckons it."
NEEDED: Final = "Needed"
SAID_BY_YOU: Final = "by your answers: {parts}"
EXPECTED: Final = "Expected"
EXPECTED_TEXT: Final = "you expected {bound}; it is {title}"
FLOOR: Final = "Least time"
FLOOR_TEXT: Final = "{floor} for the bytes at what DRAM gives ({rate}); measured {time}, {ratio:.2f} times that"
VARIANTS_OPEN: Final = (
    "The times of the whole kernel, of its memory accesses and of its arithmetic alone are not known yet."
)
WHOLE: Final = "How long does the whole kernel take?"
MEMORY_ONLY: Final = "How long does it take with its memory accesses alone?"
MATH_ONLY: Final = "How long does it take with its arithmetic alone?"
VARIANTS_WHY: Final = "The three times together tell whether the two halves overlap, which no counter says directly."
VARIANTS_TITLE: Final = "Whole, memory only, math only"
OVERLAP: Final = {
    "overlap": "The halves overlap well: the longer one, {longer}, is what to work on",
    "partial": "The halves overlap in part: with all of it the time could fall to that of the longer one, {longer}",
    "none": "The halves do not overlap: at best the time would be that of the longer one, {longer}",
    "latency": "The whole takes longer than both halves one after the other: latency that neither half shows",
}
LONGER: Final = {"memory": "memory", "math": "arithmetic"}
OVERLAP_NUMBERS: Final = "between {best} (all hidden) and {worst} (nothing hidden), measured {full}"
OVERLAP_HIDDEN: Final = "{hidden:.0f} % of the shorter half is hidden"
OVERLAP_UNSURE: Final = "One run each scatters so much that another verdict is possible: take medians of 20 runs"
OVERLAP_SMALL: Final = "The shorter half is so short that its overlap cannot be seen"

# 1 to 6
CLASS: Final = "Class"
LEADS: Final = "Leads"
LEADS_TEXT: Final = "{unit} at {value}"
NCU_SAYS: Final = "ncu says"
INTENSITY: Final = "Intensity"
REACHED: Final = "Reached"
ROOFS: Final = "Roofs"
ROOF_TEXT: Final = "{name}: ridge at {ridge:.3g} FLOP/byte, this launch is {side} it"
LEFT_OF: Final = "left of"
RIGHT_OF: Final = "right of"
DRAM: Final = "GFLOP/s, DRAM at"
NO_FLOP: Final = "No floating-point work was counted: the point has no height, read DRAM's share of its peak instead."
PIPES: Final = "Pipes"
ISSUE: Final = "Scheduler"
STALLS: Final = "Stalls"
HITS: Final = "Hit rates"
MEMORY: Final = "Memory"
SAMPLES: Final = "Samples"
SHARED_RATIO: Final = "Shared to global"
OCCUPANCY: Final = "Occupancy"
LIMITED_BY: Final = "capped by {what}"
LAUNCH_SHAPE: Final = "Grid"
WAVES: Final = "{waves:.1f} waves of blocks"
GAIN: Final = "{gain}, between {low} and {high}"
GAIN_UNKNOWN: Final = "cannot be put in a number from what is known"
TOGETHER: Final = "All together"
NOTHING_TO_GAIN: Final = "No cause with a gain was found on this launch."
NO_PLACE: Final = "No finding of this launch has a place of its own in the code."
NOT_LOCATED: Final = "{titles}: {why}"
NO_SOURCE_TYPED: Final = "Typed numbers have no instructions: open a report with source counters."
OPEN_SOURCE: Final = "/source shows the hot lines and instructions."
PRICE: Final = "Price"
NO_FIX: Final = "Nothing to fix was found."
NEAR_END: Final = "The kernel is near what the card can do: stop, or give it less work."
SWEEP: Final = "Sweep"
SWEEP_COMMAND: Final = "ncu-advisor practice sweep {name}"
SWEEP_OWN: Final = "Vary these in your own code and time each point; nothing here can run it for you."
CONFIGURATION: Final = "Now"
STOP_SMALL: Final = "The next fix promises {gain}: under 5 % it is not worth the work, so stop."
STOP_MAYBE: Final = "The next fix promises {gain}: under 10 % stopping is as good."
GO_ON: Final = "The next fix promises {gain}: go on."
STOP_END: Final = "{title}: stop here."
STOP_UNKNOWN: Final = "Nobody can say what the next fix gives: try it, and compare the times."
NO_VERSION: Final = "No second version yet: change the code, measure again, and give the new report (/compare REPORT)."
NO_BASELINE: Final = "There is one version so far, so there is nothing to set beside it."
BASELINE: Final = "Version {name}"

# III to D
SERVED: Final = "Asked of L2"
SERVED_TEXT: Final = "{asked} asked of L2, {moved} moved by DRAM: {ratio:.2f} times"
L2_SIZE: Final = "L2 holds"
SLICE: Final = "Slices"
SLICE_TEXT: Final = "the busiest L2 slice serves {ratio:.2f} times the average"
ATOMICS: Final = "Atomics"
NO_ATOMICS: Final = "This launch executed no global atomics."
ATOMICS_TEXT: Final = (
    "{red} sectors of reductions and {atom} of atomics at L2; they fill {share} of what the busiest slice can do"
)
TENSOR_NONE: Final = "No tensor instruction was executed."
TENSOR_TEXT: Final = "{count} tensor instructions; the tensor pipe ran at {pct}"
PHASES: Final = "Phases"
PHASES_TEXT: Final = "the balance of DRAM and SMs moves by {pct:.0f} % over the run (100: from the one to the other)"
NO_SAMPLES: Final = "Nothing was sampled over time: collect the section PmSampling."
BALANCE: Final = "Balance"
BALANCE_TEXT: Final = "the busiest SM worked {ratio:.2f} times the average"
SM_ACTIVE: Final = "SMs active"
REPLAY: Final = "Profile"
REPLAY_TEXT: Final = "The report does not say how it was replayed; clocks {clocks}, caches {caches}"
CLOCKS: Final = {1.0: "locked by ncu", 0.0: "not locked"}
CACHES: Final = {1.0: "flushed before each pass", 0.0: "left as they were"}
NOT_SAID: Final = "not said"
OWN_RULES: Final = "ncu's own rules said {count} things of this launch; {agree} agree with what is concluded here."
NO_RULES: Final = "The report holds no results of ncu's rules."
PYTHON_HERE: Final = "What a script would keep of this launch"
SMS: Final = "SMs"
SMS_TEXT: Final = "{sms:.0f} SMs worked of {all:.0f} that the device has"
SMS_ONLY: Final = "{sms:.0f} SMs; whether the card has more the report does not say"
GRAPH_SHORT: Final = "This launch takes {time}, about as long as launching: a CUDA graph helps if there are many."
GRAPH_LONG: Final = (
    "This launch takes {time}, long against the 2 to 5 us of launching: a graph gives little for it alone."
)
TOLD: Final = "Told"
RIDGE: Final = "{peak}"
RIDGE_TEXT: Final = "{ridge:.4g} FLOP/byte"
NO_CARD: Final = "The card of this launch is not in the table, so its ridge points are unknown."
SOURCES_HERE: Final = "What was concluded here rests on"
MISSING_HERE: Final = "Missing"
MISSING_TEXT: Final = "{count} numbers that rules asked for; /collect gives the command"
NOTHING_MISSING: Final = "Nothing that a rule asked for is missing."

# Choices
NEXT_STEP: Final = "Go on to step {id}: {title}"
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

COLLECT: Final = "Collect"
COLLECT_TITLE: Final = "The command that collects what is missing"
TO_PLACE: Final = "to place the launch"
COLLECT_NOTE: Final = (
    "Each section replays the kernel, some several times; source counters and the sampler cost the most."
)

LEAVE_IT: Final = "Leave it"
ENOUGH: Final = "Enough: say what these numbers mean"
