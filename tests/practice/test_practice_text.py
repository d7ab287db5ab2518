"""Every text of every exercise fits the terminal; only paths, which are there to be copied, may be longer."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.cli.practice import listing
from advisor.hardware.ceilings import Ceiling, Ceilings
from advisor.knowledge.base import catalog
from advisor.practice import compiling, workshop
from advisor.practice.attempts import Attempt
from advisor.practice.compiling import Build, Kernel
from advisor.practice.exercise_list import kind_of, where_to_begin
from advisor.practice.lessons import terms_of
from advisor.practice.manifest import Exercise, bundled_text, exercise, home, names
from advisor.practice.predictions import score
from advisor.practice.run import JobResult, Outcome
from advisor.practice.state import LogRow, Prediction, Record, Store
from advisor.practice.sweep import Point, Sweep
from advisor.practice.tasks import Kernel as Compiled
from advisor.practice.tasks import Variation
from advisor.profiling.failures import Failure, Remark
from advisor.reasoning.time_model.noise import spread, verdict
from advisor.view.blocks import Page
from advisor.view.pages import measuring
from advisor.view.pages import practice as words
from advisor.view.writers.terminal import terminal_text

WIDTHS = (60, 80, 110)


def fits(page: Page, width: int, *paths: Path) -> str:
    """The text of the page, of which no line is too long but those with a path."""
    text = terminal_text(page, width=width)
    for line in text.splitlines():
        assert len(line) <= width or any(str(p) in line for p in paths), f"{len(line)} > {width}: {line}"
    assert "\x1b" not in text and "\t" not in text
    assert [line for line in text.splitlines() if line != line.rstrip()] == []
    return text


def record_of(one: Exercise) -> Record:
    """A learner who has done everything once."""
    said = Prediction("mine", "latency_bound", "memory_latency", 2.0, 40, "dram_bound", "memory_latency", 3.0)
    row = LogRow(1, "a" * 12, "profiled", True, 123456.7, 0.012, "seen " * 30, "because " * 20, "next " * 20)
    return Record(folder="/x", hints=2, attempts=3, solved=True, predictions=[said], log=[row])


@pytest.mark.parametrize("width", WIDTHS)
def test_the_list_fits(width: int) -> None:
    found = [exercise(name) for name in names()]
    fits(words.list_page(found, {e.name: record_of(e) for e in found}), width)


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("width", WIDTHS)
def test_every_text_of_an_exercise_fits(name: str, width: int) -> None:
    one = exercise(name)
    record = record_of(one)
    fits(words.story_page(one, record), width, Path("/x"))
    fits(words.napkin_page(one), width)
    fits(words.hints_page(one, 1), width)
    fits(words.hints_page(one, len(one.hints)), width)
    fits(words.quiz_page(one), width)
    fits(words.quiz_result(one, 1), width)
    fits(words.log_page(one, record.log), width)
    fits(words.log_page(one, []), width)
    for own in (False, True):
        fits(words.before_prediction(one, one.stages[0].id, own, terms_of(None)), width)
    for question in one.quiz:
        for at in range(len(question.answers)):
            fits(words.reasons_page(question, at), width)
    for step in one.steps:
        fits(words.after_recorded_profile(one, step, record, 2.5), width)
        path = home(name) / step.source
        text, first = bundled_text(name, step.source), bundled_text(name, one.stages[0].source)
        shown = fits(words.solution_page(one, step, one.stages[0], path, text, first), width, path)
        assert "".join(text.split()) in "".join(shown.split()), "no character of the source is lost"


def test_long_lists_of_choices_become_columns() -> None:
    causes = {k: d.title for k, d in catalog().diagnoses.items()}
    for width in WIDTHS:
        lines = listing(causes, width)
        assert all(len(line) <= width for line in lines)
        assert sorted(" ".join(lines).split()) == sorted(causes)
    assert len(listing(causes, 80)) < 23, "it fits a small terminal"
    assert listing({"a": "First", "bc": "Second"}, 80) == ["  a   First", "  bc  Second"]


def test_a_start_and_a_reset_tell_whole_paths(tmp_path: Path) -> None:
    one = exercise("small-launches")
    shop, _ = workshop.start(one, Store(tmp_path), tmp_path / ("deep" * 20))
    text = fits(words.started_page(one, shop, True), 60, shop.folder)
    assert all(str(path) in text for path in (shop.source, *shop.extra))
    shop.source.write_text("# mine\n", encoding="utf-8")
    kept = workshop.reset(shop)
    assert str(kept[0]) in terminal_text(words.reset_page(one, kept, True), width=60)


def runs(nanoseconds: float) -> tuple[float, ...]:
    return (nanoseconds, nanoseconds * 1.01, nanoseconds * 0.99)


def tried(mine: JobResult | None, failure: Failure | None = None, printed: tuple[str, ...] = ()) -> Attempt:
    slow = JobResult("e", "slow", times_ns=runs(2e6), correct=None)
    fast = JobResult("e", "fast", times_ns=runs(1e6))
    timed = mine is not None and mine.times_ns
    over = verdict(spread(slow.times_ns), spread(mine.times_ns)) if mine is not None and timed else None
    left = verdict(spread(mine.times_ns), spread(fast.times_ns)) if mine is not None and timed else None
    return Attempt(Outcome(failure=failure, printed=printed), mine, slow, fast, over, left)


KERNEL = Compiled("a_kernel_with_a_very_long_name_that_goes_on_and_on", 255, 1024, 49152)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    "mine",
    [
        JobResult("e", "mine", correct=True, times_ns=runs(1e6), kernels=(KERNEL, KERNEL)),
        JobResult("e", "mine", correct=True, times_ns=runs(1.5e6)),
        JobResult("e", "mine", correct=True, times_ns=runs(2e6)),
        JobResult("e", "mine", correct=True, times_ns=runs(9e9)),
        JobResult("e", "mine", correct=False, changed=("particles",), times_ns=runs(1e6)),
        JobResult("e", "mine", failure=Failure("never_ends", "the kernel did not end " * 9)),
        JobResult("e", "mine", failure=Failure("compile", "x", (Remark("/a/b.cu", 7, "error", "expected " * 20),))),
    ],
)
def test_an_attempt_fits(width: int, mine: JobResult) -> None:
    one = exercise("capped-occupancy-registers")
    text = fits(measuring.attempt_page(one, tried(mine, printed=("y" * 200, "z\x1b[2J"))), width)
    assert "practice check" in text or "practice profile" in text


def test_a_compile_error_shows_the_line_that_it_is_about(tmp_path: Path) -> None:
    path = tmp_path / "mine.cu"
    path.write_text("one\n\tint x = y;\x1b[2J\n", encoding="utf-8")
    error = Failure("compile", "w", tuple(Remark(str(path), 2, "error", f"no y {i}") for i in range(7)))
    text = terminal_text(Page("", tuple(measuring.failure_blocks(error)), ()))
    assert text.splitlines()[:3] == ["mine.cu:2: no y 0", "", "  2      int x = y;\\x1b[2J"]
    assert "… and 2 more" in text
    gone = Failure("compile", "w", (Remark(str(tmp_path / "gone.cu"), 1, "error", "lost"),))
    assert terminal_text(Page("", tuple(measuring.failure_blocks(gone)), ())) == "gone.cu:1: lost\n"


@pytest.mark.parametrize("width", WIDTHS)
def test_what_was_measured_fits(width: int, tmp_path: Path) -> None:
    one = exercise("capped-occupancy-registers")
    base = spread(runs(1e6))
    judged = verdict(base, spread(runs(5e5)))
    best = Point(Variation(block=1024), spread(runs(5e5)), 32, judged, metrics=(("occupancy_achieved_pct", 97.2),))
    bad = Point(Variation(registers=168), None, None, None, "the block does not fit on an SM: " * 5)
    first = Point(Variation(), base, 64, verdict(base, base))
    found = Sweep(Outcome(), (first, best, bad), best, ("mine.cu: a note " * 8,), report=tmp_path / "r")
    text = fits(measuring.sweep_page(found, one), width, tmp_path)
    assert "* block 1024" in text and "97 %" in text and "Best: block 1024, a speedup of 2.0×" in text
    rate = Ceiling(4.3e12, 4.2e12, 4.4e12, 0.01, 20)
    cards = Ceilings("NVIDIA " + "H200 " * 9, "9.0", "2026-01-02T03:04:05", "13000", rate, rate, rate, rate)
    fits(measuring.ceilings_page(cards, tmp_path), max(width, 80), tmp_path)
    kernels = (Kernel("k" * 30, 255, 0, 1280, 49152), Kernel("unknown", None, None, None, None))
    build = Build(Path("mine.cu"), "sm_90", "NVRTC", kernels, (Remark("/a/mine.cu", 3, "warning", "unused " * 9),))
    fits(measuring.build_page(build), width)
    assert compiling.summary([build]) == f"sm_90: {'k' * 30}: 255 registers, 1,280 bytes of spills; unknown"
    fits(measuring.after_profile(one, tmp_path / "r"), width, tmp_path)


def test_a_score_says_how_far_off_each_part_was(tour_launch: object) -> None:
    from advisor.records.diagnosis import LaunchDiagnosis

    assert isinstance(tour_launch, LaunchDiagnosis)
    said = Prediction("tile", "latency_bound", "bank_conflicts", 4.0)
    result = score("latency_bound", "bank_conflicts", 4.0, actual_class="x", actual_cause="bank_conflicts",
                   others=["bank_conflicts"], actual_speedup=2.0)  # fmt: skip
    text = fits(words.score_page(said, tour_launch, 2.0, result, (30, 40, 30)), 80)
    assert "0 of 30" in text and "40 of 40" in text and "15 of 30" in text
    assert "55 of 100 points. The speedup was off by a factor of 2." in text


@pytest.fixture
def tour_launch(tour: object) -> object:
    return tour.diagnosis.launches[4]  # type: ignore[attr-defined]


def test_the_list_says_where_a_kernel_programmer_begins() -> None:
    found = [exercise(name) for name in names()]
    first = min(one.number for one in found if kind_of(one) == "kernel")
    page = terminal_text(words.list_page(found, {}), width=80)
    assert f"Start here  {first}. " in page and f"practice show {first}" in page.rpartition("Next:")[2]
    begin = where_to_begin([("kernel", 33, "solved"), ("kernel", 34, "new"), ("kernel", 35, "started")])
    assert begin == {"kernel": 35} and where_to_begin([("kernel", 33, "solved")]) == {}
