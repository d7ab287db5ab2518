"""The words of traces in a session: what they show, what is asked where there is none."""

from __future__ import annotations

from typing import Final

LABEL: Final = "Timeline"
TYPED: Final = "as you told"
DECISION: Final = "Next"
WHY: Final = "Because"
BUSY: Final = "Busy"
BUSY_TEXT: Final = "GPU {name}: busy {busy}, computing {computing}"
SEVERAL: Final = "{count} GPUs; told is of {name}"
FOUND: Final = "Found"
PATTERN: Final = "{title}, {gain}"
GAIN: Final = "at most {most:.2f} times"
NO_GAIN: Final = "its gain is not known"
FIX: Final = "Fix"
TYPICAL: Final = "typically {typical}"
SHOW_PATTERN: Final = "What to do about it: {title}"
MOMENT: Final = "Shows at"
AT: Final = "{at}, for {length}"
BETWEEN: Final = "nothing between {before} and {after}"
HOST_IN: Final = "host in {call}"
IN_RANGE: Final = "range {range}"
GIVES: Final = "Gives"
PRICE: Final = "Price"
UNSEEN: Final = "Not known"
UNSEEN_TEXT: Final = "{title}: could not be looked at ({wanting})"
UNSEEN_SHORT: Final = "could not be looked at: {titles}"
NONE_SEEN: Final = "Nothing was found, but {count} patterns could not be looked at."
NO_PATTERN: Final = "No pattern that costs time was found in what could be looked at."
KERNEL: Final = "Kernel"
KERNEL_TEXT: Final = "{name}: {share:.1f} % of the kernels' time, {launches:,} launches"
BOUND: Final = "without it the program could be {bound} times as fast at the very most"
BOUND_UNKNOWN: Final = "how much the program gains from it is not known"
NO_KERNELS: Final = "Which kernels ran is not known."
PROFILE: Final = "Profile it"
PROBLEM: Final = "Careful"
NOT_READ: Final = "{path}: {why}"
RANGES: Final = "the ranges of the moments shown: {names}"
NO_RANGES: Final = "none of the moments shown lies in a named range"
TRACE: Final = "Trace"
TRACE_TEXT: Final = "{path}: {form}, the run lasts {run}"
SHARE_HERE: Final = (
    "of the {count} launches in the report this kernel takes {share:.0f} % of the time; only a trace tells of the whole"
)
ADVICE_END: Final = "A profile of one kernel would gain little now: mend this first, capture again, and decide anew."

PATH_ASK: Final = "Which trace? Type the path of the file."
PATH_WHY: Final = "A .sqlite that nsys exported, or its CSV tables."
REPORT_ASK: Final = "Which report? Type the path of the file."
REPORT_WHY: Final = "A .ncu-rep or what ncu printed; REPORT#N names one launch of it."
NEW_REPORT_ASK: Final = "Which report holds the new version? Type its path."
NEW_REPORT_WHY: Final = "Profile it with the same options, or nothing can be compared. REPORT#N names one launch of it."

# Asked where there is no trace: metric, question, and what must hold for it to be worth asking (a metric at least so
# large, of those given before). What decides comes first; a loss of its own is followed by how often it occurs.
_IDLE: Final = (("gpu_idle_pct", 5.0),)
_LOST: Final = (("not_computing_pct", 5.0),)
ASKED: Final[tuple[tuple[str, str, tuple[tuple[str, float], ...]], ...]] = (
    ("gpu_busy_pct", "For how much of the time is anything running on the GPU?", ()),
    ("computing_pct", "For how much of the time are kernels running that compute?", ()),
    ("top_kernel_pct", "What share of the GPU's busy time does the largest kernel take?", ()),
    ("input_wait_pct", "How much of the time does the GPU wait for the next data?", _IDLE),
    ("input_wait_count", "How many such waits are there?", (("input_wait_pct", 10.0),)),
    ("sync_gap_pct", "How much of the time is it idle because the host waits after each kernel?", _IDLE),
    ("sync_gap_count", "How many such gaps are there?", (("sync_gap_pct", 5.0),)),
    ("output_wait_pct", "How much of the time does it wait while results are dealt with?", _IDLE),
    ("output_wait_count", "How many such waits are there?", (("output_wait_pct", 10.0),)),
    ("copy_exposed_pct", "For how much of the time do copies run with no kernel beside them?", _LOST),
    ("host_copy_pct", "For how much of the time do copies run at all?", (("copy_exposed_pct", 10.0),)),
    (
        "communication_exposed_pct",
        "For how much of the time do GPUs exchange data with no other kernel running?",
        _LOST,
    ),
    ("migration_pct", "For how much of the time is managed memory migrated?", _LOST),
    ("tiny_span_pct", "How much of the time passes in kernels under 10 us and the gaps between them?", ()),
    ("tiny_kernel_count", "How many such kernels are there?", (("tiny_span_pct", 10.0),)),
)
ASKED_WHY: Final = {
    "gpu_busy_pct": "An idle GPU gains nothing from a faster kernel. nsys shows it in the GPU row; leave start-up out.",
    "computing_pct": "Copies and exchange keep a GPU busy without computing.",
    "top_kernel_pct": "Under 30 % no kernel is worth a profile of its own.",
    "sync_gap_count": "A single gap is no pattern.",
    "input_wait_count": "A single wait is no pattern.",
    "output_wait_count": "A single wait is no pattern.",
    "host_copy_pct": "What already runs beside kernels is hidden; only the rest could be.",
    "tiny_kernel_count": "A few are no pattern.",
}
ASKED_LOSS: Final = "It is a loss of its own, mended before any kernel; nsys shows it in the rows under the GPU."
