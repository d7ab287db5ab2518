"""A triage as text: one line a group, then what to do about the first of them, then what could not be read."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from itertools import islice

from advisor.reasoning.time_model.formulas import worthwhile
from advisor.records.diagnosis import Budget
from advisor.triage.results import Application, Group, Report, Totals, Triage
from advisor.view.numbers import plural, speedup_text, time_text
from advisor.view.pages.diagnosis import ceiling_text, class_title
from advisor.view.text import NAME_WIDTH, cut, labelled, paint, shown, wrap

_TOLD = 3  # groups of which more is told than a line
_NAMED = 10  # files that are named one by one
_CLASS, _FIX = 12, 24
_WIDE = 100  # columns from which the table has a class


def triage_text(
    result: Triage,
    *,
    top: int = 10,
    applications: Sequence[Application] = (),
    width: int = 80,
    colour: bool = False,
    blocks: bool = True,
) -> str:
    """The `top` groups, the budget of the application where a trace was given, the troubled reports."""
    totals = result.totals
    groups = list(result.groups(top))
    dot, times = ("·", "×") if blocks else ("-", "x")
    out = [
        *_head(totals, width, colour),
        *(line for gpu in result.measured for line in wrap(ceiling_text(gpu), width, 0, 2)),
        "",
    ]
    out += _table(groups, width, colour)
    out += _rest(totals, groups, width)
    for one in applications:
        out += ["", *application_lines(one, width, colour)]
    for place, group in enumerate(groups[:_TOLD], 1):
        out += ["", *_told(place, group, width, colour, dot, times)]
    out += _trouble(result, totals, width, colour)
    return "\n".join(out) + "\n"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {plural(number, one, many)}"


def _head(totals: Totals, width: int, colour: bool) -> list[str]:
    what = f"{_count(totals.launches, 'launch', 'launches')} in {_count(totals.reports, 'report')}"
    lines = wrap(f"{what}, {_count(totals.groups, 'kernel and shape', 'kernels and shapes')}", width)
    if totals.duration_ns:
        share = f"{time_text(totals.back_ns)} of it ({totals.back_ns / totals.duration_ns:.0%})"
        text = f"{time_text(totals.duration_ns)} of GPU time; one fix for each would give back {share}"
        lines += wrap(text, width)
    return [paint(line, "bold", colour) for line in lines]


def _table(groups: Sequence[Group], width: int, colour: bool) -> list[str]:
    # A class is worth its room only where names need not be cut for it.
    held = _CLASS + 1 if width >= _WIDE else 0
    name = min(NAME_WIDTH, max(12, width - held - _FIX - 36))
    title = f"{'class':<{held}}" if held else ""
    head = (
        f"{'#':>3} {'kernel':<{name}} {'launches':>8} {'time':>7} {title}{'fix first':<{_FIX}} {'gain':>5} {'back':>7}"
    )
    rows = [paint(head, "bold", colour)]
    for place, group in enumerate(groups, 1):
        kind = class_title(group.classes[0][0])
        gain = f"{speedup_text(group.speedup)}" if group.speedup is not None else "-"
        rows.append(
            f"{place:>3} {cut(shown(group.kernel), name):<{name}} {group.launches:>8,} {_time(group.duration_ns):>7} "
            f"{cut(kind, _CLASS) if held else '':<{held}}{cut(group.first or '-', _FIX):<{_FIX}} "
            f"{gain:>5} {_time(group.back_ns):>7}"
        )
    return rows


def _time(nanoseconds: float) -> str:
    return time_text(nanoseconds) if nanoseconds else "-"


def _rest(totals: Totals, groups: Sequence[Group], width: int) -> list[str]:
    left = totals.groups - len(groups)
    if left <= 0:
        return []
    back = totals.back_ns - sum(group.back_ns for group in groups)
    what = (
        f"{_count(left, 'more kernel and shape', 'more kernels and shapes')}, {time_text(max(0.0, back))} to give back"
    )
    return wrap(f"{what} in all: --top {totals.groups} shows them", width, 4, 4)


def shape_text(sizes: tuple[int, ...], times: str) -> str:
    """Grid or block without sizes of one at the end."""
    kept = sizes
    while len(kept) > 1 and kept[-1] == 1:
        kept = kept[:-1]
    return times.join(str(size) for size in kept)


def _told(place: int, group: Group, width: int, colour: bool, dot: str, times: str) -> list[str]:
    card = group.known_as or shown(group.gpu_name) or "GPU unknown"
    shape = f" {dot} grid {shape_text(group.grid, times)}, block {shape_text(group.block, times)}" if group.grid else ""
    title = f"{place} {cut(shown(group.kernel), NAME_WIDTH)}{shape} {dot} {card}"
    lines = [paint(cut(title, width), "bold", colour)]
    for label, text in group_rows(group):
        lines += labelled(label, text, width)
    return [*lines, f"{'Look':<11}{look_text(group)}"]


def look_text(group: Group) -> str:
    """The command that shows the launch that stands for a group."""
    return f"ncu-advisor diagnose {shlex.quote(shown(group.stands.report))} --launch {group.stands.index}"


def group_rows(group: Group) -> list[tuple[str, str]]:
    """What there is to say of a group: label and text."""
    stands, finding = group.stands, group.stands.finding
    spread = ""
    if group.shortest_ns is not None and group.longest_ns is not None and group.launches - group.untimed > 1:
        spread = f", {time_text(group.shortest_ns)} to {time_text(group.longest_ns)} each"
    seen = f"{_count(group.launches, 'launch', 'launches')} in {_count(group.reports, 'report')}"
    seen += f", {time_text(group.duration_ns)} in all{spread}" if group.duration_ns else ""
    seen += f"; {group.untimed:,} without a time" if group.untimed else ""
    rows = [("Seen", seen)]
    if len(group.classes) > 1:
        rows.append(("Classes", ", ".join(f"{name} {count:,}" for name, count in group.classes)))
    rows.append(("Class", f"{stands.verdict.title}: {stands.verdict.because}"))
    if finding is not None:
        rows.append(("Fix first", f"{finding.title}: {finding.because}"))
        if finding.fix is not None:
            rows.append(("How", finding.fix.summary))
    rows += _gain(group)
    if stands.budget is not None:
        rows.append(("Then", _together(stands.budget)))
    return rows


def _gain(group: Group) -> list[tuple[str, str]]:
    if not group.back_ns or group.speedup is None:
        return []
    low, high = time_text(group.low_ns), time_text(group.high_ns)
    text = f"{time_text(group.back_ns)} back ({low} to {high}), {speedup_text(group.speedup)}"
    if group.fix != group.first:
        text += f", by the fix for {group.fix}"
    chosen = next(cause for cause in group.causes if cause.id == group.fix)
    if chosen.launches < group.launches:
        text += f"; found in {chosen.launches:,} of {group.launches:,} launches"
    rows = [("Gives", text)]
    others = [c for c in group.causes if c.id != group.fix and c.speedup is not None and worthwhile(c.speedup)]
    if others:
        named = ", ".join(f"{c.id} {time_text(c.back_ns)}" for c in others[:4])
        rows.append(("Also", f"each alone, not to be added: {named}"))
    return rows


def _together(budget: Budget) -> str:
    steps = ", then ".join(step.finding for step in budget.steps[:4])
    return f"{steps}: {speedup_text(budget.together.estimate)} with all of them"


def application_lines(one: Application, width: int, colour: bool) -> list[str]:
    """What the fixes are worth to the whole program."""
    lines = [paint(line, "bold", colour) for line in wrap(application_heading(one), width)]
    if one.kernels:
        name = min(NAME_WIDTH, max(12, width - _FIX - 28))
        lines.append(f"    {'kernel':<{name}} {'share':>6} {'fix first':<{_FIX}} {'kernel':>7} {'whole':>7}")
        lines += [
            f"    {cut(shown(kernel.kernel), name):<{name}} {kernel.share_pct:>5.1f}% "
            f"{cut(kernel.fix or '-', _FIX):<{_FIX}} {speedup_text(kernel.speedup):>7} "
            f"{speedup_text(kernel.gain):>7}"
            for kernel in one.kernels[:_NAMED]
        ]
    return lines + [line for text in application_texts(one) for line in wrap(text, width, 2, 4)]


def application_heading(one: Application) -> str:
    """Which trace and GPU, and what is taken for the whole."""
    basis = {"run": "the run", "window": "the GPU's work from first to last", "kernels": "the time of all kernels"}
    return f"For the application: {shown(one.trace)}, {shown(one.gpu)}: {basis[one.basis]} is {time_text(one.whole_ns)}"


def application_texts(one: Application) -> list[str]:
    """What all fixes give the whole together, and which kernels were not profiled."""
    texts = []
    if one.kernels:
        all_ = f"; with all fixes of each {speedup_text(one.gain_all)}" if one.gain_all > one.gain * 1.005 else ""
        text = f"The first fix of each kernel together: {speedup_text(one.gain)} for the whole{all_}."
        if one.overlap < 0.995:
            text += f" Kernels run side by side: {1 - one.overlap:.0%} of their time is shared and counted once."
        texts += [text, f"The kernels profiled take {one.profiled_pct:.0f}% of the whole."]
    else:
        texts.append("None of the kernels in the trace is in the reports.")
    if one.unprofiled:
        named = ", ".join(f"{shown(cut(name, 40))} {share:.1f}%" for name, share in one.unprofiled[:5])
        texts.append(f"Not profiled: {named}")
    return texts


def _trouble(result: Triage, totals: Totals, width: int, colour: bool) -> list[str]:
    lines: list[str] = []
    if totals.refused or totals.incomplete:
        parts = [f"{totals.refused:,} could not be read"] if totals.refused else []
        parts += [f"{totals.incomplete:,} read with a problem"] if totals.incomplete else []
        lines += ["", paint(f"Reports: {', '.join(parts)}", "yellow", colour)]
        lines += _files(result.troubled(), totals.refused + totals.incomplete, width)
    for path, why in result.problems:
        lines += [paint(line, "yellow", colour) for line in wrap(f"! {shown(path)}: {shown(why)}", width, 0, 2)]
    if totals.foreign:
        text = f"{_count(totals.foreign, 'more file')} in the folders hold no profile; --format json names them"
        lines += ["", *wrap(text, width)]
    return lines


def _files(troubled: Iterable[Report], count: int, width: int) -> list[str]:
    lines: list[str] = []
    for report in islice(troubled, _NAMED):
        lines += wrap(f"! {shown(report.path)}: {shown(trouble_text(report))}", width, 0, 2)
    if count > _NAMED:
        lines.append(f"  … and {count - _NAMED:,} more: --format json names them all")
    return lines


def trouble_text(report: Report) -> str:
    """What is wrong with a report, in one line."""
    if report.refused:
        return report.refused + (" (the same command tries it again)" if report.again else "")
    return "; ".join(report.problems) or "some of its launches could not be read"
