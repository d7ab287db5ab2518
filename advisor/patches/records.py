"""The document of `fix`: patches that are proven, and those that are rejected with the reason."""

from __future__ import annotations

from advisor.records.record import Count, Internal, NotNegative, Record, Shape, written


class Changed(Record, tag=False):
    """A counter before and after a patch."""

    counter: str
    title: str
    before: NotNegative
    after: NotNegative


class Patch(Record, tag=False):
    """A proven patch.

    promised: the counter that had to fall; results: how equal they are, `bit for bit` or the tolerance; compared: on
    what; diff: unified, of the whole file; others: further counters that change; registers: per thread, if known;
    text: the whole patched source.
    """

    kind: str
    title: str
    line: Count
    says: str
    diagnoses: tuple[str, ...]
    promised: Changed
    results: str
    compared: str
    costs: str
    cites: tuple[str, ...]
    diff: str
    others: tuple[Changed, ...] = ()
    registers_before: Count | None = None
    registers_after: Count | None = None
    text: Internal[str] = ""


class Rejected(Record, tag=False):
    """A patch that is not offered. reason: results differ, counter did not fall and the like; detail: one line."""

    kind: str
    line: Count
    reason: str
    detail: str
    says: str = ""


class FixDocument(Record, tag_field="schema", tag="ncu-advisor/patches/1"):
    """The patches of one source, the best one first. findings: ids of the causes that its counts show.

    kind: `emulated`, because every number comes from the CPU; written_to: the file that was changed, or absent.
    """

    source: str
    kernels: tuple[str, ...]
    arch: str
    grid: Shape
    block: Shape
    findings: tuple[str, ...]
    patches: tuple[Patch, ...]
    rejected: tuple[Rejected, ...]
    kind: str = written("emulated")
    written_to: str | None = None
    backup: str | None = None
