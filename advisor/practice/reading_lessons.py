"""The actions of a learner on an exercise that is read: see the facts, answer, see the diagnosis and the points."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.practice.reading_answers import Answered, Shown, choices, estimate_ns, score_answer
from advisor.practice.reading_recordings import shown
from advisor.practice.readings import STEP, Reading
from advisor.practice.state import Prediction, Record, Store, add, latest
from advisor.records.errors import UsageError

# Actions of `lessons.ACTIONS` that an exercise of this kind has.
ACTIONS = ("open", "look", "profile", "predict", "reveal", "hint", "log")


def predict_reading(store: Store, one: Reading, answer: str, estimate: str) -> Prediction:
    """Store an answer. Raises UsageError if it was scored before, or is not a choice, or if the time is missing."""
    known = latest(store.record(one.name), STEP)
    if known is not None and known.points is not None:
        raise UsageError(f"exercise {one.number}: the answer was already shown, and yours scored {known.points} points")
    if answer not in {name for name, _ in choices(one)}:
        listed = f"`ncu-advisor practice show {one.number}` lists them"
        raise UsageError(f"{answer[:40]!r} is not one of the answers: {listed}")
    time = estimate_ns(estimate) if one.estimate is not None else None
    made = Prediction(STEP, "", answer, 1.0, estimate=time)

    def note(record: Record) -> None:
        record.predictions = [*(p for p in record.predictions if p.points is not None), made]

    store.change(one.name, note)
    return made


def reveal_reading(store: Store, one: Reading) -> Answered:
    """Score the stored answer once, write it to the log, and return it with the recording."""
    found = shown(one)
    said = latest(store.record(one.name), STEP)
    if said is None:
        return Answered(found)
    score = score_answer(said.cause, said.estimate, found)

    def note(record: Record) -> Prediction:
        made = latest(record, STEP)
        assert made is not None
        if made.points is None:
            right = made.cause == found.answer
            made.points, made.actual_cause, made.actual_estimate = score.total, found.answer, found.time
            record.attempts += 1
            record.solved = record.solved or right
            add(record, f"{one.name}-{record.attempts}", "answer", right=right)
        return made

    return Answered(found, store.change(one.name, note), score)


def perform(store: Store, one: Reading, action: str, arguments: Mapping[str, str]) -> Shown | Answered | None:
    """Perform one of ACTIONS that is not the same for every exercise."""
    if action == "profile":
        return shown(one)
    if action == "predict":
        predict_reading(store, one, arguments.get("cause", ""), arguments.get("estimate", ""))
    if action == "reveal":
        return reveal_reading(store, one)
    return None
