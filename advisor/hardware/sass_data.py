"""Which integer arithmetic of a kernel computes with data, from its machine code.

A value is data if it follows from a load of memory, an atomic, a texture or another lane's data. Indices, addresses and
loop counters follow from the numbers of the thread and the block, from parameters and constants alone: a thread that
handles several elements computes most of these once. The state is followed through registers and predicates along the
edges of the control flow; where two ways meet, a value that is data on one of them is data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from advisor.hardware.sass import Instruction, parse
from advisor.hardware.sass_answers import stem
from advisor.hardware.sass_flow import graph
from advisor.hardware.sass_names import Names, followed

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
_UNKNOWN_WAYS: Final = frozenset(("BRX", "BRXU", "JMX", "JMXU"))
_CALLS: Final = frozenset(("CALL", "CAL", "JCAL"))
# A longer kernel is not followed: the time would be noticed.
MOST: Final = 3000


class DataWork(Struct, frozen=True):
    """Addresses of the integer instructions that compute with data: on the ALU pipe, and on the FMA pipe."""

    alu: frozenset[int]
    fma: frozenset[int]


def data_work(texts: Mapping[int, str]) -> DataWork | None:
    """Return the integer instructions of a kernel that compute with data; None if it cannot be followed.

    texts: address -> instruction, of those that were executed.
    """
    pcs = sorted(texts)
    if not 0 < len(pcs) <= MOST:
        return None
    codes = [parse(texts[pc]) for pc in pcs]
    if any(code is not None and stem(code) in _UNKNOWN_WAYS for code in codes):
        return None
    blocks = graph(codes, pcs)
    names = Names(codes)
    names.split_predicated(codes, map(blocks.places, range(len(blocks.starts))))
    states = followed(blocks, lambda i, state: (_after(codes[i], i, names, state[0]),), (0,))
    if states is None:
        return None
    alu, fma = set[int](), set[int]()
    for n, state in enumerate(states):
        data = state[0] if state is not None else 0
        for i in blocks.places(n):
            code = codes[i]
            if code is None:
                continue
            if names.reads[i] & data:
                kind = stem(code)
                if kind in _ALU:
                    alu.add(pcs[i])
                elif kind in _FMA:
                    fma.add(pcs[i])
            data = _after(code, i, names, data)
    return DataWork(frozenset(alu), frozenset(fma))


def _after(code: Instruction | None, i: int, names: Names, data: int) -> int:
    """Return the names that hold data after an instruction."""
    if code is None:
        return data
    name = stem(code)
    if name in _CALLS:  # which registers a function changes, its caller does not show
        return names.every
    return names.after(i, data, name in _LOADED or bool(names.reads[i] & data))
