"""The JSON document of `profile`."""

from __future__ import annotations

from advisor.program.collect import Collected, Survey
from advisor.program.launches import KernelTime
from advisor.program.run import Program
from advisor.reasoning.document import DiagnosisDocument
from advisor.records.record import Count, NotNegative, Record, Share, written


class ProfiledKernel(Record, kw_only=True):
    """A kernel of the program. share: of the time of all kernels; profiled: whether a report has it."""

    kernel: str
    launches: Count
    total_ns: NotNegative
    share: Share
    profiled: bool = written(False)


class ProfileRun(Record, kw_only=True):
    """A run of ncu that made a report. replay: kernel or application; notes: what failed before."""

    report: str
    kernels: tuple[str, ...]
    launch_skip: Count
    launch_count: Count
    replay: str
    seconds: NotNegative
    notes: tuple[str, ...] = ()


class ProfileDocument(Record, tag_field="schema", tag="ncu-advisor/profile/1", kw_only=True):
    """Output of `ncu-advisor profile --format json`.

    seconds_alone: wall time of the program without profiler; gpu_share: time of all kernels as a share of it, null if
    not all launches were timed; launches: the number timed; complete: whether these are all; diagnosis: of the reports,
    null if only the time was measured.
    """

    program: tuple[str, ...]
    seconds_alone: NotNegative
    seconds_survey: NotNegative
    gpu_share: Share | None
    launches: Count
    complete: bool
    kernels: tuple[ProfiledKernel, ...]
    runs: tuple[ProfileRun, ...]
    diagnosis: DiagnosisDocument | None


def profile_document(
    program: Program, found: Survey, collected: tuple[Collected, ...], diagnosis: DiagnosisDocument | None
) -> ProfileDocument:
    """Return the document of a survey, the runs of ncu after it, and their diagnosis."""
    profiled = {name for one in collected for name in one.window.kernels}
    return ProfileDocument(
        program=program.words,
        seconds_alone=found.alone_s,
        seconds_survey=found.seconds,
        gpu_share=found.gpu_share,
        launches=len(found.ran),
        complete=not found.cut,
        kernels=tuple(_kernel(one, profiled) for one in found.kernels),
        runs=tuple(_run(one) for one in collected),
        diagnosis=diagnosis,
    )


def _kernel(one: KernelTime, profiled: set[str]) -> ProfiledKernel:
    return ProfiledKernel(
        kernel=one.kernel,
        launches=one.launches,
        total_ns=one.total_ns,
        share=one.share,
        profiled=one.kernel in profiled,
    )


def _run(one: Collected) -> ProfileRun:
    return ProfileRun(
        report=str(one.report),
        kernels=one.window.kernels,
        launch_skip=one.window.skip,
        launch_count=one.window.count,
        replay=one.replay,
        seconds=one.seconds,
        notes=one.notes,
    )
