"""The state of the practice view: exercise, stage, typed answers, results."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from advisor.practice.readings import Reading

# Stage -> its name in the list of stages, and its name as a next step.
STAGE_NAMES: Final = {
    "story": ("Story", "Read the story"),
    "napkin": ("Napkin", "Estimate the numbers before profiling"),
    "numbers": ("Profile", "Read the profile's metrics"),
    "predict": ("Predict", "Predict class, cause and speedup"),
    "reveal": ("Answer", "See the answer, and your points"),
    "hints": ("Hints", "Take a hint"),
    "edit": ("Edit", "Fix the code"),
    "run": ("Run", "Check your version"),
    "compare": ("Compare", "Compare the recorded versions (shows what they change)"),
    "quiz": ("Quiz", "Answer the quiz"),
    "solution": ("Solution", "Read the solution"),
    "log": ("Log", "Your experiment log"),
}
LEVELS: Final = {1: "first steps", 2: "intermediate", 3: "hard"}
STATES: Final = {"new": "new", "started": "started", "tried": "tried", "solved": "solved"}

BEFORE: Final = "Do first"
LEVEL: Final = "Level"
STEP_OF_METHOD: Final = "step {step} of the method"
LADDER: Final = "a series of {count} versions, each with its own cause"
BEGINS: Final = {"kernel": "start here for kernels", "timeline": "for timelines", "profile": "for profiles"}
READS: Final = {"timeline": "a timeline to read", "profile": "a profile to judge"}
YOUR_VERSION: Final = "your version"

LOG_HOW: Final = "Add to the latest version: type seen: …, because: … or next: …"
LOG_PREFIXES: Final = {"seen": "observation", "because": "hypothesis", "next": "next"}
LOG_LABELS: Final = {"observation": "seen", "hypothesis": "because", "next": "next"}
STAGES: Final = tuple(STAGE_NAMES)
# The stages of an exercise that is read, with their names.
READ_NAMES: Final = {
    "story": ("Story", "Read the story"),
    "numbers": ("Facts", "Read the recording"),
    "predict": ("Predict", "Say what it shows"),
    "reveal": ("Answer", "See the answer, and your points"),
    "hints": ("Hints", "Take a hint"),
    "log": ("Log", "Your answers and notes"),
}


class Exercising(Struct, frozen=True):
    """The learner's position in the practice view.

    rows: the list (practice.lessons.Row); listed: whether the exercise was opened from it; name: the exercise, empty in
    the list; stage: one of STAGES; step: the version of the code for the profile and the prediction; lesson: the newest
    practice.lessons.Lesson of the exercise. said: typed napkin numbers by index; ways: indices whose derivation was
    shown. picks: class and cause of the unfinished prediction. results: (action, step) to its newest result. sure: the
    reset that waits for confirmation. trouble: why the last request failed. spoilers: whether the list names causes.
    worked: the newest lesson of each exercise of the session, without results, in the order in which they were opened;
    unfinished: exercises that were left with something typed or chosen, which comes back when they are opened again.
    """

    rows: tuple[Any, ...] = ()
    listed: bool = False
    name: str = ""
    stage: str = STAGES[0]
    step: str = ""
    lesson: Any = None
    said: tuple[tuple[int, str], ...] = ()
    ways: tuple[int, ...] = ()
    picks: tuple[tuple[str, str], ...] = ()
    results: tuple[tuple[tuple[str, str], Any], ...] = ()
    sure: str = ""
    trouble: str = ""
    spoilers: bool = False
    worked: tuple[Any, ...] = ()
    unfinished: tuple[Exercising, ...] = ()

    def result(self, action: str, step: str | None = None) -> Any:
        """Return the newest result of an action for this step (None: the current one); None if there is none."""
        key = (action, self.step if step is None else step)
        return next((result for known, result in self.results if known == key), None)

    @property
    def reads(self) -> bool:
        """Return whether the exercise is a recording to read, not a kernel to fix."""
        return self.lesson is not None and isinstance(self.lesson.exercise, Reading)

    @property
    def names(self) -> dict[str, tuple[str, str]]:
        """Return the stages of the exercise, with their names as in STAGE_NAMES."""
        return READ_NAMES if self.reads else STAGE_NAMES

    @property
    def known(self) -> Any:
        """Return the learner's record of the exercise (practice.state.Record), None before it was opened."""
        return None if self.lesson is None else self.lesson.record

    @property
    def prediction(self) -> Any:
        """Return the last prediction for the current step (practice.state.Prediction), None if there is none."""
        if self.lesson is None:
            return None
        return next((p for p in reversed(self.lesson.record.predictions) if p.step == self.step), None)

    def title(self, name: str) -> str:
        """Return the title of a class or cause, its id if it has none."""
        terms = None if self.lesson is None else self.lesson.terms
        return (
            next((title for known, title in (*terms.classes, *terms.causes) if known == name), name) if terms else name
        )

    @property
    def pick(self) -> dict[str, str]:
        """Return the class and cause chosen so far."""
        return dict(self.picks)

    @property
    def revealed(self) -> bool:
        """Return whether the answer for the current step may be shown: it was shown before or in this session."""
        made = self.prediction
        return self.result("reveal") is not None or (made is not None and made.points is not None)
