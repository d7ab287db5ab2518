"""Which launches of a program to profile: the kernels that take its time, and one typical launch of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate

from msgspec import Struct

# A kernel whose launches take less is not worth a report; an optimisation of it cannot be seen in the whole (Amdahl).
LEAST_SHARE = 0.02
COVERED = 0.9  # kernels are taken until they cover this share of the time
_TYPICAL = 1.25  # a launch whose duration is within this factor of the typical one stands for it
_EXTRA = 2  # launches per kernel that a common run may profile without need


class Ran(Struct, frozen=True):
    """A launch of the survey. kernel: the function's own name; duration_ns: without counters."""

    kernel: str
    duration_ns: float


class KernelTime(Struct, frozen=True):
    """The launches of a kernel together. share: of the time of all kernels, 0 to 1."""

    kernel: str
    launches: int
    total_ns: float
    share: float


class Window(Struct, frozen=True):
    """One run of ncu: `count` launches of these kernels, after the first `skip` of them."""

    kernels: tuple[str, ...]
    skip: int
    count: int

    @property
    def pattern(self) -> str:
        """Regular expression for ncu's --kernel-name, which matches the function's own name."""
        return f"^({'|'.join(re.escape(name) for name in self.kernels)})$"


def ranking(ran: Sequence[Ran]) -> tuple[KernelTime, ...]:
    """Return the kernels by the time that their launches take, longest first; ties in order of first launch."""
    total: dict[str, float] = {}
    launches: dict[str, int] = {}
    for one in ran:
        total[one.kernel] = total.get(one.kernel, 0.0) + one.duration_ns
        launches[one.kernel] = launches.get(one.kernel, 0) + 1
    whole = sum(total.values()) or 1.0
    names = sorted(total, key=lambda name: -total[name])
    return tuple(KernelTime(name, launches[name], total[name], total[name] / whole) for name in names)


def kernels_worth(ranked: Sequence[KernelTime], most: int) -> tuple[str, ...]:
    """Return the first kernels that together cover COVERED of the time, at most `most`, each with LEAST_SHARE."""
    before = [0.0, *accumulate(k.share for k in ranked)]
    chosen = [k.kernel for k, done in zip(ranked, before, strict=False) if done < COVERED and k.share >= LEAST_SHARE]
    return tuple(chosen[:most]) or tuple(k.kernel for k in ranked[:1])


def typical_ns(durations: Sequence[float]) -> float:
    """Return the duration of the launch in which half of the summed time has passed, shortest launches first."""
    ordered = sorted(durations)
    half, passed = sum(ordered) / 2, 0.0
    for one in ordered:
        passed += one
        if passed >= half:
            return one
    raise ValueError("no durations")


def windows(ran: Sequence[Ran], kernels: Sequence[str]) -> tuple[Window, ...]:
    """Return the runs of ncu that profile a typical launch of each kernel: one run if they lie close, else one each.

    The first launch of a kernel pays for loading its code and for cold caches: it is used if there is no other.
    """
    wanted = [one for one in ran if one.kernel in set(kernels)]
    good = _typical_places(wanted, kernels)
    first, count = _shortest(wanted, good, len(kernels))
    if count <= (1 + _EXTRA) * len(kernels):
        return (Window(tuple(kernels), first, count),)
    out = []
    for kernel in kernels:
        own = [at for at, one in enumerate(wanted) if one.kernel == kernel]
        typical = [number for number, at in enumerate(own) if at in good]
        out.append(Window((kernel,), typical[len(typical) // 2], 1))
    return tuple(out)


def _typical_places(wanted: Sequence[Ran], kernels: Sequence[str]) -> set[int]:
    """Return the positions of launches that can stand for their kernel."""
    good: set[int] = set()
    for kernel in kernels:
        own = [at for at, one in enumerate(wanted) if one.kernel == kernel]
        later = own[1:] or own
        middle = typical_ns([wanted[at].duration_ns for at in later])
        good |= {at for at in later if middle / _TYPICAL <= wanted[at].duration_ns <= middle * _TYPICAL}
    return good


def _shortest(wanted: Sequence[Ran], good: set[int], kernels: int) -> tuple[int, int]:
    """Return start and length of the shortest stretch with a typical launch of every kernel, the middle one of ties."""
    held: dict[str, int] = {}
    start, found = 0, []
    for at, one in enumerate(wanted):
        if at in good:
            held[one.kernel] = held.get(one.kernel, 0) + 1
        while len(held) == kernels:
            found.append((at - start + 1, start))
            left = wanted[start]
            if start in good:
                held[left.kernel] -= 1
                if not held[left.kernel]:
                    del held[left.kernel]
            start += 1
    least = min(length for length, _ in found)
    starts = [start for length, start in found if length == least]
    return starts[len(starts) // 2], least
