"""The author's table of all exercises: for the terminal and as kernels/README.md."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.practice.overlap import Overlap
from advisor.practice.selfcheck import Judged, Measured, status
from advisor.view.numbers import time_text
from advisor.view.text import cut, paint, wrap

_FINDING = 27  # columns of the longest id of a diagnosis


_STATUS = {"fail": "FAIL", "pending": "pending", "ok": "ok"}
_OVERLAP = {
    "overlap": "The halves overlap: the longer one is what to work on.",
    "partial": "The halves overlap in part.",
    "none": "The halves do not overlap: at best the time would be that of the longer one.",
    "latency": "Longer than both halves together: latency that neither shows.",
}


def overlap_text(found: Overlap) -> str:
    """The verdict of the memory-only / math-only experiment with the three times it rests on."""
    unsure = "" if found.sure else " The noise of the times allows another verdict."
    small = "" if found.visible else " The shorter half is too short for its overlap to be seen."
    return (
        f"{_OVERLAP[found.word]} Full {time_text(found.full_ns)}; the longer half ({found.longer}) "
        f"{time_text(found.best_ns)}, both together {time_text(found.worst_ns)}: {100 * max(0.0, found.hidden):.0f} % "
        f"of the shorter half is hidden.{unsure}{small}"
    )


def selfcheck_text(judged: Sequence[Judged], width: int, colour: bool) -> str:
    """A line a step, problems below it, and the sum at the end."""
    head = f"{'step':<24} {'time':>8} {'speedup':>8} {'first finding':<{_FINDING}} status"
    out = [paint(head, "bold", colour)]
    for one in judged:
        out.append(paint(one.exercise.name, "bold", colour))
        for s in one.steps:
            ratio = f"{s.ratio:.2f}x" if s.ratio is not None else "-"
            time = time_text(s.time_ns) if s.time_ns else "-"
            row = f"  {cut(s.step.id, 22):<22} {time:>8} {ratio:>8} {s.first or '-':<{_FINDING}} {_STATUS[status(s)]}"
            out.append(cut(row, width))
            for name, share in (s.reached or {}).items():
                out.append(f"      {share:.1%} of {name}")
            for problem in s.problems:
                out += [paint(line, "red", colour) for line in wrap(f"! {problem}", width, 6, 8)]
        if one.overlap is not None:
            out += wrap(overlap_text(one.overlap), width, 2, 4)
        for problem in one.problems:
            out += [paint(line, "red", colour) for line in wrap(f"! {problem}", width, 2, 4)]
    bad = sum(1 for j in judged if not j.ok)
    pending = sum(1 for j in judged for s in j.steps if s.pending)
    out += [
        "",
        f"{len(judged) - bad} of {len(judged)} exercises hold what they claim"
        + (f", {pending} steps pending" if pending else "")
        + ".",
    ]
    return "\n".join(out) + "\n"


def readme(judged: Sequence[Judged], measured: Sequence[Measured]) -> str:
    """kernels/README.md: what was measured of every exercise, and how to make the table again."""
    gpus = sorted({m.gpu for m in measured})
    out = [
        "# The exercises",
        "",
        f"{len(judged)} exercises, each slow for a known reason, measured on {', '.join(gpus)}: median of 20 runs",
        "between events, the L2 cache filled with other data before each. *speedup* is over the step above, *estimate*",
        "what the advisor promised for the first finding's fix, read from the profile alone (with the napkin's numbers",
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
    return "\n".join(out) + "\n"
