"""A learner's version compiled, checked and profiled, and what came of it written into the experiment log."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from advisor.errors import UsageError
from advisor.model import LaunchDiagnosis
from advisor.practice import attempt, compiling, journal
from advisor.practice.run import Limits, OnProgress, Runner, nothing
from advisor.practice.state import Record, Store
from advisor.practice.workshop import Workshop
from advisor.quantify.noise import spread

USUAL_ARCH = "sm_90"
LIMIT_S = 30.0
# What stops a job and is no fault of its source: nothing was found out about it.
NOT_ITS_FAULT = ("out_of_memory", "slow_child", "old_driver", "no_gpu", "wrong_cupy")
_UNKNOWN_ARCH = re.compile(r"(?i)unsupported gpu architecture|knows no sm_|invalid value for --gpu-architecture")
_LONGEST = 300  # characters of an observation in the log


def fresh_seed() -> int:
    """Fresh random inputs for every check."""
    return random.SystemRandom().randrange(1 << 31)


def runner(limit_s: float = LIMIT_S) -> Runner:
    """A child whose checks may take so long, in seconds."""
    return Runner(limits=Limits(check=limit_s, time=6 * limit_s + 20, profile=2 * limit_s))


def check(store: Store, shop: Workshop, seed: int, use: Runner, show: OnProgress = nothing) -> attempt.Attempt:
    """Run the learner's version beside slow and fast, and write the outcome down."""
    digest = shop.digest()
    tried = attempt.check(shop, seed, use, show)
    if tried.mine is not None:
        store.change(shop.exercise.name, lambda record: _note(record, digest, tried))
    return tried


def compiled(store: Store, shop: Workshop, arch: str = USUAL_ARCH) -> tuple[compiling.Build, ...]:
    """Compile the learner's sources for an architecture without a GPU; none where the exercise is Python.

    An edited source that was compiled counts as an attempt: without a GPU there is no other. Where there is no
    compiler that is the failure of each build. UsageError for an architecture that the compiler does not know.
    """
    sources = [p for p in (shop.source, *shop.extra) if p.suffix == ".cu"]
    builds = tuple(compiling.compile_source(p, arch, lines=p == shop.source) for p in sources)
    failures = [b.failure for b in builds if b.failure is not None]
    if not builds or any(f.kind == compiling.MISSING.kind for f in failures):
        return builds
    if any(_UNKNOWN_ARCH.search(f.detail) for f in failures):
        raise UsageError(f"this {builds[0].compiler} does not know {arch}: give another architecture, or update it")
    if not shop.untouched():
        digest = shop.digest()
        store.change(shop.exercise.name, lambda record: _note_builds(record, digest, builds))
    return builds


def remember_profile(store: Store, name: str, digest: str, launch: LaunchDiagnosis) -> None:
    """Write what a profile of the learner's version says into the log."""
    first = next((f for f in launch.findings if f.kind == "diagnosis"), None)
    told = first.speedup if first is not None else None
    gain = ""
    if told is not None:
        gain = f", {told.estimate:.2g}x to win" if told.estimate < 99.5 else f", {told.estimate:.0f}x to win"
    seen = f"{launch.verdict.id}: {first.id if first is not None else 'no finding'}{gain}"
    store.change(name, lambda record: journal.add(record, digest, "profiled", observation=seen))


def _note_builds(record: Record, digest: str, builds: Sequence[compiling.Build]) -> None:
    record.attempts += 1
    journal.add(record, digest, "compiled", observation=compiling.summary(builds)[:_LONGEST])


def _note(record: Record, digest: str, tried: attempt.Attempt) -> None:
    mine = tried.mine
    if mine is None:
        return
    record.attempts += 1
    record.solved = record.solved or tried.solved
    if mine.failure is not None:
        journal.add(record, digest, "failed", observation=mine.failure.words[:_LONGEST])
        return
    runs = spread(mine.times_ns) if mine.times_ns and tried.right else None
    journal.add(
        record,
        digest,
        "checked",
        right=tried.right,
        time_ns=runs.median if runs else None,
        noise=runs.noise if runs else None,
        observation=mine.wrong[:_LONGEST],
    )
