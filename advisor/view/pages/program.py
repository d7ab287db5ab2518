"""What takes a program's time, as a page: its kernels by time, what was profiled, and the reports to open."""

from __future__ import annotations

import shlex

from advisor.program.records import ProfileDocument, ProfileRun
from advisor.view.blocks import BarRow, Bars, Block, Command, Fact, Facts, Page, Paragraph, Section, section
from advisor.view.numbers import counted, share_text, time_text
from advisor.view.text import shown

_KERNELS = 12  # the most kernels with a bar
# Below this share of the program's time a kernel that took no time at all would not be noticed (Amdahl's law).
LITTLE = 0.2
_OUTSIDE = (
    "Most of the time is outside of kernels: on the CPU, in copies, in starting CUDA, or in gaps between launches. A"
    " faster kernel gains {most} at most. Look at the whole run first: `{nsys}`, then"
    " `ncu-advisor timeline trace.nsys-rep`."
)


def program_page(found: ProfileDocument) -> Page:
    """Build the page; the diagnosis of the reports is a page of its own."""
    rows = [_time(found)]
    if found.gpu_share is not None and found.gpu_share < LITTLE:
        rows.append(Fact("Look first", _outside(found), "lead"))
    rows += [Fact("Caveat", shown(note), "warn") for run in found.runs for note in run.notes]
    rows += [Fact("Caveat", text, "warn") for text in _lacking(found)]
    return Page(shown(f"Profile of {shlex.join(found.program)}"), (Facts(tuple(rows)),), tuple(_sections(found)))


def _time(found: ProfileDocument) -> Fact:
    alone = time_text(found.seconds_alone * 1e9)
    total = time_text(sum(k.total_ns for k in found.kernels))
    launches = counted(found.launches, "launch")
    if found.gpu_share is None:
        return Fact("Time", f"the program takes {alone}; its first {launches} of kernels take {total}", "plain")
    return Fact("Time", f"kernels take {total} ({share_text(found.gpu_share)}) of the program's {alone}, in {launches}")


def _outside(found: ProfileDocument) -> str:
    share = found.gpu_share or 0.0
    trace = f"nsys profile -o trace {shlex.join(found.program)}"
    return shown(_OUTSIDE.format(most=share_text(share), nsys=trace))


def _lacking(found: ProfileDocument) -> list[str]:
    """Return a sentence for the kernels that a run should have profiled and whose report lacks them."""
    if found.diagnosis is None:
        return []
    there = {launch.kernel for launch in found.diagnosis.launches}
    missing = [name for run in found.runs for name in run.kernels if name not in there]
    if not missing:
        return []
    names = shown(", ".join(missing))
    return [f"no launch of {names} was profiled: the program launched other kernels, or in another order, than before"]


def _sections(found: ProfileDocument) -> list[Section]:
    bars = tuple(
        BarRow(
            f"{'* ' if k.profiled else '  '}{shown(k.kernel)}",
            k.share,
            f"{share_text(k.share)}, {time_text(k.total_ns)}",
            counted(k.launches, "launch"),
        )
        for k in found.kernels[:_KERNELS]
    )
    left = found.kernels[_KERNELS:]
    blocks: list[Block] = [Bars("% of the time of all kernels; * is profiled", bars)]
    if left:
        share = share_text(sum(k.share for k in left))
        blocks.append(Paragraph(f"{counted(len(left), 'more kernel')} take {share} together.", "dim"))
    out = [section("What takes the time", blocks, name="time")]
    if found.runs:
        out.append(section("Reports", [Facts(tuple(_run(run) for run in found.runs)), _open(found)], name="reports"))
    return out


def _run(run: ProfileRun) -> Fact:
    text = f"{counted(run.launch_count, 'launch')} after {run.launch_skip} of {shown(', '.join(run.kernels))}"
    return Fact("Profiled", f"{text}, in {time_text(run.seconds * 1e9)} with {run.replay} replay")


def _open(found: ProfileDocument) -> Command:
    return Command(shown(shlex.join(["ncu-advisor", *(run.report for run in found.runs)])))
