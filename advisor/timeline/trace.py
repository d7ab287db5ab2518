"""The columns of a trace (GPU work, host calls, ranges; times in ns), and knowledge/timeline_words.yaml."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct, field

from advisor.knowledge.loader import load
from advisor.records import resources


class Constant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A threshold for the attribution of time, with the reason for it."""

    value: float
    unit: str
    because: str
    cites: tuple[str, ...] = ()


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a trace: the consequence if it is missing, and how to collect it."""

    lacks: str
    get: str
    cites: tuple[str, ...] = ()


class Names(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Regular expressions of which one must match a name; case is ignored."""

    any_of: tuple[str, ...]
    because: str
    cites: tuple[str, ...] = ()

    def expression(self) -> re.Pattern[str]:
        """Return all of them as one expression."""
        return re.compile("|".join(f"(?:{one})" for one in self.any_of), re.IGNORECASE)


class TimelineWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the file."""

    constants: dict[str, Constant]
    names: dict[str, Names]
    parts: dict[str, Part]
    texts: dict[str, str]


@lru_cache(maxsize=1)
def words() -> TimelineWords:
    """Load the built-in file once."""
    return load(resources.folder("knowledge") / "timeline_words.yaml", TimelineWords)


def constant(name: str) -> float:
    """Return a constant by its name."""
    return words().constants[name].value


@lru_cache(maxsize=8)
def named(group: str) -> re.Pattern[str]:
    """Return the expression of a group of names."""
    return words().names[group].expression()


# A hostile database has names of megabytes; what a name is stands within so many characters.
_SEARCHED = 65_536


def is_named(group: str, name: str) -> bool:
    """Return whether a name is of a group; only the beginning of a long name is searched."""
    return named(group).search(name, 0, _SEARCHED) is not None


Array = np.ndarray[Any, np.dtype[Any]]
# Kinds of GPU work. PEER: between GPUs; MIGRATION: of managed memory; INSIDE: within the memory of one GPU.
KERNEL, TO_DEVICE, TO_HOST, INSIDE, PEER, MIGRATION, SET, GRAPH, OTHER = range(9)
UNKNOWN = -1
# CUPTI's copyKind; arrays count as the memory that contains them.
COPY_KINDS = {
    **dict.fromkeys((1, 3), TO_DEVICE),
    **dict.fromkeys((2, 4), TO_HOST),
    **dict.fromkeys((5, 6, 7, 8), INSIDE),
    10: PEER,
    **dict.fromkeys((11, 12, 13), MIGRATION),
}

# Old and new names of copies and sets; a name without brackets is a kernel.
_COPIES = (
    (re.compile(r"unified", re.I), MIGRATION),
    (re.compile(r"\bmemset\b", re.I), SET),
    (re.compile(r"host-to-device|\bh(ost)?tod|htoa", re.I), TO_DEVICE),
    (re.compile(r"device-to-host|\bd(evice)?toh|atoh", re.I), TO_HOST),
    (re.compile(r"peer|ptop", re.I), PEER),
    (re.compile(r"device-to-device|\bdtod|ato|toa", re.I), INSIDE),
    (re.compile(r"graph", re.I), GRAPH),
)


def work_kind(name: str) -> int:
    """Return the kind of work from the name in a GPU trace or a table of copies."""
    if not name.startswith("["):
        return KERNEL
    return next((kind for mark, kind in _COPIES if mark.search(name)), OTHER)


def manages_memory(calls: Iterable[str]) -> bool:
    """Return whether managed memory may be in use, from the names of the calls."""
    return any(mark in name.casefold() for name in calls for mark in ("managed", "memprefetch"))


class Work(Struct, frozen=True, eq=False):
    """GPU work, sorted by start; each field is an array of shape (n,).

    name: index into the trace's names; call: the correlation id of the call that requested it, or UNKNOWN; size: bytes
    of a copy, else UNKNOWN; pageable: 1 if a copy's host memory is pageable, 0 if not, or UNKNOWN; graph: the
    correlation id of the graph launch that a node belongs to, or 0; grid, block: a kernel's launch shape, packed by
    `pack_grid` and `pack_block`, or UNKNOWN.
    """

    start: Array
    end: Array
    kind: Array
    gpu: Array
    stream: Array
    name: Array
    call: Array
    process: Array
    size: Array
    pageable: Array
    graph: Array
    grid: Array
    block: Array

    def __len__(self) -> int:
        return len(self.start)

    def where(self, mask: Array) -> Work:
        """Select the rows of a mask or of indices."""
        return Work(*(getattr(self, name)[mask] for name in self.__struct_fields__))


def pack_grid(x: int, y: int, z: int) -> int:
    """Pack the three dimensions of a grid into one number: 31, 16 and 16 bits, enough for CUDA's limits.

    Of y and z one less is stored, so that a grid of one dimension needs 32 bits.
    """
    return (x & 0x7FFFFFFF) | ((y - 1) & 0xFFFF) << 31 | ((z - 1) & 0xFFFF) << 47


def pack_block(x: int, y: int, z: int) -> int:
    """Pack the three dimensions of a block into one number: 11, 11 and 7 bits."""
    return (x & 0x7FF) | (y & 0x7FF) << 11 | (z & 0x7F) << 22


def dimensions(grid: int, block: int) -> tuple[tuple[int, int, int], tuple[int, int, int]] | None:
    """Unpack grid and block; return None if they are unknown or no launch could have them."""
    if grid < 0 or block < 0:
        return None
    g = (grid & 0x7FFFFFFF, (grid >> 31) + 1 & 0xFFFF, (grid >> 47) + 1 & 0xFFFF)
    b = (block & 0x7FF, block >> 11 & 0x7FF, block >> 22 & 0x7F)
    return (g, b) if min(*g, *b) > 0 else None


def base_name(name: str) -> str:
    """Return a kernel's name as ncu compares it: without return type, namespaces, template and call arguments.

    Use it for tables that have only the demangled name; the base name in a database takes precedence.
    """
    depth, out = 0, []
    text = name.replace("(anonymous namespace)", "")
    for at, char in enumerate(text):
        if char == "<" and text[max(0, at - 8) : at] != "operator":
            depth += 1
        elif char == ">" and depth and text[at - 1] != "-":
            depth -= 1
        elif not depth:
            if char == "(":
                break
            out.append(char)
    words = "".join(out).strip().split(" ")
    return words[-1].rsplit("::", 1)[-1] or name


class Faults(Struct, frozen=True, eq=False):
    """Page faults of managed memory. start, end, gpu: of the GPUs' faults; pages: total number on CPU and GPU."""

    start: Array
    end: Array
    gpu: Array
    pages: int = 0


NO_FAULTS = Faults(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64))


class Calls(Struct, frozen=True, eq=False):
    """Calls of an API on the host, sorted by start. thread: nsys's global id; call: the correlation id."""

    start: Array
    end: Array
    thread: Array
    call: Array
    name: Array

    def __len__(self) -> int:
        return len(self.start)

    def where(self, mask: Array) -> Calls:
        """Select the rows of a mask or of indices."""
        return Calls(*(getattr(self, name)[mask] for name in self.__struct_fields__))


class Ranges(Struct, frozen=True, eq=False):
    """NVTX ranges, sorted by start. domain: index into the names, of "" for the default domain; pushed: push/pop."""

    start: Array
    end: Array
    thread: Array
    name: Array
    domain: Array
    pushed: Array

    def __len__(self) -> int:
        return len(self.start)

    def where(self, mask: Array) -> Ranges:
        """Select the rows of a mask or of indices."""
        return Ranges(*(getattr(self, name)[mask] for name in self.__struct_fields__))


class KernelSum(Struct, frozen=True):
    """One line of a summary table: all launches of one kernel. Times in ns, None if the table has none."""

    name: str
    launches: int
    total: float
    mean: float
    shortest: float | None = None
    longest: float | None = None


class Sums(Struct, frozen=True):
    """Sums of `nsys stats`; None for a missing report. Copies and calls: name -> (count, ns)."""

    kernels: tuple[KernelSum, ...] | None = None
    copies: Mapping[str, tuple[int, float]] | None = None
    calls: Mapping[str, tuple[int, float]] | None = None


class Gpu(Struct, frozen=True):
    """A GPU that worked in the trace, by its number in `Work.gpu`; sms: None if not known."""

    id: int
    name: str = ""
    sms: int | None = None


class Trace(Struct, frozen=True, eq=False):
    """One trace. Missing data is None, never empty: an empty table means that nothing happened.

    form: sqlite or csv; tool and schema: versions of nsys, '' if not known; run: ns from the beginning of the trace
    to its end; names: texts by index; short: the kernel's base name by the index of its full one; mpi: starts and ends
    of the time in which a thread was in MPI; system: longer calls of the operating system. Flags: whether copies,
    migrations of managed memory and graphs would have been recorded, and whether copies have the kind of host memory;
    faults: of managed memory, None if not traced. sums: replaces work if only sums are known.
    """

    path: str
    sha256: str
    form: str
    tool: str = ""
    schema: str = ""
    complete: bool = True
    problems: tuple[str, ...] = ()
    run: int | None = None
    names: tuple[str, ...] = ()
    short: Mapping[int, str] = field(default_factory=dict)
    gpus: tuple[Gpu, ...] = ()
    work: Work | None = None
    calls: Calls | None = None
    ranges: Ranges | None = None
    system: Calls | None = None
    mpi: tuple[Array, Array] | None = None
    copies_seen: bool = False
    migrations_seen: bool = False
    graphs_seen: bool = False
    memory_kinds: bool = False
    faults: Faults | None = None
    sums: Sums | None = None
