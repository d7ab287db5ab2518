"""Find in the PTX of a kernel which block indices the address of a load depends on. Standard library only: the child
process imports this module.

Blocks that differ only in an index that neither an address nor a branch depends on load the same addresses, and so do
those that run on where a branch only ends others early. The search follows all definitions of a register wherever they
are, so it may find an index that has no effect, but misses none that an address or one of the other branches depends
on.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

AXES = "xyz"
# One bit for each axis, one for what is read from memory, one for a quotient, which is equal in neighbouring blocks.
_DATA, _QUOTIENT = 0b1000, 0b10000
_ALL = 0b111 | _DATA | _QUOTIENT
_ENTRY = re.compile(r"\.(entry|func)\b")
_COMMENT = re.compile(r"//[^\n]*")
# A statement after braces and labels: predicate, opcode and operands.
_STATEMENT = re.compile(r"[\s{}()]*(?:[$\w]+:[\s{}]*)*(?:@!?([%\w$]+)\s+)?([a-z][\w.:]*)(.*)", re.DOTALL)
_PREDICATE = re.compile(r"@!?([%\w$]+)\s+")
_NAME = re.compile(r"%[\w$.]+|[A-Za-z_$][\w$]*")
_ADDRESS = re.compile(r"\[([^\[\]]*)\]")
# Special registers that are equal in all blocks, or that differ only between the threads of a block.
_ALIKE = re.compile(r"%(tid|ntid|nctaid|laneid|lanemask_\w+|WARP_SZ)\b")
_INDEX = re.compile(r"%ctaid\.([xyz])$")
_VIRTUAL = re.compile(r"%((r|rd|rs|f|fd|p|h|hh|rq|b|c)\d+)$")
_NO_RESULT = frozenset(("st", "red", "bar", "barrier", "membar", "fence", "prefetch", "prefetchu", "cp", "nanosleep"))
_ENDS = frozenset(("bra", "brx", "ret", "exit", "trap"))
_LEAVES = frozenset(("ret", "exit"))
_LABEL = re.compile(r"(?<![$\w])([$\w]+):")
_DIFFERS = frozenset(("atom", "mbarrier", "activemask", "elect"))
_DIVIDES = frozenset(("div", "shr"))
_READS = frozenset(("ld", "ldu", "tex", "tld4", "suld", "ldmatrix"))
# Memory that the kernel does not write gives equal values at equal addresses.
_FIXED = frozenset(("param", "const", "nc"))
# A kernel with more code than this is not analysed.
_MOST_LINES = 100_000


# Place in the code, opcode, first operand, and the registers that decide about it.
_End = tuple[int, str, str, frozenset[str]]


class Function:
    """The instructions of one kernel by the registers that they write.

    written: register -> (predicate, opcode, other operands) of each instruction that writes it. control, guards: what
    the branches depend on, as `of` returns it: guards of those that only end threads before the first loop, such as
    threads beyond the data, control of all others.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self.written: dict[str, list[tuple[str, str, str]]] = {}  # predicate, opcode, other operands
        self._known: dict[str, int] = {}
        self.calls = False
        ends: list[_End] = []
        labels: dict[str, int] = {}
        leave: set[int] = set()
        for at, text in enumerate(_COMMENT.sub("", _code(lines)).split(";")):
            if (statement := _STATEMENT.match(text)) is None:
                continue
            predicate, opcode, operands = statement.groups()
            result, rest = _first(operands)
            stem = opcode.partition(".")[0]
            labels |= dict.fromkeys(_LABEL.findall(text[: statement.start(2)]), at)
            if stem in _ENDS:
                names = {predicate} if predicate else set()
                names |= set(_NAME.findall(result + rest)) if stem == "brx" else set()
                ends.append((at, stem, result, frozenset(names)))
                leave |= {at} if stem in _LEAVES else set()
            elif stem == "call":
                self.calls = True
            elif stem not in _NO_RESULT:
                for name in (result,) if _VIRTUAL.match(result) else _NAME.findall(result):
                    self.written.setdefault(name, []).append((predicate or "", opcode, rest))
        # Before the first loop, a branch to the end of the kernel, or an exit, only ends some threads early.
        loop = min((labels[goal] for at, _, goal, _ in ends if labels.get(goal, at + 1) <= at), default=math.inf)
        early = [at < loop and (stem in _LEAVES or labels.get(goal) in leave) for at, stem, goal, _ in ends]
        decide: dict[bool, set[str]] = {True: set(), False: set()}
        for (*_, used), is_early in zip(ends, early, strict=True):
            decide[is_early].update(used)
        self.guards, self.control = self._follow(decide[True]), self._follow(decide[False])

    def of(self, names: Iterable[str]) -> int:
        """Return the block indices that some registers depend on, and whether on memory or a quotient, as bits."""
        found = 0
        for name in names:
            if name not in self._known:
                self._known[name] = self._follow({name})
            found |= self._known[name]
        return found

    def _follow(self, names: set[str]) -> int:
        found, todo, seen = 0, list(names), set(names)
        while todo and found != _ALL:
            at = todo.pop()
            if at not in self.written:
                found |= _special(at)
            for predicate, opcode, rest in self.written.get(at, ()):
                parts = opcode.split(".")
                if parts[0] in _DIFFERS or (parts[0] in _READS and not _FIXED.intersection(parts)):
                    found = _ALL
                elif "nc" in parts:
                    found |= _DATA
                elif parts[0] in _DIVIDES or parts[:2] == ["mul", "hi"]:
                    found |= _QUOTIENT
                fresh = {*_NAME.findall(rest), *((predicate,) if predicate else ())} - seen
                seen |= fresh
                todo += fresh
        return found


def _first(operands: str) -> tuple[str, str]:
    """Split off the first operand, which may be a list in braces."""
    text = operands.strip()
    end = text.find("}") + 1 if text.startswith("{") else text.find(",")
    return (text[:end].rstrip(), text[end:]) if end > 0 else (text, "")


def _code(lines: Iterable[str]) -> str:
    """Return the lines as one text, without directives, which need no semicolon."""
    kept = []
    for line in lines:
        text = line.lstrip()
        # Code may follow a directive only after its semicolon, as in inline assembly.
        kept.append(text.partition(";")[2] if text.startswith(".") else text)
    return "\n".join(kept)


def _special(name: str) -> int:
    """Return the index that a name without a definition holds; all for a register of which nothing is known."""
    if not name.startswith("%") or _ALIKE.match(name):
        return 0
    index = _INDEX.match(name)
    return 1 << AXES.index(index[1]) if index else _ALL


def _axes(found: int) -> str:
    return "".join(axis for n, axis in enumerate(AXES) if found >> n & 1)


class LoadAddresses:
    """The addresses of the loads in a PTX text."""

    def __init__(self, ptx: Sequence[str]) -> None:
        self._ptx = ptx
        self._starts = [(i, found[1]) for i, line in enumerate(ptx) if (found := _ENTRY.search(line))]
        self._functions: dict[int, Function] = {}

    def span(self, line: int) -> tuple[int, int] | None:
        """Return the lines (from 0, the end excluded) of the kernel that contains a line (from 1).

        None outside of one, or if it has too many lines.
        """
        at = max((n for n, (start, _) in enumerate(self._starts) if start < line), default=None)
        if at is None or self._starts[at][1] != "entry":
            return None
        end = self._starts[at + 1][0] if at + 1 < len(self._starts) else len(self._ptx)
        return (self._starts[at][0], end) if end - self._starts[at][0] <= _MOST_LINES else None

    def function_at(self, line: int) -> Function | None:
        """Return the kernel that contains a line (from 1); None as for `span`."""
        lines = self.span(line)
        if lines is None:
            return None
        if lines[0] not in self._functions:
            self._functions[lines[0]] = Function(self._ptx[lines[0] : lines[1]])
        return self._functions[lines[0]]

    def text(self, line: int) -> str:
        """Return a line (from 1) without its comment; '' beyond the text."""
        return _COMMENT.sub("", self._ptx[line - 1]).strip() if 0 < line <= len(self._ptx) else ""

    def axes(self, line: int) -> str | None:
        """Return the grid axes that the address of the load on a line (from 1) may depend on; None if unknown.

        That a load is executed counts as well: if a branch depends on an axis, so do all loads. Branches that only end
        threads early do not count, see `guards`.
        """
        found = self._reached(line, ("ld.",))
        if found is None:
            return None
        function, names, predicate = found
        return _axes(function.of(names | predicate) | function.control)

    def guards(self, line: int) -> str:
        """Return the grid axes that decide which threads end before the first loop of the kernel on a line (from 1)."""
        function = self.function_at(line)
        return "" if function is None else _axes(function.guards)

    def updated(self, line: int) -> str | None:
        """Return the grid axes that the address of the atomic on a line (from 1) may depend on; None if unknown.

        All axes if it depends on what the kernel reads, or on a quotient: blocks that run at the same time are
        neighbours and may then have one element together. A remainder by a constant that is no power of
        two is computed with a quotient, and so counts as one. Whether the atomic is executed does not count.
        """
        found = self._reached(line, ("atom.", "red."))
        if found is None:
            return None
        bits = found[0].of(found[1])
        return AXES if bits & (_DATA | _QUOTIENT) else _axes(bits)

    def _reached(self, line: int, opcodes: tuple[str, ...]) -> tuple[Function, set[str], set[str]] | None:
        """Return the kernel, the names in the address and the predicate of an access; None if it is none of these."""
        if not 0 < line <= len(self._ptx):
            return None
        text = self.text(line)
        predicate = _PREDICATE.match(text)
        wanted = text[predicate.end() if predicate else 0 :].startswith(opcodes)
        address = _ADDRESS.search(text)
        function = self.function_at(line) if wanted and address is not None else None
        if function is None or address is None or function.calls:
            return None
        return function, set(_NAME.findall(address[1])), {predicate[1]} if predicate else set()
