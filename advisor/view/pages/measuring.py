"""Results of GPU runs as pages: an attempt, a compile check, a learner's profile, a sweep, ceilings, selfcheck."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from advisor.hardware.ceilings import Ceilings
from advisor.practice.attempts import Attempt
from advisor.practice.compiling import NOT_DONE, Build
from advisor.practice.manifest import Exercise
from advisor.practice.overlap import Overlap
from advisor.practice.readings import Reading
from advisor.practice.run import JobResult
from advisor.practice.selfcheck import Judged as JudgedExercise
from advisor.practice.selfcheck import Measured, StepJudged
from advisor.practice.sweep import Point, Sweep
from advisor.profiling.failures import Failure
from advisor.reasoning.time_model.noise import Judged, spread
from advisor.records.diagnosis import Diagnosis
from advisor.view.blocks import (
    BarRow,
    Bars,
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Fact,
    Facts,
    Page,
    Paragraph,
    Plain,
    Table,
    Tone,
    section,
)
from advisor.view.numbers import (
    counted,
    percent_text,
    rate_text,
    share_text,
    speedup_text,
    time_range_text,
    time_text,
)
from advisor.view.pages.diagnosis import diagnosis_page

_COMMAND = "ncu-advisor practice"
_REMARKS, _PRINTED = 5, 10
_OVERLAP = {
    "overlap": "The halves overlap: work on the longer one.",
    "partial": "The halves overlap in part.",
    "none": "The halves do not overlap: at best, the time is that of the longer one.",
    "latency": "The kernel takes longer than both halves together: it adds latency.",
}


def failure_blocks(failure: Failure) -> list[Block]:
    """Return the failure in one line, or each compile error with its source line."""
    errors = [r for r in failure.remarks if r.severity == "error"]
    if not errors:
        return [Paragraph(failure.words, "bad")]
    out: list[Block] = []
    for remark in errors[:_REMARKS]:
        out.append(Paragraph(f"{Path(remark.file).name}:{remark.line}: {remark.text}", "bad"))
        source = _line(Path(remark.file), remark.line)
        out += [Code("", remark.line, (source,))] if source else []
    out += [Paragraph(f"… and {len(errors) - _REMARKS} more")] if len(errors) > _REMARKS else []
    return out


def _line(path: Path, number: int) -> str:
    try:
        rows = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return rows[number - 1] if 0 < number <= len(rows) else ""


def attempt_page(one: Exercise, tried: Attempt, onward: bool = True) -> Page:
    """Build the page: the verdict, the three times as bars, then the next step if `onward`."""
    mine = tried.mine
    if mine is None:
        return Page("", tuple(failure_blocks(tried.outcome.failure or Failure("nothing", "nothing was run"))), ())
    printed: list[Block] = []
    if tried.outcome.printed:
        printed = [Paragraph("The kernel printed:"), Plain(tuple(tried.outcome.printed[-_PRINTED:]))]
    again = Paragraph(f"Next: fix it, then {_COMMAND} check {one.number}", "lead")
    if mine.failure is not None:
        return Page("", (*failure_blocks(mine.failure), *printed, again), ())
    if mine.wrong:
        wrong = Paragraph(f"Wrong result: {mine.wrong}.", "bad")
        why = Paragraph("The time of a wrong kernel is not compared.")
        return Page("", (wrong, why, *printed, *([again] if onward else [])), ())
    stages = one.stages
    rows = [(f"slow ({stages[0].id})", tried.slow), ("yours", mine), (f"fast ({stages[-1].id})", tried.fast)]
    blocks: list[Block] = [Paragraph(_verdict(tried), "lead"), _times(rows)]
    kernels = "; ".join(
        f"{k.name}: {counted(k.registers, 'register')}, {counted(k.shared_bytes, 'byte')} shared, "
        f"{counted(k.local_bytes, 'byte')} local"
        for k in mine.kernels
    )
    blocks += [Paragraph(f"Yours: {kernels}")] if kernels else []
    if onward:
        text, then = ("shows what changed", "solution") if tried.solved else ("shows where the time goes", "hint")
        more = f"{_COMMAND} {then} {one.number} {'explains it' if tried.solved else 'helps'}"
        blocks.append(Paragraph(f"Next: {_COMMAND} profile {one.number} {text}; {more}.", "lead"))
    return Page("", (*blocks, *printed), ())


def _verdict(tried: Attempt) -> str:
    over, to = tried.over_slow, tried.to_fast
    if over is None:
        return "Correct. The slow version could not be timed, so there is no comparison."
    text = f"Correct; {_against(over, 'the slow version')}."
    if to is None:
        return text
    if not tried.solved:
        return f"{text} The bundled solution has a speedup of {speedup_text(to.speedup)} over yours."
    if to.word == "same":
        return f"{text} Solved."
    word = {"faster": "slower", "slower": "faster"}[to.word]
    turned = Judged(word, 1 / to.speedup, to.noise)  # type: ignore[arg-type]
    return f"{text} Solved; {_against(turned, 'the bundled solution')}."


def _against(judged: Judged, other: str) -> str:
    if judged.word == "same":
        return f"no difference from {other} beyond the noise of {share_text(judged.noise)}"
    return f"speedup over {other}: {speedup_text(judged.speedup)}"


def _times(rows: Sequence[tuple[str, JobResult | None]]) -> Bars:
    timed = [job for _, job in rows if job is not None and job.times_ns]
    longest = max(job.time_ns for job in timed)
    bars = []
    for label, job in rows:
        if job is None or not job.times_ns:
            why = job.failure.words if job is not None and job.failure is not None else ""
            bars.append(BarRow(label, None, "not timed", why, total=True))
            continue
        seen = spread(job.times_ns)
        note = time_range_text(seen.low, seen.high)
        bars.append(BarRow(label, job.time_ns / longest, time_text(seen.median), note, total=True))
    runs = len(timed[0].times_ns)
    return Bars(
        f"Median of {counted(runs, 'run')} each and their range; L2 is filled with other data before each run",
        tuple(bars),
    )


def build_page(build: Build) -> Page:
    """Build the page of a compile check: registers, spills and shared memory, or the errors; and skipped steps."""
    if build.failure is not None:
        return Page("", tuple(failure_blocks(build.failure)), ())
    lines = []
    for k in build.kernels:
        facts = (
            (k.registers, "registers"),
            (k.spill_bytes, "bytes of spills"),
            (k.stack_bytes, "bytes of stack"),
            (k.shared_bytes, "bytes of static shared memory"),
        )
        lines.append(f"{k.name}: {', '.join(f'{value} {what}' for value, what in facts if value is not None)}")
    lines += [f"{Path(r.file).name}:{r.line}: {r.severity}: {r.text}" for r in build.warnings]
    head = Paragraph(f"{build.source.name} compiles for {build.arch} ({build.compiler}).", "lead")
    found = [Bullets(tuple(lines))] if lines else []
    return Page("", (head, *found, Paragraph(f"{NOT_DONE[0].upper()}{NOT_DONE[1:]}.")), ())


def profile_page(diagnosis: Diagnosis) -> Page:
    """Build the diagnosis of the learner's version, without the report's path and open questions."""
    launches = tuple(replace(launch, questions=()) for launch in diagnosis.launches)
    return diagnosis_page(dataclasses.replace(diagnosis, reports=(), launches=launches), sections=None)


def after_profile(one: Exercise, report: Path | None) -> Page:
    """Build the page with the report's path, which is never cut, and the next step."""
    text = f"Next: {_COMMAND} log {one.number} --hypothesis TEXT --next TEXT stores your notes; then edit and check."
    path = Plain((str(report),), whole=True)
    return Page("", (Paragraph("The report, before and after:"), path, Paragraph(text, "lead")), ())


def sweep_page(found: Sweep, one: Exercise) -> Page:
    """Build a table with one row per point: * marks the fastest, and failed points have a reason."""
    profiled = any(p.metrics for p in found.points)
    columns = [Column("Point"), Column("Time", True), Column("Speedup", True), Column("Registers", True)]
    columns += [Column("Occupancy", True)] if profiled else []
    rows = tuple(_point(point, found, profiled) for point in found.points)
    notes = tuple((point.problem,) if point.problem else () for point in found.points)
    blocks: list[Block] = [Table(tuple(columns), rows, notes=notes)]
    if found.best is not None and found.best.judged is not None:
        best = f"Best: {found.best.label}, a speedup of {speedup_text(found.best.judged.speedup)} over the source."
        blocks += [Paragraph(best, "lead")]
        blocks += [Paragraph(f"Next: apply it to the source, then {_COMMAND} check {one.number}")]
    else:
        blocks.append(Paragraph("No point is faster than the source as written beyond the noise."))
    blocks += [Facts(tuple(Fact("Caveat", note, "warn") for note in found.notes))] if found.notes else []
    if found.report is not None and profiled:
        blocks += [Paragraph("The report of all points:"), Plain((str(found.report),), whole=True)]
    return Page("", tuple(blocks), ())


def _point(point: Point, found: Sweep, profiled: bool) -> tuple[Cell, ...]:
    best = found.best is not None and point.vary == found.best.vary
    tone: Tone = "lead" if best else "plain"
    achieved = dict(point.metrics).get("occupancy_achieved_pct")
    cells = [
        Cell(f"{'* ' if best else '  '}{point.label}", tone=tone),
        Cell(time_text(point.time.median) if point.time is not None else "-"),
        Cell(speedup_text(point.judged.speedup) if point.judged is not None else "-"),
        Cell(str(point.registers) if point.registers is not None else "-"),
    ]
    return (*cells, Cell(share_text(achieved / 100) if achieved is not None else "-")) if profiled else tuple(cells)


def ceilings_page(found: Ceilings, path: Path) -> Page:
    """Build the page of the GPU's measured rates and the path of their file."""
    kinds = (
        ("read", found.read, "byte/s"),
        ("copy", found.copy, "byte/s"),
        ("fp32", found.fp32, "flop/s"),
        ("fp64", found.fp64, "flop/s"),
    )
    rows = tuple(
        (
            Cell(name),
            Cell(rate_text(ceiling.rate, unit), ceiling.rate),
            Cell(f"{rate_text(ceiling.low, unit)} – {rate_text(ceiling.high, unit)}"),
            Cell(str(ceiling.runs), ceiling.runs),
        )
        for name, ceiling, unit in kinds
    )
    columns = (Column("Ceiling"), Column("Rate", True), Column("Range"), Column("Runs", True))
    notes = (
        Paragraph("read: bytes read; copy: bytes read and written together; a multiply-add counts as two operations."),
        Paragraph("Diagnoses and napkin estimates on this machine now use them as this GPU's ceilings."),
        Paragraph("Stored in:"),
        Plain((str(path),), whole=True),
    )
    return Page(f"{found.gpu} (CC {found.cc})", (Table(columns, rows), *notes), ())


def status_of(step: StepJudged) -> str:
    """Return `FAIL`, `pending` or `ok`."""
    return "FAIL" if step.problems else "pending" if step.pending else "ok"


def overlap_text(found: Overlap) -> str:
    """Return the verdict of the memory-only / math-only experiment with its three times."""
    unsure = "" if found.sure else " The noise of the times allows another verdict."
    small = "" if found.visible else " The shorter half is too short to show its overlap."
    return (
        f"{_OVERLAP[found.word]} Full {time_text(found.full_ns)}; the longer half ({found.longer}) "
        f"{time_text(found.best_ns)}, both together {time_text(found.worst_ns)}: "
        f"{share_text(max(0.0, found.hidden))} of the shorter half is hidden.{unsure}{small}"
    )


def selfcheck_page(judged: Sequence[JudgedExercise]) -> Page:
    """Build a table with one row per step of each exercise, problems below it, and the total at the end."""
    columns = (Column("Step"), Column("Time", True), Column("Speedup", True), Column("First finding"), Column("Status"))
    parts = []
    for one in judged:
        rows = tuple(
            (
                Cell(s.step.id),
                Cell(time_text(s.time_ns) if s.time_ns else "-"),
                Cell(speedup_text(s.ratio) if s.ratio is not None else "-"),
                Cell(s.first or "-"),
                Cell(status_of(s), tone="bad" if s.problems else "plain"),
            )
            for s in one.steps
        )
        notes = tuple(tuple(_step_notes(s)) for s in one.steps)
        overlap = Paragraph(overlap_text(one.overlap)) if one.overlap is not None else None
        problems = [Paragraph(f"Problem: {problem}", "bad") for problem in one.problems]
        parts.append(section(one.exercise.name, [Table(columns, rows, notes=notes), overlap, *problems], level=3))
    bad = sum(1 for j in judged if not j.ok)
    pending = sum(1 for j in judged for s in j.steps if s.pending)
    verb = "shows what it claims" if len(judged) - bad == 1 else "show what they claim"
    text = f"{len(judged) - bad} of {len(judged)} exercises {verb}"
    text += f", {counted(pending, 'step')} pending." if pending else "."
    return Page("", (), (*parts, section("", [Paragraph(text, "bad" if bad else "lead")])))


def _step_notes(step: StepJudged) -> Iterator[str]:
    for name, share in (step.reached or {}).items():
        yield f"{percent_text(100 * share)} of {name}"
    for problem in step.problems:
        yield f"Problem: {problem}"


def readme(judged: Sequence[JudgedExercise], measured: Sequence[Measured], read: Sequence[Reading]) -> str:
    """Return kernels/README.md: the measurements of every kernel exercise, how to recreate the table, and the rest."""
    gpus = sorted({m.gpu for m in measured})
    out = [
        "# The exercises",
        "",
        f"{len(judged)} exercises, each slow for a known reason, measured on {', '.join(gpus)}: median of 20 runs",
        "between events, the L2 cache filled with other data before each. *speedup* is over the step above. "
        "*estimate* is",
        "the advisor's estimate for the fix of the first finding, from the profile alone (with the napkin numbers",
        "where an exercise supplies them). Made by `ncu-advisor practice selfcheck --readme kernels/README.md`.",
        "",
        "| exercise | step | time | speedup | first finding | estimate | of the limit |",
        "| --- | --- | ---: | ---: | --- | ---: | --- |",
    ]
    for j in judged:
        for at, s in enumerate(j.steps):
            name = f"[{j.exercise.name}]({j.exercise.name}/exercise.yaml)" if at == 0 else ""
            beside = " (beside)" if s.step.beside else ""
            ratio = f"{s.ratio:.2f}" if s.ratio is not None else ""
            estimate = f"{s.gain:.2f}" if s.gain is not None else ""
            reached = ", ".join(f"{v:.0%} of {k}" for k, v in (s.reached or {}).items())
            cells = (name, s.step.id + beside, time_text(s.time_ns), ratio, f"`{s.first}`", estimate, reached)
            out.append("| " + " | ".join(cells) + " |")
    return "\n".join([*out, *_recordings(read)]) + "\n"


def _recordings(read: Sequence[Reading]) -> list[str]:
    """Return the table of the exercises that are read, without their answers."""
    out = [
        "",
        "## Recordings to read",
        "",
        f"{len(read)} exercises need no GPU: say what a timeline shows, or what is wrong with a profile. The timelines",
        "are synthetic, the profiles are launches of the recordings above, some of them changed: both are built by",
        "`python -m tests.bench.reading_exercises`.",
        "",
        "| no. | exercise | kind | title |",
        "| ---: | --- | --- | --- |",
    ]
    return out + [f"| {x.number} | [{x.name}]({x.name}/reading.yaml) | {x.kind} | {x.title} |" for x in read]
