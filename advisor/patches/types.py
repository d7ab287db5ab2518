"""Types of expressions, values of constants, and what an expression depends on: as far as the source shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.patches.syntax import Source, assigned_names, bare, field, inside, subscripts, walk

if TYPE_CHECKING:
    from tree_sitter import Node

SIZES = {
    **dict.fromkeys(("char", "unsigned char", "signed char", "uint8_t", "int8_t", "bool"), 1),
    **dict.fromkeys(("short", "unsigned short", "uint16_t", "int16_t", "__half", "half"), 2),
    **dict.fromkeys(("int", "unsigned", "unsigned int", "uint32_t", "int32_t", "float", "__half2", "half2"), 4),
    **dict.fromkeys(("uchar4", "ushort2", "short2"), 4),
    **dict.fromkeys(("double", "long long", "unsigned long long", "size_t", "uint64_t", "int64_t", "float2"), 8),
    **dict.fromkeys(("int2", "uint2", "ushort4", "short4"), 8),
    **dict.fromkeys(("float4", "int4", "uint4", "double2"), 16),
}
# Element type -> (vector type, elements) for accesses of up to 16 bytes.
VECTORS = {
    "float": ("float4", 4),
    "int": ("int4", 4),
    "int32_t": ("int4", 4),
    "unsigned": ("uint4", 4),
    "unsigned int": ("uint4", 4),
    "uint32_t": ("uint4", 4),
    "double": ("double2", 2),
    "unsigned char": ("uchar4", 4),
    "uint8_t": ("uchar4", 4),
    "char": ("char4", 4),
    "short": ("short4", 4),
    "unsigned short": ("ushort4", 4),
    "uint16_t": ("ushort4", 4),
}
BUILTINS = ("threadIdx", "blockIdx", "blockDim", "gridDim")
_SINGLE = ("float", "float2", "float3", "float4")
_REAL = ("float", "double")
# Functions that are float for float arguments and double otherwise.
MATH = frozenset(
    (
        *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "exp2", "log", "log2", "log10"),
        *("sqrt", "rsqrt", "cbrt", "fabs", "floor", "ceil", "rint", "round", "trunc", "erf", "expm1", "log1p"),
        *("pow", "fmin", "fmax", "fmod", "atan2", "hypot", "fma", "min", "max", "abs"),
    )
)
_MOST_DEPTH = 60


def clean(name: str) -> str:
    """Return a type name without std:: and repeated spaces."""
    return " ".join(name.replace("std::", "").split())


def type_of(source: Source, node: Node, depth: int = 0) -> str | None:
    """Return the type of an expression, with a `*` for each pointer or array dimension, or None if it is not known."""
    if depth > _MOST_DEPTH:
        return None
    node = bare(node)
    kind = node.type
    if kind == "number_literal":
        return _literal(source.at(node))
    if kind in ("true", "false"):
        return "bool"
    if kind == "identifier":
        return _name(source, node, depth)
    if kind == "subscript_expression":
        base, indices = subscripts(node)
        found = type_of(source, base, depth + 1)
        if found is None or not indices or not found.endswith("*" * len(indices)):
            return None
        return found[: -len(indices)]
    if kind == "pointer_expression":
        found = type_of(source, field(node, "argument"), depth + 1)
        if found is None:
            return None
        if node.children[0].type == "&":
            return found + "*"
        return found[:-1] if found.endswith("*") else None
    if kind == "field_expression":
        return _member(source, node, depth)
    if kind == "cast_expression":
        return _described(source, field(node, "type"))
    if kind == "call_expression":
        return _call(source, node, depth)
    if kind == "unary_expression":
        return "bool" if node.children[0].type == "!" else type_of(source, field(node, "argument"), depth + 1)
    if kind in ("assignment_expression", "update_expression"):
        return type_of(source, field(node, "left" if kind[0] == "a" else "argument"), depth + 1)
    if kind == "conditional_expression":
        return common(
            type_of(source, field(node, "consequence"), depth + 1),
            type_of(source, field(node, "alternative"), depth + 1),
        )
    if kind == "binary_expression":
        sign = field(node, "operator").type
        if sign in ("<", ">", "<=", ">=", "==", "!=", "&&", "||"):
            return "bool"
        left, right = (type_of(source, field(node, side), depth + 1) for side in ("left", "right"))
        if left is not None and left.endswith("*"):
            return left
        if sign in ("<<", ">>"):
            return left
        return common(left, right)
    return None


def _literal(text: str) -> str | None:
    low = text.lower().replace("'", "")
    if low.startswith(("0x", "0b")):
        return "unsigned" if "u" in low else "int"
    if "." in low or "e" in low:
        return "float" if low.endswith("f") else None if low.endswith(("l", "h")) else "double"
    if low.endswith("f"):
        return "float"
    if "ll" in low or low.endswith("l"):
        return "unsigned long long" if "u" in low else "long long"
    return "unsigned" if low.endswith("u") else "int"


def _name(source: Source, node: Node, depth: int) -> str | None:
    declared = source.declaration_of(node)
    if declared is None:
        text = source.macro_text(source.at(node))
        return literal_type(text) if text is not None else None
    if declared.type == "auto":
        return type_of(source, declared.value, depth + 1) if declared.value is not None else None
    return clean(declared.type) + "*" * (declared.pointers + len(declared.dimensions))


def literal_type(text: str) -> str | None:
    """Return the type of a text that is one number, or None."""
    body = text.strip()
    body = body[1:-1].strip() if body.startswith("(") and body.endswith(")") else body
    body = body.removeprefix("-")
    if not body or not (body[0].isdigit() or body[0] == ".") or not all(c.isalnum() or c in ".+-'" for c in body):
        return None
    if any(c in "+-" and body[i - 1] not in "eE" for i, c in enumerate(body)):
        return None
    return _literal(body)


def _member(source: Source, node: Node, depth: int) -> str | None:
    owner, member = field(node, "argument"), source.at(field(node, "field"))
    if owner.type == "identifier" and source.at(owner) in BUILTINS:
        return "unsigned"
    kind = type_of(source, owner, depth + 1)
    if kind is None:
        return None
    kind = kind.rstrip("*").removeprefix("struct ")
    if kind in _VECTOR_MEMBERS and member in ("x", "y", "z", "w"):
        return _VECTOR_MEMBERS[kind]
    for row in structure(source, kind):
        if row[0] == member:
            return row[1]
    return None


_VECTOR_MEMBERS = {
    **{f"{base}{n}": base for base in ("float", "double", "int", "char", "short") for n in (1, 2, 3, 4)},
    **{f"u{base}{n}": f"unsigned {base}" for base in ("char", "short") for n in (1, 2, 3, 4)},
    **{f"uint{n}": "unsigned" for n in (1, 2, 3, 4)},
}


def structure(source: Source, name: str) -> list[tuple[str, str, int]]:
    """Return the members of a struct of this source: name, type, elements of an array (0 if it is not known)."""
    out = []
    for node in walk(source.root, "struct_specifier"):
        title = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        holder = node.parent
        titles = {source.at(title)} if title is not None else set()
        if holder is not None and holder.type == "type_definition":
            titles |= {source.at(n) for n in holder.children_by_field_name("declarator")}
        if name not in titles or body is None:
            continue
        for row in body.named_children:
            for one in source.declared_in(row):
                count = 1
                for size in one.dimensions:
                    count *= (value_of(source, size) or 0) if size is not None else 0
                stars = "*" * (one.pointers + len(one.dimensions))
                out.append((source.at(one.name), clean(one.type) + stars, count))
        return out
    return out


def _described(source: Source, node: Node) -> str | None:
    """Return the type that a type descriptor names."""
    kind = node.child_by_field_name("type")
    if kind is None:
        return clean(source.at(node)) if node.type in ("primitive_type", "type_identifier") else None
    return clean(source.at(kind)) + "*" * sum(1 for _ in walk(node, "abstract_pointer_declarator"))


def _call(source: Source, node: Node, depth: int) -> str | None:
    called = field(node, "function")
    if called.type == "template_function" and source.at(field(called, "name")).endswith("_cast"):
        rows = field(called, "arguments").named_children
        return _described(source, rows[0]) if len(rows) == 1 else None
    if called.type == "primitive_type":
        return clean(source.at(called))
    name = source.at(called).removeprefix("std::").removeprefix("::")
    if name in SIZES:
        return name
    own = source.function(name)
    if own is not None:
        return clean(own.type)
    rows = field(node, "arguments").named_children
    if name in MATH and rows:
        out: str | None = type_of(source, rows[0], depth + 1)
        for row in rows[1:]:
            out = common(out, type_of(source, row, depth + 1))
        whole = name not in ("min", "max", "abs")
        return "double" if out is not None and out not in _REAL and whole else out
    single = ("fdividef", "__fdividef", "__uint_as_float", "__int_as_float")
    if (name.endswith("f") and name[:-1] in MATH) or name in single:
        return "float"
    if name.startswith(("__f", "__sin", "__cos", "__exp", "__log", "__pow")) and not name.startswith("__ff"):
        return "float"
    if name.startswith("make_"):
        return name.removeprefix("make_")
    if name.startswith("__shfl") and len(rows) > 1:
        return type_of(source, rows[1], depth + 1)
    return None


def common(left: str | None, right: str | None) -> str | None:
    """Return the type that arithmetic on two types gives."""
    if left is None or right is None:
        return None
    if left == right:
        return left
    for name in ("double", "float"):
        if name in (left, right):
            return name
    wide = {"size_t": 3, "unsigned long long": 3, "uint64_t": 3, "long long": 2, "int64_t": 2}
    wide |= dict.fromkeys(("unsigned", "unsigned int", "uint32_t"), 1)
    best = max((left, right), key=lambda name: wide.get(name, 0))
    return best if wide.get(best, 0) else "int"


def is_unsigned(kind: str | None) -> bool:
    """Return whether a type is an unsigned integer of at least 32 bits."""
    return kind in ("unsigned", "unsigned int", "uint32_t", "size_t", "unsigned long long", "uint64_t")


def value_of(source: Source, node: Node | None, depth: int = 0) -> int | None:
    """Return the value of a constant whole-number expression: literals, macros, constants and + - * / % << >>."""
    if node is None or depth > _MOST_DEPTH:
        return None
    node = bare(node)
    if node.type == "number_literal":
        return _whole(source.at(node))
    if node.type == "identifier":
        text = source.macro_text(source.at(node))
        if text is not None:
            return _whole(text)
        declared = source.declaration_of(node)
        if declared is not None and declared.qualifiers & {"const", "constexpr"} and not declared.is_array:
            return value_of(source, declared.value, depth + 1)
        return None
    if node.type == "unary_expression" and node.children[0].type == "-":
        found = value_of(source, field(node, "argument"), depth + 1)
        return -found if found is not None else None
    if node.type == "binary_expression":
        left, right = (value_of(source, field(node, side), depth + 1) for side in ("left", "right"))
        sign = field(node, "operator").type
        if left is None or right is None or abs(left) > 1 << 40 or abs(right) > 1 << 40:
            return None
        if sign in ("/", "%"):
            return None if right <= 0 or left < 0 else left // right if sign == "/" else left % right
        if sign in ("<<", ">>"):
            return None if not 0 <= right < 32 else left << right if sign == "<<" else left >> right
        return {"+": left + right, "-": left - right, "*": left * right}.get(sign)
    return None


def _whole(text: str) -> int | None:
    body = text.strip().strip("()").rstrip("uUlL").replace("'", "")
    try:
        return int(body, 0)
    except ValueError:
        return None


def is_global_index(source: Source, node: Node, depth: int = 0) -> bool:
    """Return whether an expression is blockIdx.x * blockDim.x + threadIdx.x, or a variable that begins as that."""
    node = bare(node)
    if node.type == "identifier" and depth < 4:
        declared = source.declaration_of(node)
        if declared is None or declared.value is None:
            return False
        function = source.function_of(node)
        changed = function is not None and source.at(node) in reassigned(source, function.body)
        return not changed and is_global_index(source, declared.value, depth + 1)
    if node.type == "cast_expression":
        return is_global_index(source, field(node, "value"), depth + 1)
    if node.type != "binary_expression" or field(node, "operator").type != "+":
        return False
    sides = {_plain(source, field(node, "left")), _plain(source, field(node, "right"))}
    return sides in (
        {"threadIdx.x", "blockIdx.x*blockDim.x"},
        {"threadIdx.x", "blockDim.x*blockIdx.x"},
    )


def is_grid_size(source: Source, node: Node, depth: int = 0) -> bool:
    """Return whether an expression is the number of threads of the grid along x, or a variable that holds it."""
    node = bare(node)
    if node.type == "identifier" and depth < 4:
        declared = source.declaration_of(node)
        return declared is not None and declared.value is not None and is_grid_size(source, declared.value, depth + 1)
    return _plain(source, node) in ("gridDim.x*blockDim.x", "blockDim.x*gridDim.x")


def _plain(source: Source, node: Node) -> str:
    return "".join(source.at(bare(node)).split())


def reassigned(source: Source, node: Node) -> set[str]:
    """Return names that are assigned or incremented, without declarations."""
    out = set()
    for one in walk(node, "assignment_expression", "update_expression"):
        target = bare(field(one, "left") if one.type == "assignment_expression" else field(one, "argument"))
        if target.type == "identifier":
            out.add(source.at(target))
    return out


def is_uniform(source: Source, node: Node, depth: int = 0) -> bool:
    """Return whether all threads of a block compute the same value: no thread index, no memory, no changed variable."""
    if depth > 8:
        return False
    for one in walk(node):
        if one.type in ("subscript_expression", "call_expression", "update_expression", "assignment_expression"):
            return False
        if one.type == "pointer_expression" and one.children[0].type == "*":
            return False
        if one.type != "identifier":
            continue
        name = source.at(one)
        if name == "threadIdx":
            return False
        if name in BUILTINS or name in source.macros:
            continue
        declared = source.declaration_of(one)
        function = source.function_of(node)
        if declared is None or function is None or name in reassigned(source, function.body):
            return False
        if declared.node.type != "parameter_declaration" and not inside(declared.node, function.body):
            continue
        if declared.node.type == "declaration" and (
            declared.value is None or not is_uniform(source, declared.value, depth + 1)
        ):
            return False
    return True


def is_invariant(source: Source, node: Node, loop: Node) -> bool:
    """Return whether an expression has the same value in all turns of a loop: no name of it changes in the loop."""
    changed = assigned_names(source, loop)
    for one in walk(node):
        if one.type in ("call_expression", "update_expression", "assignment_expression", "subscript_expression"):
            return False
        if one.type == "pointer_expression":
            return False
        if one.type == "identifier" and source.at(one) in changed:
            return False
    return True


def not_negative(source: Source, node: Node, depth: int = 0) -> bool:
    """Return whether a whole-number expression cannot be negative: indices, sizes of the grid, and sums of them."""
    node = bare(node)
    if depth > 8:
        return False
    known = value_of(source, node)
    if known is not None:
        return known >= 0
    if is_unsigned(type_of(source, node)):
        return True
    if node.type == "identifier":
        declared = source.declaration_of(node)
        function = source.function_of(node)
        if declared is None or declared.value is None or function is None or declared.type not in ("int", "auto"):
            return False
        text = source.at(node)
        for one in walk(function.body, "assignment_expression", "update_expression"):
            target = bare(field(one, "left") if one.type == "assignment_expression" else field(one, "argument"))
            if source.at(target) != text:
                continue
            sign = field(one, "operator").type
            if sign == "++":
                continue
            if sign not in ("=", "+=", "*=", ">>=", "/=") or not not_negative(source, field(one, "right"), depth + 1):
                return False
        return not_negative(source, declared.value, depth + 1)
    if node.type == "binary_expression" and field(node, "operator").type in ("+", "*", "/", "%", "&", ">>"):
        return all(not_negative(source, field(node, side), depth + 1) for side in ("left", "right"))
    return False
