"""Evaluate index expressions, as written in a kernel, for every lane of a block.

The grammar is closed like that of knowledge/expressions.py, but it uses C's integers, not reals: + - * / % << >>
& | ^, parentheses, min, max, abs; / and % round towards zero. Conditions add comparisons, && || ! (or and, or, not).
Names: tid.x tid.y tid.z (threadIdx.x …), bid.x … (blockIdx), bdim.x … (blockDim), gdim.x …, tid (the thread's number in
its block), lane, warp, and parameters given by the caller. Integer casts are ignored.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from msgspec import Struct

from advisor.hardware import algorithms
from advisor.records.errors import UsageError

LANES = 32
WIDTHS = (1, 2, 4, 8, 16)  # bytes that a lane may access
LONGEST = 400
THREADS = 1024  # the most in a block
LARGEST = 2**62  # the largest intermediate value
_DEEPEST = 120
_DIRECTIONS = ("x", "y", "z")
_CUDA = {"threadIdx": "tid", "blockIdx": "bid", "blockDim": "bdim", "gridDim": "gdim"}
_PLACE = re.compile(r"\b(threadIdx|blockIdx|blockDim|gridDim|tid|bid|bdim|gdim)\s*\.\s*([xyz])\b")
_CAST = re.compile(
    r"\(\s*(?:size_t|ptrdiff_t|u?int(?:8|16|32|64)_t|(?:unsigned|signed)?\s*(?:long\s+long|long|int|short)?)\s*\)"
)
_SUFFIX = re.compile(r"\b(0[xX][0-9a-fA-F]+|\d+)(?:[uU][lL]{0,2}|[lL]{1,2}[uU]?)\b")
_COMPARE: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
}


def _divided(a: int, b: int) -> int:
    if b == 0:
        raise UsageError("the index divides by zero")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _shifted(a: int, b: int) -> int:
    if not 0 <= b < 64:
        raise UsageError(f"the index shifts by {b} bits: use 0 to 63")
    return a << b


_BINARY: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: _divided,
    ast.Mod: lambda a, b: a - _divided(a, b) * b,
    ast.LShift: _shifted,
    ast.RShift: lambda a, b: a >> b if 0 <= b < 64 else _shifted(a, b),
    ast.BitAnd: lambda a, b: a & b,
    ast.BitOr: lambda a, b: a | b,
    ast.BitXor: lambda a, b: a ^ b,
}
_FUNCTIONS: dict[str, Callable[..., int]] = {"min": min, "max": max, "abs": abs}
_BUILT_IN = frozenset(
    [f"{name}_{d}" for name in ("tid", "bid", "bdim", "gdim") for d in _DIRECTIONS] + ["tid", "lane", "warp"]
)


@dataclass(frozen=True)
class Formula:
    """A formula of an index or a condition. `names`: all names in it, with tid.x as tid_x."""

    text: str
    names: frozenset[str]
    node: ast.expr = field(repr=False, compare=False)

    def value(self, values: Mapping[str, int]) -> int:
        """Return the index of one thread, or 1 or 0 for a condition.

        Raises UsageError for a division by zero or a value that is too large.
        """
        return _value(self.node, values)

    def exchanged(self) -> Formula:
        """Return the formula with tid.x and tid.y exchanged."""
        other = {"tid_x": "tid_y", "tid_y": "tid_x"}

        class Swap(ast.NodeTransformer):
            def visit_Name(self, node: ast.Name) -> ast.Name:
                return ast.Name(other.get(node.id, node.id), node.ctx)

        copy = Swap().visit(ast.parse(ast.unparse(self.node), mode="eval")).body
        return Formula(self.text, frozenset(other.get(n, n) for n in self.names), copy)


def index(text: str) -> Formula:
    """Parse the formula of an index. Raises UsageError that names the mistake."""
    return _formula(text, condition=False)


def condition(text: str) -> Formula:
    """Parse a condition such as `tid.x < 16 && tid.y % 2 == 0`. Raises UsageError that names the mistake."""
    return _formula(text, condition=True)


def _formula(text: str, condition: bool) -> Formula:
    what = "condition" if condition else "index"
    if len(text) > LONGEST:
        raise UsageError(f"an {what} longer than {LONGEST} characters: shorten it with parameters for its constants")
    plain = text.strip()
    if not plain:
        raise UsageError(f"an empty {what}: write one such as {'tid.x < 16' if condition else 'tid.y*stride + tid.x'}")
    plain = _SUFFIX.sub(r"\1", _CAST.sub(" ", plain))
    plain = _PLACE.sub(lambda m: f"{_CUDA.get(m[1], m[1])}_{m[2]}", plain)
    plain = re.sub(r"!(?!=)", " not ", plain.replace("&&", " and ").replace("||", " or "))
    try:
        node = ast.parse(plain.strip(), mode="eval").body
        _check(node, condition, 0)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UsageError(f"not an {what}: {_short(text)}") from None
    called = {id(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
    names = frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and id(n) not in called)
    return Formula(text.strip(), names, node)


def _short(text: str) -> str:
    return repr(text.strip() if len(text) <= 60 else text.strip()[:60] + "…")


def _check(node: ast.expr, logic: bool, depth: int) -> None:
    """Reject everything outside the grammar. logic: whether a comparison is expected here."""
    if depth > _DEEPEST:
        raise UsageError(f"an index nested deeper than {_DEEPEST} levels: simplify it")
    below: list[tuple[ast.expr, bool]] = []
    if logic and isinstance(node, ast.BoolOp):
        below = [(value, True) for value in node.values]
    elif logic and isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        below = [(node.operand, True)]
    elif logic and isinstance(node, ast.Compare) and all(type(op) in _COMPARE for op in node.ops):
        if len(node.ops) > 1:
            raise UsageError("chained comparisons have another meaning in C: join them with &&")
        below = [(value, False) for value in (node.left, *node.comparators)]
    elif logic:
        raise UsageError("a condition needs a comparison, such as tid.x < 16")
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        if node.value > LARGEST:
            raise UsageError("a number in the index is too large")
    elif isinstance(node, ast.Constant):
        raise UsageError(f"{_short(str(node.value))} is not a whole number")
    elif isinstance(node, ast.Name):
        pass
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd | ast.Invert):
        below = [(node.operand, False)]
    elif isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        below = [(node.left, False), (node.right, False)]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id not in _FUNCTIONS:
            raise UsageError(f"{_short(node.func.id)} is not one of {', '.join(_FUNCTIONS)}")
        if len(node.args) != (1 if node.func.id == "abs" else 2):
            raise UsageError(f"{node.func.id} takes {'one value' if node.func.id == 'abs' else 'two values'}")
        below = [(value, False) for value in node.args]
    else:
        raise UsageError(
            f"{_short(ast.unparse(node))} is not allowed in an index: use + - * / % << >> & | ^ min max abs"
        )
    for part, wanted in below:
        _check(part, wanted, depth + 1)


def _value(node: ast.expr, values: Mapping[str, int]) -> int:
    if isinstance(node, ast.Constant):
        return int(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.BoolOp):
        wanted = all if isinstance(node.op, ast.And) else any
        return int(wanted(_value(part, values) for part in node.values))
    if isinstance(node, ast.Compare):
        return int(_COMPARE[type(node.ops[0])](_value(node.left, values), _value(node.comparators[0], values)))
    if isinstance(node, ast.UnaryOp):
        inner = _value(node.operand, values)
        if isinstance(node.op, ast.Not):
            return int(not inner)
        return -inner if isinstance(node.op, ast.USub) else ~inner if isinstance(node.op, ast.Invert) else inner
    if isinstance(node, ast.BinOp):
        result = _BINARY[type(node.op)](_value(node.left, values), _value(node.right, values))
    else:
        assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        result = _FUNCTIONS[node.func.id](*(_value(part, values) for part in node.args))
    if abs(result) > LARGEST:
        raise UsageError("the index becomes larger than any address: check its parameters")
    return result


class Block(Struct, frozen=True):
    """The shape of a block in threads."""

    x: int
    y: int = 1
    z: int = 1

    @property
    def threads(self) -> int:
        """Number of threads in the block."""
        return self.x * self.y * self.z

    def __str__(self) -> str:
        return f"{self.x}x{self.y}x{self.z}" if self.z > 1 else f"{self.x}x{self.y}" if self.y > 1 else str(self.x)


def block(text: str) -> Block:
    """Parse `256`, `32x8` or `16,16,2`. Raises UsageError if no block can have this shape."""
    parts = re.split(r"[x,*]", text.strip().lower())
    if not 1 <= len(parts) <= 3 or not all(re.fullmatch(r"\s*[1-9]\d{0,3}\s*", part) for part in parts):
        raise UsageError(f"{_short(text)} is not a block shape: write one such as 256, 32x8 or 8x8x4")
    shape = Block(*(int(part) for part in parts))
    if shape.threads > THREADS:
        raise UsageError(f"a block of {shape} has {shape.threads:,} threads: {THREADS:,} at most")
    return shape


def warps(
    formula: Formula, where: Formula | None, shape: Block, parameters: Mapping[str, int]
) -> list[list[int | None]]:
    """Return the index of each of 32 lanes for each warp of a block; None for an inactive or missing lane.

    parameters: values of the names that are not built in; bid_x … are 0 and gdim_x … 1 unless given. Raises UsageError
    if a parameter has no value or is not used.
    """
    read = formula.names | (where.names if where else frozenset())
    missing = sorted(read - _BUILT_IN - parameters.keys())
    if missing:
        raise UsageError(
            f"{_short(missing[0])} has no value: give --{missing[0]} 1024, or use tid.x, lane, warp, bid.x …"
        )
    unread = sorted(parameters.keys() - read)
    if unread:
        raise UsageError(f"--{unread[0].replace('_', '.')} is not an option or a name in the index")
    fixed = sorted(parameters.keys() & (_BUILT_IN - {f"{name}_{d}" for name in ("bid", "gdim") for d in _DIRECTIONS}))
    if fixed:
        raise UsageError(f"{fixed[0].replace('_', '.')} depends on the lane or on --block: do not give it")
    values = {f"{name}_{d}": at for name, at in (("bid", 0), ("gdim", 1)) for d in _DIRECTIONS}
    values |= {"bdim_x": shape.x, "bdim_y": shape.y, "bdim_z": shape.z, **parameters}
    out: list[list[int | None]] = []
    for first in range(0, shape.threads, LANES):
        row: list[int | None] = [None] * LANES
        for lane in range(min(LANES, shape.threads - first)):
            thread = first + lane
            values |= {"tid": thread, "lane": lane, "warp": first // LANES, "tid_x": thread % shape.x}
            values |= {"tid_y": thread // shape.x % shape.y, "tid_z": thread // (shape.x * shape.y)}
            if where is None or where.value(values):
                row[lane] = formula.value(values)
        out.append(row)
    return out


_SIZES = {
    **dict.fromkeys(("char", "uchar", "bool", "unsigned char", "signed char"), 1),
    **dict.fromkeys(("short", "ushort", "unsigned short"), 2),
    **dict.fromkeys(("half", "__half", "bfloat16", "__nv_bfloat16"), 2),
    **dict.fromkeys(("int", "uint", "unsigned", "unsigned int", "float"), 4),
    **dict.fromkeys(("long", "longlong", "ulonglong", "size_t", "double"), 8),
}


def access(name: str, vector: int = 1) -> tuple[int, int]:
    """Return the bytes of an element, and of a lane's access of `vector` adjacent elements.

    name: a CUDA type (float, uchar, float4, half2), a data type of the table (f16, bf16, i8) or a number of bytes.
    Raises UsageError for an unknown type and for an impossible width of access.
    """
    plain = " ".join(name.strip().lower().removesuffix("_t").split())
    size = _size(plain if plain != "size" else "size_t", name)
    if size not in WIDTHS or size * vector not in WIDTHS:
        raise UsageError(f"a lane accesses 1, 2, 4, 8 or 16 bytes at once, not {size * vector:,}")
    return size, size * vector


def _size(plain: str, name: str) -> int:
    if plain in _SIZES:
        return _SIZES[plain]
    if re.fullmatch(r"\d{1,6}", plain):
        return int(plain)
    if number := re.fullmatch(r"u?int(8|16|32|64)", plain):
        return int(number[1]) // 8
    if (vector := re.fullmatch(r"(.+?)([1-4])", plain)) and vector[1] in _SIZES:
        return _SIZES[vector[1]] * int(vector[2])
    try:
        return int(algorithms.dtype(plain).size)
    except UsageError:
        shown = name if len(name) <= 40 else name[:40] + "…"
        raise UsageError(
            f"no type {shown!r}: give one such as float, double, half, uchar, float4, or its bytes"
        ) from None
