"""An attempt at an exercise as text: what was right, how long it took beside slow and fast, or what went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from advisor.practice.attempts import Attempt
from advisor.practice.failures import Failure
from advisor.practice.manifest import Exercise
from advisor.practice.run import JobResult
from advisor.reasoning.time_model.noise import Judged, spread
from advisor.view.numbers import time_text
from advisor.view.text import cut, paint, shown, wrap

_COMMAND = "ncu-advisor practice"
_BAR = 30
_REMARKS = 5


def failure_text(failure: Failure, width: int, colour: bool) -> str:
    """The one line of words, and for compile errors each message with the line of the source that it is about."""
    errors = [r for r in failure.remarks if r.severity == "error"]
    if not errors:
        return "\n".join(paint(line, "red", colour) for line in wrap(shown(failure.words), width)) + "\n"
    out = []
    for remark in errors[:_REMARKS]:
        place = f"{Path(remark.file).name}:{remark.line}"
        out += [paint(line, "red", colour) for line in wrap(f"{place}: {shown(remark.text)}", width, 0, 2)]
        source = _line(Path(remark.file), remark.line)
        if source:
            out.append(cut(f"  {remark.line:>4} | {source}", width))
    if len(errors) > _REMARKS:
        out.append(f"… and {len(errors) - _REMARKS} more")
    return "\n".join(out) + "\n"


def _line(path: Path, number: int) -> str:
    try:
        rows = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return shown(rows[number - 1].expandtabs(4).rstrip()) if 0 < number <= len(rows) else ""


def attempt_text(one: Exercise, tried: Attempt, width: int, colour: bool, blocks: bool, onward: bool = True) -> str:
    """The verdict first, then the three times as bars, then (`onward`) what to do next."""
    mine = tried.mine
    if mine is None:
        failure = tried.outcome.failure or Failure("nothing", "nothing was run")
        return failure_text(failure, width, colour)
    again = "\n".join(wrap(f"Next: mend it, then `{_COMMAND} check {one.name}`", width, 0, 6)) + "\n"
    if mine.failure is not None:
        return failure_text(mine.failure, width, colour) + _printed(tried.outcome.printed, width) + again
    out: list[str] = []
    if mine.wrong:
        out += [paint(line, "red", colour) for line in wrap(f"Wrong result: {mine.wrong}.", width)]
        out += wrap("A wrong kernel's time means nothing, so it is not compared.", width)
        return "\n".join(out) + "\n" + _printed(tried.outcome.printed, width) + (again if onward else "")
    out += [paint(line, "bold", colour) for line in wrap(_verdict(tried), width)]
    stages = one.stages
    rows = [(f"slow ({stages[0].id})", tried.slow), ("yours", mine), (f"fast ({stages[-1].id})", tried.fast)]
    out += ["", *_bars(rows, width, blocks)]
    kernels = "; ".join(
        f"{k.name}: {k.registers} registers, {k.shared_bytes} bytes shared, {k.local_bytes} bytes local"
        for k in mine.kernels
    )
    if kernels:
        out += ["", *wrap(f"Yours: {kernels}", width, 0, 2)]
    out += ["", *wrap(_next(one, tried), width, 0, 6)] if onward else []
    return "\n".join(out) + "\n" + _printed(tried.outcome.printed, width)


def _verdict(tried: Attempt) -> str:
    over, to = tried.over_slow, tried.to_fast
    if over is None:
        return "Right. The slow version could not be timed beside it."
    text = f"Right, and {_against(over, 'the slow version')}"
    if to is None:
        return text + "."
    if tried.solved:
        return text + (
            ": solved." if to.word == "same" else f": solved, {_against(_turned(to), 'the bundled answer')}."
        )
    return text + f". The bundled answer is {to.speedup:.2f} times as fast as yours."


def _turned(judged: Judged) -> Judged:
    word = {"faster": "slower", "slower": "faster", "same": "same"}[judged.word]
    return Judged(word, 1 / judged.speedup, judged.noise)  # type: ignore[arg-type]


def _against(judged: Judged, other: str) -> str:
    if judged.word == "same":
        return f"no faster or slower than {other} beyond the noise of {judged.noise:.1%}"
    return f"{judged.speedup:.2f} times as fast as {other}"


def _bars(rows: Sequence[tuple[str, JobResult | None]], width: int, blocks: bool) -> list[str]:
    timed = [(label, job) for label, job in rows if job is not None and job.times_ns]
    longest = max(job.time_ns for _, job in timed)
    column = min(max(len(label) for label, _ in rows), width - 45)
    spans = {label: spread(job.times_ns) for label, job in timed}
    ranges = {label: f"{time_text(s.low)} to {time_text(s.high)}" for label, s in spans.items()}
    room = min(_BAR, width - column - 16 - max(map(len, ranges.values())))
    out = []
    for label, job in rows:
        name = f"  {cut(label, column):<{column}}"
        if job is None or label not in spans:
            why = job.failure.words if job is not None and job.failure is not None else "not timed"
            out.append(cut(f"{name}  {shown(why)}", width))
            continue
        bar = ("█" if blocks else "#") * max(1, round(room * job.time_ns / longest))
        out.append(f"{name}  {time_text(spans[label].median):>8}  {bar:<{room}}  {ranges[label]}")
    runs = len(timed[0][1].times_ns)
    return [*out, *wrap(f"median of {runs} runs each, L2 filled with other data before each", width, 2)]


def _next(one: Exercise, tried: Attempt) -> str:
    if tried.solved:
        return f"Next: `{_COMMAND} profile {one.name}` shows what moved, `{_COMMAND} solution {one.name}` explains."
    return f"Next: `{_COMMAND} profile {one.name}` shows where the time goes, `{_COMMAND} hint {one.name}` helps."


def _printed(lines: Sequence[str], width: int) -> str:
    if not lines:
        return ""
    shown_lines = [cut(f"  {shown(line)}", width) for line in lines[-10:]]
    return "\n".join(["", "The kernel printed:", *shown_lines]) + "\n"
