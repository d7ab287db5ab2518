"""The actions of a learner on exercises, for the commands and the session; each returns a record.

The state file stores hints, answers, predictions, points and solutions. Running a version needs a GPU (see `attempts`).
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from advisor.compare.compare import compare_diagnoses
from advisor.compare.records import Compared
from advisor.hardware import gpus
from advisor.knowledge.base import catalog
from advisor.practice import attempts, profiling, reading_lessons, selfcheck, workshop
from advisor.practice.attempts import Reprofiled
from advisor.practice.compiling import Build
from advisor.practice.exercise_list import kind_of
from advisor.practice.manifest import (
    Exercise,
    RecordFile,
    StepDef,
    all_exercises,
    bundled_text,
    exercise,
    home,
    recording,
)
from advisor.practice.predictions import MINE, NO_CAUSE, NOTHING_TO_FIX, Revealed, class_limits, score
from advisor.practice.reading_answers import choices
from advisor.practice.readings import Reading, find_reading
from advisor.practice.run import OnProgress, Runner
from advisor.practice.selfcheck import Measured
from advisor.practice.state import Prediction, Record, Store, annotate, latest, state_of
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.errors import InputError, UsageError

if TYPE_CHECKING:
    from advisor.reasoning.analysis import Analysis

# Takes the current step, how much of it is done, and the total (0 if unknown).
Tell = Callable[[str, int, int], None]
Arguments = Mapping[str, str]
_KEPT: Final = 3  # number of analysed recordings to cache; each holds its report's frame


class Recorded(Struct, frozen=True):
    """The recorded data of an exercise, the GPU and software that recorded it, and the analysis of its report."""

    measured: Measured
    record: RecordFile
    analysis: Analysis

    def launch(self, step: StepDef) -> LaunchDiagnosis:
        """Return the launch of a step that is judged, with the answers that the exercise gives about it."""
        own = self.measured.steps[step.id].launches
        return next(x for x in self.analysis.diagnosis.launches if x.index == own[step.look_at])


class Solution(Struct, frozen=True):
    """A bundled step: its file and text, and the text of the step before it (`old`)."""

    step: StepDef
    before: StepDef
    path: Path
    text: str
    old: str


class Row(Struct, frozen=True):
    """A row of the exercise list.

    prerequisites: numbers of exercises; state: new, started, tried or solved; points: of the best prediction, or None;
    kind: `kernel`, or that of a Reading.
    """

    number: int
    name: str
    title: str
    level: int
    step: str
    stages: int
    ladder: bool
    prerequisites: tuple[int, ...]
    diagnosis: str
    state: str
    points: int | None
    kind: str = "kernel"


class Yours(Struct, frozen=True):
    """The learner's files: the one to edit, the others, and the unified diff of the first against the original."""

    folder: Path
    source: Path
    extra: tuple[Path, ...]
    changes: tuple[str, ...]


class Terms(Struct, frozen=True):
    """The choices of a prediction as (id, title); limits: the test of each class, as text.

    bandwidth, flops: peaks of the recorded GPU, per second, for the napkin.
    """

    classes: tuple[tuple[str, str], ...]
    causes: tuple[tuple[str, str], ...]
    bandwidth: float | None
    flops: float | None
    limits: tuple[tuple[str, str], ...] = ()


class Lesson(Struct, frozen=True):
    """An exercise after an action, with the result of the action.

    record: the learner's progress; recorded: where the profiles come from; yours: None before the start; original: the
    unmodified source to edit.
    """

    exercise: Exercise | Reading
    record: Record
    recorded: RecordFile | None
    yours: Yours | None
    terms: Terms
    original: str
    result: Any = None


class Profile(Struct, frozen=True):
    """The recorded launch of a step, and the times of its runs in ns."""

    step: str
    launch: LaunchDiagnosis
    times_ns: tuple[float, ...]


class Tried(Struct, frozen=True):
    """A check. attempt: runs on this GPU; builds: the compiled sources if nothing could run (no `attempt.mine`)."""

    attempt: attempts.Attempt
    builds: tuple[Build, ...] = ()


class Beside(Struct, frozen=True):
    """A comparison of two recorded steps. also: what the second does in addition to the fix of the first's finding."""

    before: str
    after: str
    compared: Compared
    also: str = ""


@dataclass
class Lessons:
    """The actions. store: the learner's state; runner: runs the kernels; seed: makes their inputs."""

    store: Store = field(default_factory=Store)
    runner: Callable[[], Runner] = attempts.runner
    seed: Callable[[], int] = attempts.fresh_seed
    _recorded: dict[str, Recorded] = field(default_factory=dict)

    def perform(self, action: str, name: str, arguments: Mapping[str, str], tell: Tell) -> tuple[Row, ...] | Lesson:
        """Perform `list`, or an action of ACTIONS on an exercise. Raises AdvisorError with one line if it fails."""
        if action == "list":
            return self.rows()
        read = find_reading(name)
        if read is not None and action in reading_lessons.ACTIONS:
            return self._read(read, action, arguments, tell)
        one = exercise(name)
        if action not in ACTIONS:
            raise UsageError(f"practice has no action {action[:40]!r}")
        result = ACTIONS[action](self, one, arguments, tell)
        found = recording(one)
        record = found.record if found is not None else None
        return Lesson(
            one, self.store.record(one.name), record, self._yours(one), terms_of(record), _original(one), result
        )

    def rows(self) -> tuple[Row, ...]:
        """Return all exercises, in the recommended order."""
        progress = self.store.read().exercises
        return tuple(_row(one, progress.get(one.name)) for one in all_exercises())

    def _read(self, one: Reading, action: str, arguments: Arguments, tell: Tell) -> Lesson:
        """Perform an action on an exercise that is read."""
        if action in ("profile", "reveal"):
            tell("read", 0, 0)
        result: Any = None
        if action == "hint":
            result = self.hint(one)
        elif action == "log":
            self._annotated(one, arguments)
        else:
            result = reading_lessons.perform(self.store, one, action, arguments)
        terms = Terms((), choices(one), None, None)
        return Lesson(one, self.store.record(one.name), None, None, terms, "", result)

    def _annotated(self, one: Exercise | Reading, arguments: Arguments) -> None:
        texts = [arguments.get(key, "") for key in ("observation", "hypothesis", "next")]
        self.store.change(one.name, lambda record: annotate(record, *texts))

    def of_recording(self, one: Exercise, tell: Tell | None = None) -> Recorded:
        """Return the analysed recording of an exercise. Raises UsageError if this installation has none."""
        if one.name not in self._recorded:
            measured, found = selfcheck.of_recording(one), recording(one)
            if measured is None or found is None:
                raise UsageError(f"{one.name} has no recorded profile in this installation: install ncu-advisor again")
            made = Recorded(measured, found.record, selfcheck.analyse(catalog(), [measured], progress=tell))
            while len(self._recorded) >= _KEPT:
                self._recorded.pop(next(iter(self._recorded)))
            self._recorded[one.name] = made
        return self._recorded[one.name]

    def hint(self, one: Exercise | Reading, all_: bool = False) -> int:
        """Reveal the next hint, or all; return the number revealed so far."""

        def take(record: Record) -> int:
            record.hints = len(one.hints) if all_ else min(len(one.hints), record.hints + 1)
            return record.hints

        return self.store.change(one.name, take)

    def answer(self, one: Exercise, at: int, chosen: int) -> None:
        """Answer a quiz question, both counted from 0; keep the first answer. Raises UsageError if out of range."""
        if not (0 <= at < len(one.quiz) and 0 <= chosen < len(one.quiz[at].answers)):
            raise UsageError(f"{one.name} has no such question or answer")
        self.store.change(one.name, lambda record: record.quiz.setdefault(str(at), chosen))

    def predict(self, one: Exercise, made: Prediction) -> None:
        """Store a prediction; replace one for the same step that was not scored."""

        def note(record: Record) -> None:
            kept = [p for p in record.predictions if p.step != made.step or p.points is not None]
            record.predictions = [*kept, made]

        self.store.change(one.name, note)

    def reveal(
        self, one: Exercise, step: str, launch: LaunchDiagnosis, actual: float | None, digest: str = ""
    ) -> Revealed | None:
        """Score the prediction for a step and store the points, once; return None if there is no prediction.

        actual: the measured speedup; digest: of the learner's source that was profiled, empty for a bundled step.
        """
        known = latest(self.store.record(one.name), step)
        if known is None:
            return None
        causes = [f.id for f in launch.findings if f.kind == "diagnosis"]
        first = causes[0] if causes else ""
        result = score(
            known.class_id,
            known.cause,
            known.speedup,
            actual_class=launch.verdict.id,
            actual_cause=first,
            others=causes,
            actual_speedup=actual,
        )

        def note(record: Record) -> None:
            p = latest(record, step)
            if p is not None and p.points is None:
                p.points, p.digest = result.total, digest
                p.actual_class, p.actual_cause, p.actual_speedup = launch.verdict.id, first, actual

        self.store.change(one.name, note)
        return Revealed(known, launch.verdict.id, first, actual, result)

    def solution(self, one: Exercise, step_id: str, anyway: bool) -> Solution:
        """Return a later step, by default the simplest fix. Raises UsageError before an attempt without `anyway`."""
        if not self.store.record(one.name).attempts and not anyway:
            raise UsageError(
                f"you have not tried exercise {one.number} yet: `ncu-advisor practice check {one.number}` counts as an "
                "attempt; --anyway shows the solution at once"
            )
        step = one.step_of(step_id) if step_id else one.solution

        def note(record: Record) -> None:
            if step.id not in record.solutions:
                record.solutions.append(step.id)

        self.store.change(one.name, note)
        before = one.diff_base(step)
        old = bundled_text(one.name, before.source)
        return Solution(step, before, home(one.name) / step.source, bundled_text(one.name, step.source), old)

    def reset(self, one: Exercise, progress: bool) -> tuple[Path, ...]:
        """Restore the original source; return the paths that the learner's versions were moved to.

        progress: also delete attempts, hints, quiz, predictions and log.
        """
        kept = workshop.reset(workshop.opened(one, self.store))
        if progress:
            self.forget(one)
        return kept

    def forget(self, one: Exercise | Reading) -> None:
        """Delete attempts, hints, quiz, predictions and log."""

        def empty(record: Record) -> None:
            fresh = Record(folder=record.folder)
            for name in Record.__struct_fields__:
                setattr(record, name, getattr(fresh, name))

        self.store.change(one.name, empty)

    def _yours(self, one: Exercise) -> Yours | None:
        try:
            shop = workshop.opened(one, self.store)
            mine = workshop.read_source(shop.source)
        except (
            UsageError,
            InputError,
        ):  # It is not started, or the file is missing or not text, which `start` reports.
            return None
        old, new = _original(one).splitlines(), mine.splitlines()
        changes = tuple(difflib.unified_diff(old, new, "original", "yours", lineterm="", n=2))
        return Yours(shop.folder, shop.source, shop.extra, changes)


def actual_speedup(one: Exercise, step: str, measured: Measured) -> float | None:
    """Return the measured speedup of the version that fixes this step's finding, or None if times are missing.

    That is what the step is `measured_against`; 1.0 after the last stage, and at least 1.0 if nothing needs a fix.
    """
    if step not in {s.id for s in one.stages}:
        return None
    after = one.measured_against(step)
    if after is None:
        return 1.0
    here, there = measured.steps.get(step), measured.steps.get(after.id)
    if here is None or not here.times_ns or there is None or not there.times_ns:
        return None
    gain = median(here.times_ns) / median(there.times_ns)
    return max(1.0, gain) if one.step_of(step).expect in NOTHING_TO_FIX else gain


def _row(one: Exercise | Reading, record: Record | None) -> Row:
    points = [p.points for p in record.predictions if p.points is not None] if record is not None else []
    before = () if isinstance(one, Reading) else one.prerequisites
    return Row(
        one.number,
        one.name,
        one.title,
        one.level,
        one.step,
        len(one.stages),
        one.ladder,
        tuple(exercise(name).number for name in before),
        one.expect if isinstance(one, Reading) else one.diagnosis,
        state_of(record),
        max(points, default=None),
        kind_of(one),
    )


def terms_of(record: RecordFile | None) -> Terms:
    """Return the choices of a prediction, with the peaks of the GPU of a recording."""
    known = catalog()
    causes = [(name, d.title) for name, d in known.diagnoses.items() if d.kind == "diagnosis" and d.scope == "launch"]
    classes = [(name, c.title) for name, c in known.classes.items()]
    name = gpus.known_as(record.gpu, record.cc) if record is not None else ""
    gpu = gpus.gpu(name) if name else None
    bandwidth, flops = (gpu.bandwidth, gpu.peaks.get("fp32")) if gpu is not None else (None, None)
    nothing = (NO_CAUSE, "None: nothing needs a fix")
    by_title = sorted(causes, key=lambda cause: cause[1])
    return Terms(tuple(classes), (nothing, *by_title), bandwidth, flops, tuple(class_limits(known).items()))


def _original(one: Exercise) -> str:
    return bundled_text(one.name, workshop.first_step(one).source)


def _shower(tell: Tell) -> OnProgress:
    return lambda now: tell(now.stage, now.job, now.of)


def _profile(room: Lessons, one: Exercise, arguments: Arguments, tell: Tell) -> Profile:
    step = one.step_of(arguments.get("step") or one.stages[0].id)
    found = room.of_recording(one, tell)
    return Profile(step.id, found.launch(step), found.measured.steps[step.id].times_ns)


def _predict(room: Lessons, one: Exercise, arguments: Arguments, tell: Tell) -> None:
    step = arguments.get("step") or one.stages[0].id
    known = latest(room.store.record(one.name), step)
    if step != MINE and known is not None and known.points is not None:
        raise UsageError(f"the answer for {step} was already shown, and your prediction scored {known.points} points")
    try:
        speedup = float(arguments.get("speedup", ""))
    except ValueError:
        speedup = 0.0
    if not 0 < speedup < 1e6:
        raise UsageError("a gain is a number between 0 and a million, such as 2.5")
    room.predict(one, Prediction(step, arguments.get("class", ""), arguments.get("cause", ""), speedup))


def _reveal(room: Lessons, one: Exercise, arguments: Arguments, tell: Tell) -> tuple[Profile, Revealed | None]:
    shown = _profile(room, one, arguments, tell)
    actual = actual_speedup(one, shown.step, room.of_recording(one, tell).measured)
    return shown, room.reveal(one, shown.step, shown.launch, actual)


def _quiz(room: Lessons, one: Exercise, arguments: Arguments, tell: Tell) -> None:
    try:
        at, chosen = int(arguments.get("at", "")), int(arguments.get("chosen", ""))
    except ValueError:
        raise UsageError("give the number of a question and the number of its answer") from None
    room.answer(one, at, chosen)


def _check(room: Lessons, one: Exercise, arguments: Arguments, tell: Tell) -> Tried:
    shop = workshop.opened(one, room.store)
    tried = attempts.check_and_record(room.store, shop, room.seed(), room.runner(), _shower(tell))
    if tried.mine is not None:
        return Tried(tried)
    tell("compile", 0, 0)
    return Tried(tried, attempts.compiled(room.store, shop))


def _measure(room: Lessons, one: Exercise, arguments: Arguments, tell: Tell) -> Tried | Reprofiled:
    """Profile the learner's version, or return the result of the check if that failed."""
    if profiling.find_ncu() is None:
        raise InputError(profiling.MISSING)
    shop, seed, show = workshop.opened(one, room.store), room.seed(), _shower(tell)
    tried = attempts.check_and_record(room.store, shop, seed, room.runner(), show)
    if tried.mine is None or tried.mine.failure is not None:
        return Tried(tried)
    made = attempts.before_and_after(room.store, shop, tried, seed, room.runner(), show)
    return replace(made, revealed=room.reveal(one, MINE, made.launch, tried.speedup, made.digest))


def _compare(room: Lessons, one: Exercise, arguments: Arguments, tell: Tell) -> Beside:
    """Compare the profiles and runs of two recorded steps, by default the first and its fix."""
    before = one.step_of(arguments.get("before") or one.stages[0].id)
    after = one.step_of(arguments.get("after") or (one.fix_of(before.id) or one.stages[-1]).id)
    also = next((mend.but for mend in after.mends if mend.step == before.id), "")
    found = room.of_recording(one, tell)
    old, new = found.launch(before), found.launch(after)
    whole = found.analysis.diagnosis
    times = tuple(found.measured.steps[step.id].times_ns for step in (before, after))
    compared = compare_diagnoses(
        dataclasses.replace(whole, launches=(old,)),
        dataclasses.replace(whole, launches=(new,)),
        catalog(),
        maps=() if old.kernel == new.kernel else (f"{old.kernel}={new.kernel}",),
        runs=(times[0], times[1]) if all(times) and before.launches == after.launches == 1 else None,
    )
    return Beside(before.id, after.id, compared, also)


ACTIONS: Final[Mapping[str, Callable[[Lessons, Exercise, Arguments, Tell], Any]]] = {
    "open": lambda *_: None,
    "look": lambda *_: None,
    "profile": _profile,
    "predict": _predict,
    "reveal": _reveal,
    "hint": lambda room, one, arguments, tell: room.hint(one),
    "quiz": _quiz,
    "start": lambda room, one, arguments, tell: workshop.start(one, room.store)[1],
    "reset": lambda room, one, arguments, tell: room.reset(one, bool(arguments.get("progress"))),
    "check": _check,
    "measure": _measure,
    "compare": _compare,
    "solution": lambda room, one, arguments, tell: room.solution(
        one, arguments.get("step", ""), bool(arguments.get("anyway"))
    ),
    "log": lambda room, one, arguments, tell: room._annotated(one, arguments),
}
