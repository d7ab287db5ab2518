"""The words of the practice room in a session."""

from __future__ import annotations

from typing import Final

# Stage -> its short name in the strip, and what it is called as a next step.
STAGES: Final = {
    "story": ("Story", "Read the story"),
    "napkin": ("Napkin", "Work the numbers out on paper, before any profile"),
    "numbers": ("Profile", "Look at the profile's numbers"),
    "predict": ("Predict", "Predict class, cause and gain"),
    "reveal": ("Answer", "See the answer, and your points"),
    "hints": ("Hints", "Take a hint"),
    "edit": ("Edit", "Mend the code"),
    "run": ("Run", "Check your version"),
    "compare": ("Compare", "Compare the recorded versions (tells what they do)"),
    "quiz": ("Quiz", "Answer the quiz"),
    "solution": ("Solution", "Read the solution"),
    "log": ("Log", "Your experiment log"),
}
LEVELS: Final = {1: "first steps", 2: "the trade", 3: "hard"}
STATES: Final = {"new": "new", "started": "started", "tried": "tried", "solved": "solved"}

BEFORE: Final = "Better before it"
LEVEL: Final = "Level"
STEP_OF_METHOD: Final = "step {step} of the method"
LADDER: Final = "a ladder of {count} versions, each with its own fault"
NOTHING_DONE: Final = "nothing yet"
YOUR_VERSION: Final = "your version"
ASKED_LATER: Final = "Before any profile, on paper"

NAPKIN: Final = "On paper"
JUDGED: Final = {
    "right": "Right.",
    "close": "Close: {factor:.2f} times what it is.",
    "off": "Off: {factor:.3g} times what it is.",
    "unread": "Compare for yourself: this is not a number that can be judged.",
}
NO_NUMBER: Final = (
    "This asks for {kinds}. Worked out before the profile, it tells what to look for; Enter alone shows it."
)


CLASS: Final = "Class"
CAUSE: Final = "Cause"
GAIN: Final = "Gain"
ONCE_MORE: Final = "Predict anew"
NO_GAIN: Final = "That is no gain: write a factor between 0 and a million, such as 2.5."

SHOW_ANSWER: Final = "Show the answer"
NOT_MEASURED: Final = "not measured"
PREDICTION: Final = "Your prediction"
DIAGNOSIS: Final = "Diagnosis"


EDIT: Final = "Your version"
RESET: Final = "Put the original back"
RESET_ALL: Final = "Start over: original back, record forgotten"
ORIGINAL: Final = "The source as it is given"

RUN: Final = "Check"
MEASURE: Final = "Profile my version with ncu, before and after"
NOTHING_RUN: Final = "Nothing could be run"
TIMES: Final = {"slow": "first version", "mine": "yours", "fast": "last version"}


QUESTION: Final = "Question {at} of {all}"
ANSWERED: Final = {True: "Right.", False: "Not so."}
MARKS: Final = {True: "right", False: "wrong"}
YOURS: Final = "yours"

SOLUTION: Final = "Solution"

LOG: Final = "Experiment log"
LOG_HOW: Final = "Add to the latest version: type seen: …, because: … or next: …"
LOG_PREFIXES: Final = {"seen": "observation", "because": "hypothesis", "next": "next"}
LOG_LABELS: Final = {"observation": "seen", "hypothesis": "because", "next": "next"}

TROUBLE: Final = "That did not work"
UNCLEAR: Final = "That is none of the choices here."
