"""What the child processes of the practice room are at, in a word or two."""

from __future__ import annotations

from typing import Final

STAGES: Final = {
    "start": "starting",
    "inputs": "making inputs",
    "compile": "compiling",
    "reference": "computing the reference",
    "check": "checking",
    "time": "timing",
    "warm": "warming up",
    "profile": "profiling",
}
