"""Types for the `case.py` of an exercise: GPU, tolerance, and the work that the algorithm needs.

A case is a module with

    sizes(card) -> dict[str, int]            the problem on this GPU; names usable in launch lines, passed as int32
    work(n) -> Work                          the bytes and FLOP that the algorithm needs, whatever the code does
    inputs(xp, rng, n) -> dict[str, array]   arrays on the device from a seeded generator; xp is cupy
    outputs(xp, n) -> dict[str, array]       arrays to be written; poisoned before each run
    reference(xp, data, n) -> dict[str, array]   expected outputs (or the part that `checked` takes), higher precision
    TOLERANCES: dict[str, Tolerance]         one for each output that `reference` gives

and, if needed,

    scalars(n) -> dict[str, numpy scalar]    arguments that are not int32
    scratch(xp, n) -> dict[str, array]       arrays that kernels may write, not checked
    tensor_maps(n) -> dict[str, TensorMap]   arguments that tell the TMA which boxes of an array to copy
    ZEROED: tuple[str, ...]                  outputs or scratch that start at zero instead of poisoned
    checked(out, n) -> dict[str, array]      the part of the outputs to compare, if all of them are too many
    step_work(step, n) -> Work | None        the work of a step that performs only part of the algorithm
    answers(step, n) -> dict[str, number or word]   answers to the questions that only a person can answer
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Card:
    """The GPU that a problem is scaled to. memory, l2, shared_per_block (with opt-in), shared_per_sm: in bytes."""

    name: str
    cc: str
    sms: int
    memory: int
    l2: int
    shared_per_block: int
    shared_per_sm: int

    @property
    def arch(self) -> str:
        """The compiler's name of the architecture, such as `sm_90`."""
        return f"sm_{self.cc.replace('.', '')}"


@dataclass(frozen=True, slots=True)
class Tolerance:
    """An output is right if |got - expected| <= absolute + relative * |expected|; `why` justifies the two numbers."""

    relative: float
    absolute: float
    why: str


@dataclass(frozen=True, slots=True)
class Work:
    """The work of one run of the algorithm: bytes through DRAM (each input read once, each output written once) and
    floating-point operations (a multiply-add counts two)."""

    bytes: float
    flop: float


@dataclass(frozen=True, slots=True)
class TensorMap:
    """A CUtensorMap of a two-dimensional array of the case: rows by columns elements in memory, copied in boxes.

    box: rows (at most 256) and columns; the columns are 128 bytes, and each row of a box is swizzled in them
    (CU_TENSOR_MAP_SWIZZLE_128B), so eight rows of one column lie in different banks.
    """

    array: str
    shape: tuple[int, int]
    box: tuple[int, int]
