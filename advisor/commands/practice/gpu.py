"""The half of `practice` that needs a GPU: check, profile, sweep, calibrate."""

from __future__ import annotations

import random

from advisor.commands.practice.face import Face
from advisor.errors import EXIT_CHECK_FAILED, EXIT_DONE
from advisor.practice import attempt, journal, workshop
from advisor.practice.failures import MACHINE
from advisor.practice.manifest import exercise
from advisor.practice.run import Limits, Progress, Runner
from advisor.practice.state import Record, Store
from advisor.quantify.noise import spread
from advisor.render import attempt as words

_STAGES = {
    "start": "starting",
    "inputs": "making inputs",
    "compile": "compiling",
    "reference": "computing the reference",
    "check": "checking",
    "time": "timing",
    "profile": "profiling",
}


def shower(face: Face) -> object:
    """Shows progress on one line of the terminal."""

    def show(now: Progress) -> None:
        passes = f" {now.percent} %" if now.percent else ""
        face.note(f"{_STAGES.get(now.stage, now.stage)} {now.step} ({now.job}/{now.of}){passes}")

    return show


def check(store: Store, name: str, seed: int | None, limit: float, face: Face) -> int:
    """Compile, compare and time the learner's version beside slow and fast; 0 when it is right and as fast."""
    one = exercise(name)
    shop = workshop.opened(one, store)
    seed = seed if seed is not None else random.SystemRandom().randrange(1 << 31)
    digest = shop.digest()
    runner = Runner(limits=Limits(check=limit, time=4 * limit))
    tried = attempt.check(shop, seed, runner, shower(face))  # type: ignore[arg-type]
    face.clear()
    if tried.outcome.failure is not None and tried.outcome.failure.kind in MACHINE:
        return without_gpu(one, shop, tried.outcome.failure, face)
    store.change(name, lambda record: _note(record, digest, tried))
    face.write(words.attempt_text(one, tried, face.width, face.colour, face.blocks))
    return EXIT_DONE if tried.solved else EXIT_CHECK_FAILED


def _note(record: Record, digest: str, tried: attempt.Attempt) -> None:
    record.attempts += 1
    record.solved = record.solved or tried.solved
    mine = tried.mine
    if mine is None:
        return
    if mine.failure is not None:
        journal.add(record, digest, "failed", observation=mine.failure.words[:300])
        return
    runs = spread(mine.times_ns) if mine.times_ns and tried.right else None
    journal.add(
        record,
        digest,
        "checked",
        right=tried.right,
        time_ns=runs.median if runs else None,
        noise=runs.noise if runs else None,
        observation=mine.wrong[:300],
    )
