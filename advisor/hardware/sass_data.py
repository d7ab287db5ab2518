"""Which arithmetic of a kernel computes with data, from its machine code.

A value is data if it follows from a load of memory, an atomic or a texture. Indices, addresses and
loop counters follow from the numbers of the thread and the block, from parameters and constants alone: a thread that
handles several elements computes most of these once. The state is followed through registers and predicates along the
edges of the control flow; where two ways meet, a value that is data on one of them is data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from advisor.hardware.sass import Instruction
from advisor.hardware.sass_answers import stem
from advisor.hardware.sass_names import Calls, Marks, Names, code_of, followed

# Results of loads, of atomics and of textures; a shuffle passes the data of another lane.
_LOADED: Final = frozenset(
    (
        *("LD", "LDG", "LDL", "LDS", "LDSM", "LDTM", "ATOM", "ATOMG", "ATOMS", "SUATOM", "TEX", "TLD", "TLD4", "TMML"),
        *("TXD", "TXQ", "SULD"),
    )
)
# Integer and bit operations of the ALU pipe, with the selections, comparisons and extremes of floats that run there.
_ALU: Final = frozenset(
    (
        *("LOP3", "LOP", "SHF", "SHL", "SHR", "IADD3", "IADD", "LEA", "PRMT", "SEL", "ISETP", "IMNMX", "VIMNMX"),
        *("SGXT", "IABS", "VABSDIFF", "VABSDIFF4", "BMSK", "PLOP3", "FMNMX", "FSEL", "FSETP", "FSET", "VIADDMNMX"),
    )
)
# Products and sums of integers on the FMA pipe. Source of both: the profiling guide of Nsight Compute, pipelines.
_FMA: Final = frozenset(("IMAD", "VIADD", "IDP", "IDP4A"))
_SUMS: Final = frozenset(("FADD", "FMNMX", "FSETP", "DADD", "DSETP", "DMNMX", "HADD2", "HMNMX2"))


class DataWork(Struct, frozen=True):
    """Addresses of instructions that compute with data.

    alu, fma: integers on the ALU pipe, with comparisons of floats, and on the FMA pipe; pairs: sums, differences and
    extremes of floats of two values that loads have just returned.
    """

    alu: frozenset[int]
    fma: frozenset[int]
    pairs: frozenset[int]


def data_work(texts: Mapping[int, str]) -> DataWork | None:
    """Return the instructions of a kernel that compute with data; None if it cannot be followed.

    texts: address -> instruction, of those that were executed.
    """
    found = code_of(texts)
    if found is None:
        return None
    pcs, codes, blocks, names = found
    calls = Calls(codes, pcs, blocks, names)
    states = followed(blocks, lambda i, state: _after(codes[i], i, names, calls, state), (0, 0), calls)
    if states is None:
        return None
    alu, fma, pairs = set[int](), set[int](), set[int]()
    for n, state in enumerate(states):
        now = state or (0, 0)
        for i in blocks.places(n):
            code = codes[i]
            if code is None:
                continue
            kind = stem(code)
            if names.reads[i] & now[0] and kind in _ALU:
                alu.add(pcs[i])
            if names.reads[i] & now[0] and kind in _FMA:
                fma.add(pcs[i])
            if kind in _SUMS and (names.reads[i] & now[1]).bit_count() > 1:
                pairs.add(pcs[i])
            now = _after(code, i, names, calls, now)
    return DataWork(frozenset(alu), frozenset(fma), frozenset(pairs))


def _after(code: Instruction | None, i: int, names: Names, calls: Calls, now: Marks) -> Marks:
    """Return the names that hold data after an instruction, and those that hold the result of a load itself."""
    data, loaded = now
    if code is None:
        return now
    if i in calls.writes:
        return data | calls.writes[i], loaded & ~calls.writes[i]
    result = stem(code) in _LOADED
    return (
        names.after(i, data, result or bool(names.reads[i] & data)),
        names.after(i, loaded, result),
    )
