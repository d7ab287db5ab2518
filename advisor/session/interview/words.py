"""The words of the interview: what it asks first, what the user expects, and numbers that contradict each other."""

from __future__ import annotations

from typing import Final

SUBJECTS: Final = {
    "kernel": ("A CUDA kernel in Nsight Compute", ("cuda", "ncu", "compute")),
    "workload": ("A draw or dispatch in Nsight Graphics", ("graphics", "draw", "dispatch", "frame", "shader")),
    "program": ("A whole program in Nsight Systems", ("timeline", "nsys", "trace", "system")),
}
WORKLOAD_WHY: Final = "Nsight Graphics shows it for the selected range; what is unknown is left out."
WORKLOAD_KINDS: Final = {
    "full-screen": "a full-screen quad",
    "compute": "nothing: a compute shader",
    "geometry": "geometry",
}

BOUNDS: Final = {
    "memory": ("Memory: bytes wait for DRAM or a cache", ("bandwidth", "dram", "cache")),
    "compute": ("Compute: an arithmetic pipe or the issue slots are full", ("arithmetic", "math", "flop")),
    "latency": ("Latency: nothing is full, warps wait", ("neither", "waiting")),
}
SHOW_NOW: Final = "Show the diagnosis now"
SHOW_NOW_WORDS: Final = ("s", "skip", "show", "now")
NEVER_AGAIN_WORDS: Final = ("never",)

EXPECTED: Final = "Expected"
BOUND_NAMES: Final = {"memory": "memory", "compute": "compute", "latency": "latency"}
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
# (on paper, found) where the two differ.
PAPER: Final = {
    ("memory", "compute"): "On paper memory should be the limit: the kernel computes more than the algorithm asks for.",
    ("compute", "memory"): "On paper arithmetic should be the limit: bytes are moved that the algorithm does not need.",
    ("memory", "latency"): "On paper memory should be the limit: what keeps it from being full is the thing to find.",
    ("compute", "latency"): "On paper arithmetic should be the limit: something keeps the pipes from being full.",
}

CONTRADICTION: Final = "Contradiction"
REPLACES: Final = "instead of {old}"
