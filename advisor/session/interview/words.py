"""The words of the interview: what it asks first, what the user expects, and numbers that contradict each other."""

from __future__ import annotations

from typing import Final

SUBJECT: Final = "What are the numbers of?"
TYPED_WORKLOAD: Final = "your draw or dispatch"
SUBJECT_WHY: Final = "Each tool shows other numbers of other units, so other ones are asked for."
SUBJECTS: Final = {
    "kernel": ("A CUDA kernel in Nsight Compute", ("cuda", "ncu", "compute")),
    "workload": ("A draw or dispatch in Nsight Graphics", ("graphics", "draw", "dispatch", "frame", "shader")),
    "program": ("A whole program in Nsight Systems", ("timeline", "nsys", "trace", "system")),
}
READ_AT: Final = "Nsight Compute shows it under {place}."
UNIT_ASK: Final = "How full is {unit}?"
UNIT_WHY: Final = "The fullest units limit the workload. Press d for one that is not among the five that are listed."
WORKLOAD_TIME: Final = "How long does the draw or dispatch take?"
WORKLOAD_WHY: Final = "Nsight Graphics shows it for the selected range; what is unknown is left out."
WORKLOAD_KIND: Final = "What does the workload draw?"
WORKLOAD_KINDS: Final = {
    "full-screen": "a full-screen quad",
    "compute": "nothing: a compute shader",
    "geometry": "geometry",
}
LIMITER: Final = "What holds the number of warps down?"

EXPECT: Final = "Before the diagnosis: what do you expect to limit this kernel?"
EXPECT_WHY: Final = "A guess that turns out wrong shows which number to read first the next time"
BOUNDS: Final = {
    "memory": ("Memory: bytes wait for DRAM or a cache", ("bandwidth", "dram", "cache")),
    "compute": ("Compute: an arithmetic pipe or the issue slots are full", ("arithmetic", "math", "flop")),
    "latency": ("Latency: nothing is full, warps wait", ("neither", "waiting")),
}
SHOW_NOW: Final = "Show the diagnosis now"
SHOW_NOW_WORDS: Final = ("s", "skip", "show", "now")
NEVER_AGAIN: Final = "Show it, and never ask this again"
NEVER_AGAIN_WORDS: Final = ("never",)
NUMBERS_NOW: Final = "Go on to the numbers"
NO_ALGORITHM: Final = "None of these, or skip this: show the diagnosis"
NO_ALGORITHM_NUMBERS: Final = "None of these, or skip this: go on to the numbers"
OFFER: Final = "And which algorithm is it?"

EXPECTED: Final = "Expected"
AS_EXPECTED: Final = "As you expected: {title}"
NOT_EXPECTED: Final = "You expected {bound}; it is: {title}"
NO_IDEA: Final = "You left it open; it is: {title}"
OPEN: Final = "You expected {bound}; these numbers do not decide it"
BOUND_NAMES: Final = {"memory": "memory", "compute": "compute", "latency": "latency"}
NUMBERS: Final = "memory {memory}, compute {compute}, DRAM {dram}"
# (expected, found): what tells the one from the other.
TELLS: Final = {
    ("memory", "memory"): "Memory leads with 60 % or more of its peak ({numbers}).",
    ("compute", "compute"): "A pipe or the issue slots lead with 60 % or more of their peak ({numbers}).",
    ("latency", "latency"): "Neither side reaches 60 % of its peak, so time passes in waiting ({numbers}).",
    ("memory", "latency"): "Waiting for memory is no full memory: bandwidth limits from 60 % of its peak ({numbers}).",
    ("memory", "compute"): "The counters show the arithmetic or the issue slots fuller than memory ({numbers}).",
    ("compute", "memory"): "Much arithmetic does not make it the limit: the memory side is fuller ({numbers}).",
    ("compute", "latency"): "Much arithmetic does not fill a pipe while warps wait: none reaches 60 % ({numbers}).",
    ("latency", "memory"): "Warps wait since memory is full: fewer bytes help, more warps do not ({numbers}).",
    ("latency", "compute"): "A pipe is full, so less work for it helps and more warps do not ({numbers}).",
    ("memory", "balanced"): "Memory is one of two: compute is as full ({numbers}).",
    ("compute", "balanced"): "Compute is one of two: memory is as full ({numbers}).",
    ("latency", "balanced"): "Both sides are full, so little time passes in mere waiting ({numbers}).",
}
INSIDE: Final = "It is the inside of the memory system: DRAM itself is not what is full."
# (on paper, found) where the two differ.
PAPER: Final = {
    ("memory", "compute"): "On paper memory should be the limit: the kernel computes more than the algorithm asks for.",
    ("compute", "memory"): "On paper arithmetic should be the limit: bytes are moved that the algorithm does not need.",
    ("memory", "latency"): "On paper memory should be the limit: what keeps it from being full is the thing to find.",
    ("compute", "latency"): "On paper arithmetic should be the limit: something keeps the pipes from being full.",
}
PAPER_AGREES: Final = "On paper it is the same."

CONTRADICTION: Final = "Contradiction"
AGAINST_REPORT: Final = "{name}: you say {said}, the report says {known}"
REPORT_STANDS: Final = "The report's value stands. To see what yours would change: /whatif {metric}={said}"
AGREES: Final = "{name}: the report says the same, {known}"
TOGETHER: Final = "These numbers cannot be true together"
BOTH_STAND: Final = "Both are kept as typed, and the conclusion rests on them. Type the right one again: {example}"
TOO_MUCH: Final = "{part} = {value} is more than {whole} = {most}, which holds it"
STALLS_OVER: Final = "the stall shares add up to {total}, and there is no more than 100 % of a warp's time"
CYCLES_OVER: Final = "the stall cycles add up to {total}, and a warp issues every {interval}"
OVER_WHOLE: Final = "{part} = {value} is more than 100 % of what there is"
IDLE_AND_ACTIVE: Final = "active {active} and idle {idle}: while the pipeline is idle no SM is active"
TOO_FAST: Final = "{bytes} at the card's peak take {least}, and the kernel took {duration}: it cannot move that many"
TOO_FEW_OPERATIONS: Final = "the kernel executes {executed}, fewer than the {needed} that you say it needs"
NOT_WAITED: Final = "The answer is kept; check it before you trust what follows from it."
REPLACES: Final = "instead of {old}"
VOLUNTEERED: Final = "Numbers of your own"
NOTHING_MORE: Final = "Enough numbers"
NOTHING_CHANGES: Final = "No other number that you could read off would change class, first finding or gain."
