"""What was measured on a GPU, as text: a sweep's table, ceilings, a compile check, a learner's profile."""

from __future__ import annotations

from pathlib import Path

from msgspec import structs

from advisor.hardware.ceilings import Ceilings
from advisor.practice.compiling import NOT_DONE, Build
from advisor.practice.manifest import Exercise
from advisor.practice.sweep import Point, Sweep
from advisor.records.diagnosis import Diagnosis
from advisor.view.attempt import failure_text
from advisor.view.numbers import time_text
from advisor.view.text import paint, shown, wrap

_COMMAND = "ncu-advisor practice"
_POINT = 19


def build_text(build: Build, width: int, colour: bool) -> str:
    """A compile check: registers, spills and shared memory, or the errors; and what was not done."""
    if build.failure is not None:
        return failure_text(build.failure, width, colour)
    out = [paint(f"{build.source.name} compiles for {build.arch} ({build.compiler}).", "bold", colour)]
    for k in build.kernels:
        facts = [
            f"{value} {what}"
            for value, what in (
                (k.registers, "registers"),
                (k.spill_bytes, "bytes of spills"),
                (k.stack_bytes, "bytes of stack"),
                (k.shared_bytes, "bytes of static shared memory"),
            )
            if value is not None
        ]
        out += wrap(f"{shown(k.name)}: {', '.join(facts)}", width, 2, 4)
    for remark in build.warnings:
        out += wrap(f"{Path(remark.file).name}:{remark.line}: {remark.severity}: {shown(remark.text)}", width, 2, 4)
    out += wrap(f"{NOT_DONE[0].upper()}{NOT_DONE[1:]}.", width)
    return "\n".join(out) + "\n"


def profile_text(diagnosis: Diagnosis, width: int, colour: bool, blocks: bool) -> str:
    """The diagnosis of the learner's version, as `diagnose` would print it without the report's path."""
    from dataclasses import replace

    from advisor.view.pages.diagnosis import diagnosis_page
    from advisor.view.writers.terminal import terminal_text

    launches = tuple(structs.replace(launch, questions=()) for launch in diagnosis.launches)
    page = diagnosis_page(replace(diagnosis, reports=(), launches=launches), sections=None)
    return terminal_text(page, width=width, colour=colour, blocks=blocks)


def after_profile(one: Exercise, report: Path | None, width: int) -> str:
    """Where the report is, which is never cut, and what to do next."""
    text = f"Next: `{_COMMAND} log {one.name} --hypothesis TEXT --next TEXT` keeps what you think, then edit and check."
    return "\n".join(["", f"The report, before and after: {report}", *wrap(text, width, 0, 6)]) + "\n"


def sweep_text(found: Sweep, one: Exercise, width: int, colour: bool) -> str:
    """A row a point, the fastest marked, points that could not run with the reason."""
    with_metrics = any(p.metrics for p in found.points)
    head = f"{'':<2}{'point':<{_POINT}} {'time':>8} {'speedup':>8} {'registers':>9}"
    out = [paint(head + (f" {'occupancy':>10}" if with_metrics else ""), "bold", colour)]
    for point in found.points:
        out += _row(point, found, width, colour, with_metrics)
    out.append("")
    if found.best is not None and found.best.judged is not None:
        best = f"Best: {found.best.label}, {found.best.judged.speedup:.2f} times as fast as written."
        out += [paint(line, "bold", colour) for line in wrap(best, width)]
        out += wrap(f"Next: write it into the source, then `{_COMMAND} check {one.name}`", width, 0, 6)
    else:
        out += wrap("No point is faster than the source as written beyond the noise.", width)
    for note in found.notes:
        out += wrap(f"! {note}", width, 0, 2)
    if found.report is not None and with_metrics:
        out.append(f"The report of all points: {found.report}")
    return "\n".join(out) + "\n"


def _row(point: Point, found: Sweep, width: int, colour: bool, with_metrics: bool) -> list[str]:
    best = found.best is not None and point.vary == found.best.vary
    name = f"{'* ' if best else '  '}{point.label:<{_POINT}} "
    if point.problem:
        lines = wrap(shown(point.problem), width - len(name))
        return [name + lines[0], *(" " * len(name) + line for line in lines[1:])]
    time = time_text(point.time.median) if point.time is not None else "-"
    ratio = f"{point.judged.speedup:.2f}x" if point.judged is not None else "-"
    registers = str(point.registers) if point.registers is not None else "-"
    row = f"{name}{time:>8} {ratio:>8} {registers:>9}"
    if with_metrics:
        achieved = dict(point.metrics).get("occupancy_achieved_pct")
        row += f" {f'{achieved:.0f} %' if achieved is not None else '-':>10}"
    return [paint(row, "bold", colour) if best else row]


def ceilings_text(found: Ceilings, path: Path, width: int, colour: bool) -> str:
    """What the card reached, and where that is kept."""
    rows = (
        ("read", found.read, "B/s"),
        ("copy", found.copy, "B/s"),
        ("fp32", found.fp32, "FLOP/s"),
        ("fp64", found.fp64, "FLOP/s"),
    )
    out = [paint(f"{shown(found.gpu)} (CC {found.cc})", "bold", colour)]
    for name, ceiling, unit in rows:
        out.append(
            f"  {name:<6}{ceiling.rate / 1e12:>8.3f} T{unit:<7} {ceiling.low / 1e12:.3f} to {ceiling.high / 1e12:.3f},"
            f" {ceiling.runs} runs"
        )
    out += wrap("read: bytes read; copy: bytes read and written together; a multiply-add counts two.", width)
    out += wrap("From now on they are this card's ceilings in diagnoses and napkins on this machine.", width)
    out.append(f"Kept in {path}")
    return "\n".join(out) + "\n"
