"""What a learner does without a GPU, as the state file keeps it: hints, answers, predictions, points, solutions.

One door to the practice room for whoever leads a learner through it: an action by name, a record back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from advisor.practice import attempts, workshop
from advisor.practice import state as journal
from advisor.practice.manifest import Exercise, StepDef, bundled_text, exercise, home, names
from advisor.practice.predictions import MINE, Score, score
from advisor.practice.recorded import RecordFile, recording
from advisor.practice.run import OnProgress, Progress, Runner
from advisor.practice.state import Prediction, Record, Store, latest, state_of
from advisor.records.errors import InputError, UsageError

if TYPE_CHECKING:
    from advisor.compare.records import Compared
    from advisor.practice.compiling import Build
    from advisor.practice.recorded import RecordFile
    from advisor.practice.selfcheck import Measured
    from advisor.reasoning.analysis import Analysis
    from advisor.records.diagnosis import LaunchDiagnosis


@dataclass(frozen=True, slots=True)
class Recorded:
    """The recorded data of an exercise, where it was made, and the analysis of its report."""

    measured: Measured
    record: RecordFile
    analysis: Analysis

    def launch(self, step: StepDef) -> LaunchDiagnosis:
        """The launch of a step that is judged, with what the exercise answers about it."""
        own = self.measured.steps[step.id].launches
        return next(x for x in self.analysis.diagnosis.launches if x.index == own[step.look_at])


@dataclass(frozen=True, slots=True)
class Revealed:
    """A prediction beside what the profile says: its points, the class and the first cause, the measured speedup."""

    said: Prediction
    class_id: str
    cause: str
    speedup: float | None
    score: Score


@dataclass(frozen=True, slots=True)
class Solution:
    """A step as bundled: its file and text, and the text of the step before it (`old`)."""

    step: StepDef
    before: StepDef
    path: Path
    text: str
    old: str


def of_recording(one: Exercise, progress: Tell | None = None) -> Recorded:
    """The recorded profile of an exercise, reasoned about; UsageError where this installation has none."""
    from advisor.knowledge.base import catalog
    from advisor.practice import recorded, selfcheck

    measured, found = selfcheck.of_recording(one), recorded.recording(one)
    if measured is None or found is None:
        raise UsageError(f"{one.name} has no recorded profile in this installation: install ncu-advisor again")
    return Recorded(measured, found.record, selfcheck.analyse(catalog(), [measured], progress=progress))


def actual_speedup(one: Exercise, step: str, measured: Measured) -> float | None:
    """How many times as fast the cured version was measured to be; None where times are missing.

    That is the fastest later stage that mends this step's finding, else the next stage; 1.0 after the last.
    """
    ids = [s.id for s in one.stages]
    if step not in ids:
        return None
    later = one.stages[ids.index(step) + 1 :]
    if not later:
        return 1.0
    curing = [s for s in later if any(m.step == step for m in s.mends)] or [later[0]]
    here = measured.steps.get(step)
    times = [median(found.times_ns) for s in curing if (found := measured.steps.get(s.id)) and found.times_ns]
    if here is None or not here.times_ns or not times:
        return None
    return median(here.times_ns) / min(times)


def hint(store: Store, one: Exercise, all_: bool = False) -> int:
    """Take the next hint, or all; how many are taken now."""

    def take(record: Record) -> int:
        record.hints = len(one.hints) if all_ else min(len(one.hints), record.hints + 1)
        return record.hints

    return store.change(one.name, take)


def answer(store: Store, one: Exercise, at: int, chosen: int) -> None:
    """Answer a question of the quiz, both from 0: the first answer stays. UsageError where there is no such thing."""
    if not (0 <= at < len(one.quiz) and 0 <= chosen < len(one.quiz[at].answers)):
        raise UsageError(f"{one.name} has no such question or answer")
    store.change(one.name, lambda record: record.quiz.setdefault(str(at), chosen))


def record_prediction(store: Store, one: Exercise, made: Prediction) -> None:
    """Keep a prediction, in place of one for the same step that was not yet scored."""

    def note(record: Record) -> None:
        kept = [p for p in record.predictions if p.step != made.step or p.points is not None]
        record.predictions = [*kept, made]

    store.change(one.name, note)


def reveal(
    store: Store, one: Exercise, step: str, launch: LaunchDiagnosis, actual: float | None, digest: str = ""
) -> Revealed | None:
    """Score the prediction for a step and keep the points, once; None where nothing was predicted.

    actual: the measured speedup; digest: of the learner's source that was profiled, empty for a bundled step.
    """
    known = latest(store.record(one.name), step)
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

    store.change(one.name, note)
    return Revealed(known, launch.verdict.id, first, actual, result)


def solution(store: Store, one: Exercise, step_id: str, anyway: bool) -> Solution:
    """A later step, the last by default: after an attempt or on request (`anyway`), else UsageError."""
    if not store.record(one.name).attempts and not anyway:
        raise UsageError(
            f"you have not tried {one.name} yet: `ncu-advisor practice check {one.name}` counts as an attempt; "
            f"--anyway shows the solution at once"
        )
    step = one.step_of(step_id) if step_id else one.stages[-1]

    def note(record: Record) -> None:
        if step.id not in record.solutions:
            record.solutions.append(step.id)

    store.change(one.name, note)
    before = one.stages[max(0, [s.id for s in one.stages].index(step.id) - 1)] if step in one.stages else one.stages[0]
    old = bundled_text(one.name, before.source)
    return Solution(step, before, home(one.name) / step.source, bundled_text(one.name, step.source), old)


def forget(store: Store, one: Exercise) -> None:
    """Forget attempts, hints, quiz, predictions and log of an exercise; where the learner's folder is stays known."""

    def empty(record: Record) -> None:
        folder = record.folder
        for name, value in ((f, getattr(Record(), f)) for f in Record.__struct_fields__):
            setattr(record, name, value)
        record.folder = folder

    store.change(one.name, empty)


# What is being done, and how much of how much of it is done (0 where unknown).
Tell = Callable[[str, int, int], None]


_KEPT: Final = 3  # analysed recordings that are kept; each holds its report's frame


@dataclass(frozen=True, slots=True)
class Row:
    """An exercise of the list. state: new, started, tried or solved; points: of the best prediction, None for none."""

    name: str
    title: str
    level: int
    step: str
    stages: int
    ladder: bool
    prerequisites: tuple[str, ...]
    diagnosis: str
    state: str
    points: int | None


@dataclass(frozen=True, slots=True)
class Yours:
    """The learner's files: the one to edit, the others, and how the first differs from what it was (a unified diff)."""

    folder: Path
    source: Path
    extra: tuple[Path, ...]
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Terms:
    """What can be predicted, (id, title) each; peaks: of the recorded card, in units of a second, for the napkin."""

    classes: tuple[tuple[str, str], ...]
    causes: tuple[tuple[str, str], ...]
    bandwidth: float | None
    flops: float | None


@dataclass(frozen=True, slots=True)
class Lesson:
    """Where a learner stands with an exercise after an action, and what that gave.

    record: what the state file holds now; recorded: where the profiles come from; yours: None before a start; original:
    the source to edit as it is given.
    """

    exercise: Exercise
    record: Record
    recorded: RecordFile | None
    yours: Yours | None
    terms: Terms
    original: str
    result: Any = None


@dataclass(frozen=True, slots=True)
class Profile:
    """The recorded launch of a step, and the measured times of its runs in ns."""

    step: str
    launch: LaunchDiagnosis
    times_ns: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Tried:
    """A check. attempt: the runs on this GPU; where nothing could be run (`attempt.mine` is None), what compiled."""

    attempt: attempts.Attempt
    builds: tuple[Build, ...] = ()


@dataclass(frozen=True, slots=True)
class Beside:
    """Two recorded steps compared."""

    before: str
    after: str
    compared: Compared


@dataclass(frozen=True, slots=True)
class Reprofiled:
    """A profile of the learner's version beside the first step's: what to fix in it now, and what changed."""

    launch: LaunchDiagnosis
    compared: Compared
    report: Path | None
    revealed: Revealed | None


@dataclass
class Lessons:
    """The actions. store: the learner's state; runner, seed: how kernels are run, and the seed of their inputs."""

    store: Store
    runner: Callable[[], Runner] = attempts.runner
    seed: Callable[[], int] = attempts.fresh_seed
    _recorded: dict[str, Recorded] = field(default_factory=dict)

    def perform(self, action: str, name: str, arguments: Mapping[str, str], tell: Tell) -> tuple[Row, ...] | Lesson:
        """Do it: `list`, or an action on an exercise (ACTIONS). AdvisorError in one line where it cannot be done."""
        if action == "list":
            return self.rows()
        one = exercise(name)
        if action not in ACTIONS:
            raise UsageError(f"nothing in the practice room is called {action[:40]!r}")
        result = ACTIONS[action](self, one, arguments, tell)
        where = recording(one)
        record = where.record if where is not None else None
        return Lesson(one, self.store.record(name), record, self._yours(one), _terms(record), _original(one), result)

    def rows(self) -> tuple[Row, ...]:
        """All exercises, by level and name."""
        progress = self.store.read().exercises
        found = sorted((exercise(name) for name in names()), key=lambda one: (one.level, one.name))
        return tuple(_row(one, progress.get(one.name)) for one in found)

    def _yours(self, one: Exercise) -> Yours | None:
        try:
            shop = workshop.opened(one, self.store)
            mine = workshop.read_source(shop.source)
        except (UsageError, InputError):  # not started, or the file is gone or no text: starting mends or says it
            return None
        return Yours(shop.folder, shop.source, shop.extra, _changes(one, mine))

    def of_recording(self, one: Exercise, tell: Tell) -> Recorded:
        """The analysed recording of an exercise; the last few are kept."""
        if one.name not in self._recorded:
            made = of_recording(one, tell)
            while len(self._recorded) >= _KEPT:
                self._recorded.pop(next(iter(self._recorded)))
            self._recorded[one.name] = made
        return self._recorded[one.name]


def _row(one: Exercise, record: Record | None) -> Row:
    points = [p.points for p in record.predictions if p.points is not None] if record is not None else []
    return Row(
        one.name,
        one.title,
        one.level,
        one.step,
        len(one.stages),
        one.ladder,
        one.prerequisites,
        one.diagnosis,
        state_of(record),
        max(points, default=None),
    )


def _terms(record: RecordFile | None) -> Terms:
    from advisor.hardware import gpus
    from advisor.knowledge.base import catalog

    known = catalog()
    causes = [(name, d.title) for name, d in known.diagnoses.items() if d.kind == "diagnosis" and d.scope == "launch"]
    classes = [(name, c.title) for name, c in known.classes.items()]
    name = gpus.known_as(record.gpu, record.cc) if record is not None else ""
    card = gpus.gpu(name) if name else None
    bandwidth, flops = (card.bandwidth, card.peaks.get("fp32")) if card is not None else (None, None)
    return Terms(tuple(classes), tuple(sorted(causes, key=lambda cause: cause[1])), bandwidth, flops)


def _original(one: Exercise) -> str:
    return bundled_text(one.name, workshop.first_step(one).source)


def _changes(one: Exercise, mine: str) -> tuple[str, ...]:
    import difflib

    before = _original(one).splitlines()
    return tuple(difflib.unified_diff(before, mine.splitlines(), "original", "yours", lineterm="", n=2))


def shower(tell: Tell) -> OnProgress:
    """Tells what a child process does: its stage, and which job it is at."""

    def show(now: Progress) -> None:
        tell(now.stage, now.job, now.of)

    return show


def _open(room: Lessons, one: Exercise, arguments: Mapping[str, str], tell: Tell) -> None:
    """Nothing but where the learner stands."""


def _profile(room: Lessons, one: Exercise, arguments: Mapping[str, str], tell: Tell) -> Profile:
    step = one.step_of(arguments.get("step") or one.stages[0].id)
    found = room.of_recording(one, tell)
    return Profile(step.id, found.launch(step), found.measured.steps[step.id].times_ns)


def _predict(room: Lessons, one: Exercise, arguments: Mapping[str, str], tell: Tell) -> None:
    step = arguments.get("step") or one.stages[0].id
    known = latest(room.store.record(one.name), step)
    if step != MINE and known is not None and known.points is not None:
        raise UsageError(f"the answer for {step} was shown already, and your prediction got {known.points} points")
    try:
        speedup = float(arguments.get("speedup", ""))
    except ValueError:
        speedup = 0.0
    if not 0 < speedup < 1e6:
        raise UsageError("a gain is a number between 0 and a million, such as 2.5")
    said = Prediction(step, arguments.get("class", ""), arguments.get("cause", ""), speedup)
    record_prediction(room.store, one, said)


def _reveal(room: Lessons, one: Exercise, arguments: Mapping[str, str], tell: Tell) -> tuple[Profile, Any]:
    shown = _profile(room, one, arguments, tell)
    found = room.of_recording(one, tell)
    actual = actual_speedup(one, shown.step, found.measured)
    return shown, reveal(room.store, one, shown.step, shown.launch, actual)


def _hint(room: Lessons, one: Exercise, arguments: Mapping[str, str], tell: Tell) -> None:
    hint(room.store, one)


def _quiz(room: Lessons, one: Exercise, arguments: Mapping[str, str], tell: Tell) -> None:
    try:
        at, chosen = int(arguments.get("at", "")), int(arguments.get("chosen", ""))
    except ValueError:
        raise UsageError("an answer is a question's place and the answer's") from None
    answer(room.store, one, at, chosen)


def _start(room: Lessons, one: Exercise, arguments: Mapping[str, str], tell: Tell) -> bool:
    return workshop.start(one, room.store)[1]


def _reset(room: Lessons, one: Exercise, arguments: Mapping[str, str], tell: Tell) -> tuple[Path, ...]:
    kept = workshop.reset(workshop.opened(one, room.store))
    if arguments.get("progress"):
        forget(room.store, one)
    return kept


def _check(room: Lessons, one: Exercise, arguments: Mapping[str, str], tell: Tell) -> Tried:
    shop = workshop.opened(one, room.store)
    tried = attempts.check_and_record(room.store, shop, room.seed(), room.runner(), shower(tell))
    if tried.mine is not None:
        return Tried(tried)
    tell("compile", 0, 0)
    return Tried(tried, attempts.compiled(room.store, shop))


def _measure(room: Lessons, one: Exercise, arguments: Mapping[str, str], tell: Tell) -> Tried | Reprofiled:
    """Profile the learner's version; what came of the check where that already failed."""
    from advisor.compare.compare import compare
    from advisor.practice import attempts, profiling

    if profiling.find_ncu() is None:
        raise InputError(profiling.MISSING)
    shop, seed = workshop.opened(one, room.store), room.seed()
    digest = shop.digest()
    tried = attempts.check_and_record(room.store, shop, seed, room.runner(), shower(tell))
    if tried.mine is None or tried.mine.failure is not None:
        return Tried(tried)
    made = attempts.before_and_after(shop, tried, seed, room.runner(), shower(tell), profiling.find_ncu())
    if made.failure is not None or made.before is None or made.after is None:
        raise InputError(made.failure.words if made.failure is not None else "ncu wrote no report")
    launch = made.after.diagnosis.launches[0]
    attempts.remember_profile(room.store, one.name, digest, launch)
    slow, mine = tried.slow, tried.mine
    runs = (slow.times_ns, mine.times_ns) if slow is not None and slow.times_ns and mine.times_ns else None
    actual = tried.over_slow.speedup if tried.over_slow is not None else None
    revealed = reveal(room.store, one, MINE, launch, actual, digest)
    return Reprofiled(launch, compare(made.before, made.after, runs=runs), made.report, revealed)


def _compare(room: Lessons, one: Exercise, arguments: Mapping[str, str], tell: Tell) -> Beside:
    """Two recorded steps, by default the first and the last, by their profiles and their runs."""
    from advisor.compare.compare import compare_diagnoses
    from advisor.knowledge.base import catalog

    before = one.step_of(arguments.get("before") or one.stages[0].id)
    after = one.step_of(arguments.get("after") or one.stages[-1].id)
    found = room.of_recording(one, tell)
    old, new = found.launch(before), found.launch(after)
    whole = found.analysis.diagnosis
    times = tuple(found.measured.steps[step.id].times_ns for step in (before, after))
    compared = compare_diagnoses(
        _of_one(whole, old),
        _of_one(whole, new),
        catalog(),
        maps=() if old.kernel == new.kernel else (f"{old.kernel}={new.kernel}",),
        runs=(times[0], times[1]) if all(times) and before.launches == after.launches == 1 else None,
    )
    return Beside(before.id, after.id, compared)


def _of_one(whole: Any, launch: LaunchDiagnosis) -> Any:
    from dataclasses import replace

    return replace(whole, launches=(launch,))


def _solution(room: Lessons, one: Exercise, arguments: Mapping[str, str], tell: Tell) -> Solution:
    return solution(room.store, one, arguments.get("step", ""), bool(arguments.get("anyway")))


def _log(room: Lessons, one: Exercise, arguments: Mapping[str, str], tell: Tell) -> None:
    texts = [arguments.get(key, "") for key in ("observation", "hypothesis", "next")]
    room.store.change(one.name, lambda record: journal.annotate(record, *texts))


ACTIONS: Final[Mapping[str, Callable[[Lessons, Exercise, Mapping[str, str], Tell], Any]]] = {
    "open": _open,
    "look": _open,
    "profile": _profile,
    "predict": _predict,
    "reveal": _reveal,
    "hint": _hint,
    "quiz": _quiz,
    "start": _start,
    "reset": _reset,
    "check": _check,
    "measure": _measure,
    "compare": _compare,
    "solution": _solution,
    "log": _log,
}
