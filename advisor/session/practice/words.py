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

STORY: Final = "Story"
STANDING: Final = "So far"
BEFORE: Final = "Better before it"
LEVEL: Final = "Level"
TRAINS: Final = "Trains"
STEP_OF_METHOD: Final = "step {step} of the method"
LADDER: Final = "a ladder of {count} versions, each with its own fault"
NOTHING_DONE: Final = "nothing yet"
HINTS_TAKEN: Final = "{taken} of {all} hints"
QUIZ_RIGHT: Final = "{right} of {all} quiz answers right"
POINTS: Final = "{points} of 100 points for the prediction of {step}"
YOUR_VERSION: Final = "your version"
ATTEMPTS: Final = "{count} attempts"
ATTEMPT: Final = "1 attempt"
SOLVED: Final = "solved"
FOLDER: Final = "Yours"
ASKED_LATER: Final = "Before any profile, on paper"

NAPKIN: Final = "On paper"
SIZES: Final = "Recorded at"
CARD: Final = "Card"
COPY: Final = "A copy runs at"
PEAKS: Final = "Peaks"
NUMBER: Final = "{at} of {all}"
SAID: Final = "You said"
IN_FULL: Final = "{typed} (that is {number})"
IT_IS: Final = "It is"
WAY: Final = "The way"
JUDGED: Final = {
    "right": "Right.",
    "close": "Close: {factor:.2f} times what it is.",
    "off": "Off: {factor:.3g} times what it is.",
    "unread": "Compare for yourself: this is not a number that can be judged.",
}
SHOW_WAY: Final = "Show the number and the way to it"
LAST_NUMBER: Final = "These were all."
OR: Final = "; or "
NO_UNIT: Final = "a plain number, without a unit"
NUMBER_OF: Final = "a number of {unit}"
ANY_NUMBER: Final = "a number"
OTHER_UNIT: Final = "Not counted, type it again: this asks for {kinds}."
NO_NUMBER: Final = (
    "This asks for {kinds}. Worked out before the profile, it tells what to look for; Enter alone shows it."
)
TYPE_NUMBER: Final = "a number with its unit, such as 1.3 GB or 310 us; Enter alone shows it"

NUMBERS: Final = "The profile of {step}, without its diagnosis"
RECORDED_ON: Final = "Recorded on {gpu}, ncu {ncu}, {date}; median of {runs} runs: {time}."
LAUNCHED: Final = "Launched as"
SHAPE: Final = "grid {grid}, block {block}"
LOOK_AT: Final = "Look at another version: {step}"
FIND_NUMBERS: Final = "type to find numbers: sectors, stall …; Enter alone goes on"

PREDICT: Final = "Prediction for {step}"
PREDICT_WHY: Final = "What will the diagnosis say? 30 points for the class, 40 for the cause, 30 for the gain."
ASK_CLASS: Final = "Which class is it?"
ASK_CAUSE: Final = "Which cause would you fix first?"
ASK_GAIN: Final = "How many times as fast will it be with that mended? 1 means that there is nothing to gain."
ASK_GAIN_MINE: Final = "How many times as fast as the first version is yours?"
CLASS: Final = "Class"
CAUSE: Final = "Cause"
GAIN: Final = "Gain"
NOTED: Final = "Noted. The answer gives your points."
ONCE_MORE: Final = "Predict anew"
ONE_BACK: Final = "Choose the class anew"
SCORED: Final = "The answer was shown: a prediction for this version counts no more."
TYPE_GAIN: Final = "a factor, such as 2 or 1.3x"
TYPE_CHOICE: Final = "a number, or a part of a name; Enter takes the marked choice"
NO_GAIN: Final = "That is no gain: write a factor between 0 and a million, such as 2.5."
NO_CHOICE: Final = "Nothing among the choices has that."

SHOW_ANSWER: Final = "Show the answer"
SHOW_UNASKED: Final = "Show it without a prediction (no points)"
HIDDEN: Final = "The diagnosis of this version is hidden until you have predicted it."
HIDDEN_READY: Final = "Your prediction is noted. Show the answer to see how it did."
PREDICTED_RIGHT: Final = "{said}, as it is: {points} of {most} points"
PREDICTED: Final = "{said}; it is {found}: {points} of {most} points"
NOT_MEASURED: Final = "not measured"
SCORE: Final = "{total} of 100 points"
PREDICTED_GAIN: Final = "{said}; measured: {found}: {points} of {most} points"
ESTIMATE: Final = "{gain}, as the time model estimates it from the profile"
GAIN_MEASURED: Final = "Points for the gain go by the measured runs, not by an estimate."
FACTOR: Final = "The gain was off by a factor of {factor:.2f}."
PREDICTION: Final = "Your prediction"
NO_PREDICTION: Final = "Nothing was predicted, so there are no points."
DIAGNOSIS: Final = "Diagnosis"
FIX_IS_YOURS: Final = "What to do about it is yours to find: hints help, the solution tells."

HINT: Final = "Hint {at} of {all}"
NO_HINT: Final = "No hint taken yet. They go from vague to plain, and how many you took stays in your record."
NEXT_HINT: Final = "Take the next hint ({left} left)"
LAST_HINT: Final = "That was the last hint."

EDIT: Final = "Your version"
NOT_STARTED: Final = "Starting makes a folder of your own with the source to edit. What is there is never overwritten."
START: Final = "Make my folder"
IN_EDITOR: Final = "Edit in {editor}"
IN_PLACE: Final = "Edit here"
RESET: Final = "Put the original back"
RESET_ALL: Final = "Start over: original back, record forgotten"
SURE: Final = "Yes: {what}"
NOT_SURE: Final = "No, leave all as it is"
SURE_LABEL: Final = "Sure?"
SURE_KEPT: Final = "Your source is kept beside it under another name."
FORGETS: Final = "Attempts, hints, quiz, predictions and log of this exercise are forgotten."
SOURCE: Final = "Source"
ORIGINAL: Final = "The source as it is given"
BESIDE: Final = "Beside it"
UNCHANGED: Final = "as the original"
CHANGED: Final = "What you changed"
PUT_BACK: Final = "The original is there again."
KEPT_AS: Final = "Yours was kept as"

RUN: Final = "Check"
RUN_WHAT: Final = (
    "A check compiles your version, compares its result with the reference and times it beside the first and the last"
    " version. Without an NVIDIA GPU it is compiled only."
)
CHECK: Final = "Check my version"
CHECK_AGAIN: Final = "Check again"
PREDICT_MINE: Final = "Predict what the profile of my version will say"
MEASURE: Final = "Profile my version with ncu, before and after"
NOTHING_RUN: Final = "Nothing could be run"
COMPILED: Final = "It compiles"
COMPILES_NOT: Final = "It does not compile"
PYTHON_ONLY: Final = "The exercise is Python: there is nothing to compile without a GPU."
RECORDED_INSTEAD: Final = "The recorded results of the bundled versions are under Compare."
REGISTERS: Final = "{count} registers"
SPILLS: Final = "{count} bytes of spills"
SHARED: Final = "{count} bytes of static shared memory"
RIGHT: Final = "Right"
WRONG: Final = "Wrong result"
WRONG_TIME: Final = "A wrong kernel's time means nothing, so it is not compared."
TIMES: Final = {"slow": "first version", "mine": "yours", "fast": "last version"}
TIMED: Final = "{time}, from {low} to {high}"
NOT_TIMED: Final = "not timed"
OVER_SLOW: Final = "{factor:.2f} times as fast as the first version"
SAME_AS_SLOW: Final = "no faster or slower than the first version beyond the noise of {noise:.1%}"
TO_WIN: Final = "The last version is {factor:.2f} times as fast as yours."
IS_SOLVED: Final = "Solved: as fast as the last version."
PRINTED: Final = "The kernel printed"
REPORT: Final = "Report"
NOW_FIRST: Final = "First now"

COMPARED: Final = "{before} against {after}, as recorded"
COMPARE_STEPS: Final = "{before} against {after}"

QUESTION: Final = "Question {at} of {all}"
QUIZ_DONE: Final = "{right} of {all} right"
ANSWERED: Final = {True: "Right.", False: "Not so."}
MARKS: Final = {True: "right", False: "wrong"}
YOURS: Final = "yours"

SOLUTION: Final = "Solution"
SOLUTION_EARLY: Final = "You have not tried it yet. The solution can be read all the same."
SOLUTION_LATE: Final = "The explanation and the last version's source."
SHOW_SOLUTION: Final = "Show the solution"
SHOW_ANYWAY: Final = "Show it all the same"
OTHER_STEP: Final = "Show the version {step}"
WHY: Final = "Why"
COSTS: Final = "Costs"
FILE: Final = "File"
AGAINST: Final = "{after} against {before}"

LOG: Final = "Experiment log"
LOG_EMPTY: Final = "Each check or profile of a version that you changed writes a row here. There is none yet."
LOG_HOW: Final = "Add to the latest version: type seen: …, because: … or next: …"
LOG_PREFIXES: Final = {"seen": "observation", "because": "hypothesis", "next": "next"}
LOG_LABELS: Final = {"observation": "seen", "hypothesis": "because", "next": "next"}
NO_ROW: Final = "There is no version in the log yet: change yours and check it first."
ROW: Final = "version {version}, {what}"
LOG_WRONG: Final = "wrong result"

TROUBLE: Final = "That did not work"
OTHER_EXERCISE: Final = "Choose another exercise"
LEAVE: Final = "Back to where you came from"
GO_ON: Final = "a choice, or the name of a stage such as hints; /help for commands"
UNCLEAR: Final = "That is none of the choices here."
CALLED_OFF: Final = "Called off."
FIND: Final = "type to find by name, title, level or state; Enter opens"
LIST_SUMMARY: Final = "{kept} of {all} exercises, {solved} solved"
FIND_NONE: Final = "No exercise matches; Esc empties the line."
PRACTISE_THIS: Final = "Practise it on an exercise: {name}"
