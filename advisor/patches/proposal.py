"""What a kind of patch gets and what it returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from advisor.patches.syntax import Edit, Function, Source


@dataclass(frozen=True)
class Cause:
    """What a patch is wanted for: the kernel and its launch, and the lines that carry the counter.

    lines: line -> share of the counter, 0 to 1; aliased: numbers of the kernel's parameters, from 0, that point to an
    array to which another parameter points too.
    """

    kernel: Function
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    lines: Mapping[int, float] = field(default_factory=dict)
    aliased: frozenset[int] = frozenset()

    @property
    def is_line(self) -> bool:
        """Whether the block has one dimension."""
        return self.block[1] == self.block[2] == 1

    @property
    def lane(self) -> str:
        """The expression for a thread's lane in its warp."""
        if self.is_line:
            return "threadIdx.x % 32"
        return "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32"


@dataclass(frozen=True)
class Proposal:
    """A patch to try. line: that it is for; says: what it does, in one sentence with the names of the source."""

    line: int
    edits: tuple[Edit, ...]
    says: str


@dataclass(frozen=True)
class Unsuited:
    """A place where the patch would apply but must not. reason: one phrase."""

    line: int
    reason: str


Propose = Callable[[Source, Cause], Iterator[Proposal | Unsuited]]
