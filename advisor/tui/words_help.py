"""The texts of the help and of the palette."""

from __future__ import annotations

from typing import Final

HELP: Final = "Help"
HERE: Final = "Keys on this screen"
EVERYWHERE: Final = "Keys everywhere"
NOT_NOW: Final = "(not now)"
TIP_CLOSE: Final = "Back to where you were"
TIP_FIRST: Final = "To the beginning"
TIP_LAST: Final = "To the end"
TIP_PALETTE: Final = "All actions, findings, steps, launches and exercises, by name"
TIP_KNOWLEDGE: Final = "Browse the knowledge base"
TIP_TIMELINE: Final = "The timeline of the trace that is open"

# Palette
SEARCH: Final = "an action, a command, a finding, a step, a kernel, an exercise"
COMMAND: Final = "command"
FINDING: Final = "Finding: {title}"
FINDING_SAYS: Final = "look at this finding of the launch at hand"
STEP: Final = "Step {id}: {title}"
STEP_SAYS: Final = "go to this step of the method"
LAUNCH: Final = "Launch {number}: {kernel}"
LAUNCH_SAYS: Final = "open this launch"
EXERCISE: Final = "Exercise: {name}"
EXERCISE_SAYS: Final = "practise on it"
EXPLAIN: Final = "Explain: {title}"
EXPLAIN_SAYS: Final = "open it in the knowledge base"
VIEWS: Final = {
    "source": ("View: source and instructions", "hot lines and instructions of the launch"),
    "proof": ("View: proof", "the tree from the finding to numbers and sources"),
    "whatif": ("View: what if", "try other values and see what turns"),
    "timeline": ("View: timeline", "lanes, patterns and kernels of the open trace"),
    "knowledge": ("View: knowledge", "browse what the advisor knows"),
    "practice": ("View: practice", "the exercises"),
    "steps": ("View: steps", "the steps of the method"),
    "log": ("View: log", "the experiment log"),
}
