"""Words for what the child process of an exercise works on; the session shows them while it waits."""

from typing import Final

# Descriptions of the items that a child process works on, by the names it uses.
STAGE_WORDS: Final = {
    "start": "starting",
    "inputs": "creating inputs",
    "compile": "compiling",
    "reference": "computing the reference",
    "check": "checking",
    "time": "timing",
    "warm": "warming up",
    "profile": "profiling",
}
