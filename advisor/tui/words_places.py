"""The texts of the screens of timeline, knowledge, start and replay."""

from __future__ import annotations

from typing import Final

TIP_LEAVE: Final = "Back to the conversation; while a trace is read, call that off"
TIP_HELP: Final = "Keys of this screen, and commands"
UP: Final = "A page up"
DOWN: Final = "A page down"

# Timeline
NEXT: Final = "What to do next"
UNSEEN: Final = "Could not be looked at"
UNSEEN_TITLE: Final = "Could not be looked at, so unknown"
KERNELS: Final = "Kernels by time"
COMMAND: Final = "Profile it with ncu"
TOGETHER: Final = "All GPUs together"
NOTE: Final = "note"
AT_MOST: Final = "at most {factor}"
MOMENTS: Final = "Enter shows the marked moments one after another; 0 shows the whole again."
COPY: Final = "Enter or c copies the command."
AFTERWARDS: Final = "Run it, then open the report it writes: the session goes on with the kernel."
COPIED: Final = "The command is on the clipboard, where the terminal allows it."
READING: Final = "The trace is being read; Esc calls it off."
NO_TIMELINE: Final = "No trace is open. /timeline FILE reads what nsys wrote: a .sqlite export or CSV of nsys stats."
TIP_TAKE: Final = "Show the next marked moment closely, or copy the command"
TIP_IN: Final = "Half as much time in view"
TIP_OUT: Final = "Twice as much time in view"
TIP_LEFT: Final = "Earlier, by a fourth of what is in view"
TIP_RIGHT: Final = "Later, by a fourth of what is in view"
TIP_WHOLE: Final = "The whole window of the trace"
TIP_STREAMS: Final = "Show or hide a lane for each of the busiest streams"
TIP_GPU: Final = "The next GPU of the traces"
TIP_COPY: Final = "Copy the ncu command"
TIP_EXPLAIN: Final = "What the knowledge base says of this pattern"

# Knowledge
SEARCH: Final = "type to search: a finding, a stall, an opcode, a metric, a GPU, any words"
SEARCH_IN: Final = "type to search in {kind}; Esc goes back to all"
LOADING: Final = "The knowledge base is being loaded."
CONTENTS: Final = "{count} entries; Enter lists a kind, typing searches all"
SOME: Final = "{count} of {kind}"
FOUND: Final = "{count} {entries} found"
MORE: Final = "all {count} of {kind}"
AND_MORE: Final = "{count} more: type more of it"
PLURALS: Final = {
    "threshold": "thresholds",
    "ncu_rule": "rules of Nsight Compute",
    "case": "worked cases",
    "unit": "terms of the time model",
    "dtype": "data types",
    "source": "sources",
    "workload": "graphics workloads",
    "pattern": "patterns of a timeline",
    "trust": "warnings about the numbers",
    "decision": "decisions after a timeline",
    "step": "steps of the method",
    "erratum": "corrections",
    "gpu": "GPUs",
}
LINKS: Final = "Enter follows a link; Backspace goes back"
LINK_SOURCE: Final = "source"
CITED: Final = "rests on it"
CHOOSE_ENTRY: Final = "Choose an entry; Enter opens it."
TIP_KNOWLEDGE_LEAVE: Final = "Back: to the list, to all kinds, to the conversation"
TIP_PREVIOUS: Final = "The entry before this one"
TIP_SEARCH: Final = "Search"

# Start
START: Final = "no report is open"
BEGIN_OTHERWISE: Final = "Begin with something else"
BEGIN_OTHERWISE_NOTE: Final = "another file, the demo, typed numbers"
START_TITLE: Final = "Where do you want to begin?"
START_HINT: Final = "Enter takes the marked line. Or type the path of a report or a trace; Tab completes it."
PATH: Final = "path of a .ncu-rep report, a .sqlite trace or a saved session; Tab completes"
INTERVIEW: Final = "Type in the numbers that ncu shows"
INTERVIEW_NOTE: Final = "without a report, one after another"
DEMO: Final = "Look at the demo"
DEMO_NOTE: Final = "22 kernels recorded on an H200"
PRACTICE: Final = "Practise on an exercise"
PRACTICE_NOTE: Final = "slow kernels to find out about and to mend"
BROWSE: Final = "Browse the knowledge base"
BROWSE_NOTE: Final = "findings, stalls, opcodes, GPUs, the method"
CONTINUE: Final = "Go on with {title}"
REOPEN: Final = "Open {name}"
REOPEN_TRACE: Final = "Open the trace {name}"
REPLAY: Final = "Replay {title}"
CASES: Final = "Replay a worked case"
CASES_NOTE: Final = "{count} {sessions}, step by step"
GONE: Final = "no longer there"
NO_SUCH_FILE: Final = "There is no file {path}."
FOLDER: Final = "{path} is a folder: name a report or a trace in it."
TIP_CLEAR: Final = "Empty the line, or go back"

# Replay
REPLAY_TITLE: Final = "replay · {title}"
STEP: Final = "step {step} of {steps}"
BEGINNING: Final = "before the first step"
DIFFERS: Final = "{count} {places} not as it was saved"
AS_SAVED: Final = "concluded as it was saved"
NOT_DONE: Final = "could not be done: it means nothing at this place"
DIFFERENCE: Final = "{place}: was {expected}, is {came}"
NOTHING_THERE: Final = "nothing"
AND_OTHERS: Final = "and {count} more"
JUMP: Final = "go to step {digits}_ (Enter)"
PLAYING: Final = "playing, a step every {seconds:g} s"
PAUSED: Final = "paused"
VIEW: Final = "in view: {view}"
LAUNCHES: Final = "the list of launches is in view: {count}"
WORKING_OUT: Final = "working out step {step}"
GOES_ON: Final = "This is a session of your own now, from step {step} of what was replayed."
NO_STEPS: Final = "This session holds no steps."
SAVED: Final = "Saved session"
SOURCE: Final = "Source"
HOW_TO_PLAY: Final = "Right and left go from step to step, p plays, g goes on from a step in a session of your own."
TIP_REPLAY_LEAVE: Final = "Call off the search for a difference, or leave the replay"
TIP_FORWARD: Final = "The next step"
TIP_BACKWARD: Final = "The step before"
TIP_PLAY: Final = "Play or pause"
TIP_FASTER: Final = "Play faster"
TIP_SLOWER: Final = "Play slower"
TIP_FIRST: Final = "To the beginning"
TIP_LAST: Final = "To the last step"
TIP_JUMP: Final = "To the step whose number was typed, or that is marked in the list"
TIP_LIST: Final = "Show or hide the list of steps"
TIP_EVIDENCE: Final = "Show or hide the evidence"
TIP_EVIDENCE_PAGE: Final = "The next page of the evidence"
TIP_DIFFERENCE: Final = "Replay on to the next step that is concluded otherwise than it was saved"
NONE_DIFFERS: Final = "No step after this one is concluded otherwise than it was saved."
TIP_GO_ON: Final = "Go on from here in a session of your own"
TIP_DIGIT: Final = "Type the number of a step, then Enter"
