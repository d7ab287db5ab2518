"""Write what a child process needs to repeat a call, a block or a cell.

A function of a module or a script is found again by its name. Anything else is sent by value with cloudpickle; kernels
that a decorator compiles from their source (Triton, Numba) are sent as that source, so that the line information in
the report names their lines.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import inspect
import linecache
import pickle
import sys
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from msgspec import Struct

from advisor.records.errors import InputError, UsageError
from advisor.records.extras import need

# Attribute of a compiled kernel that is the plain function, by the first part of its class's module.
_PLAIN = {"triton": "fn", "numba": "py_func"}


class Sent(Struct, frozen=True):
    """A file for `child`, and what to show for the files that it names: file in the child -> name here."""

    file: Path
    shown: Mapping[str, str] = {}


def _pickler() -> Any:
    need("advise", "cloudpickle")
    import cloudpickle

    return cloudpickle


def dumped(value: Any, what: str) -> bytes:
    """Return a value as a pickle. Raises InputError, with one line that names `what`, if it has none."""
    pickler = _pickler()
    try:
        return bytes(pickler.dumps(value))
    except Exception as e:  # any class may raise anything here
        why = " ".join(str(e).split())[:200]
        raise InputError(
            f"{what} cannot be sent to the process that ncu profiles ({why}): create it inside of what is profiled"
        ) from None


def _write(folder: Path, work: bytes, shown: Mapping[str, str]) -> Sent:
    place = folder / "work.pickle"
    place.write_bytes(pickle.dumps({"path": [str(Path(p or ".").resolve()) for p in sys.path]}) + work)
    return Sent(place, shown)


def send_call(folder: Path, function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> Sent:
    """Write a call. Raises InputError if the function or an argument cannot be sent."""
    work: dict[str, Any] = {"arguments": arguments, "named": named}
    place = _place(function)
    if place is not None:
        return _write(folder, dumped({**work, "place": place}, f"an argument of {function.__name__}"), {})
    # The source of a lambda is a line around it.
    if function.__closure__ or not function.__name__.isidentifier() or not _has_source(function):
        return _write(folder, dumped({**work, "function": function}, function.__name__), {})
    names = {**function.__globals__, function.__name__: function, "_arguments": arguments, "_named": named}
    return send_block(folder, f"{function.__name__}(*_arguments, **_named)\n", "the call", names)


def _place(function: Callable[..., Any]) -> tuple[str, str, str] | None:
    """Return module, qualified name and main file of a function that an import finds again, else None."""
    module, name = function.__module__, function.__qualname__
    if "<" in name or not _is_named(function, module, name):
        return None
    if module != "__main__":
        return module, name, ""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    if spec is not None:  # `python -m package.module`
        return str(spec.name), name, ""
    main = getattr(sys.modules["__main__"], "__file__", None)
    return (module, name, str(Path(main).resolve())) if main and Path(main).is_file() else None


def _is_named(function: Callable[..., Any], module: str, name: str) -> bool:
    """Return whether the module has this function, or a decorated form of it, under its name."""
    there: Any = sys.modules.get(module)
    for part in name.split("."):
        there = getattr(there, part, None)
    while there is not None and there is not function:
        there = getattr(there, "__wrapped__", None)
    return there is function


def _plain(value: Any) -> Any:
    """Return the plain function of a function or compiled kernel of the notebook, or None."""
    attribute = _PLAIN.get(type(value).__module__.partition(".")[0])
    plain = getattr(value, attribute, None) if attribute else value
    if plain is None:
        return None
    mine = inspect.isfunction(plain) and plain.__module__ == "__main__" and "<" not in plain.__qualname__
    return plain if mine and _has_source(plain) else None


def _has_source(function: Callable[..., Any]) -> bool:
    with contextlib.suppress(OSError, TypeError):
        return bool(inspect.getsourcelines(function))
    return False


def send_block(folder: Path, source: str, title: str, names: Mapping[str, Any]) -> Sent:
    """Write the source of a block or cell, with those of `names` that it reads. title: what to call it in pages.

    Functions and kernels of the notebook are sent as source, everything else by value. Raises InputError for a value
    that cannot be sent.
    """
    values: dict[str, Any] = {}
    sources: list[tuple[str, str]] = []
    shown: dict[str, str] = {}
    seen: set[str] = set()

    def visit(name: str) -> None:
        if name in seen or name not in names or names[name] is getattr(builtins, name, names):
            return
        seen.add(name)
        value = names[name]
        plain = _plain(value)
        if plain is None:
            dumped(value, f"{name!r}")  # each alone, so that an error names it
            values[name] = value
            return
        text, file = kernel_source(plain)
        for other in sorted(names_read(text)):  # what decorators and defaults read comes first
            visit(other)
        place = str(folder / f"{name}.py")
        shown[place] = file
        sources.append((place, text))

    for name in sorted(names_read(source)):
        visit(name)
    body = str(folder / "the-block.py")  # no function can have that name
    shown[body] = title
    sources.append((body, source))
    for place, text in sources:  # ncu and the compiler of Triton read them from the disk
        Path(place).write_text(text, encoding="utf-8")
    return _write(folder, dumped({"sources": sources, "names": values}, title), shown)


def kernel_source(plain: Callable[..., Any]) -> tuple[str, str]:
    """Return the source of a function or kernel with its decorators, at its own line numbers, and its file."""
    lines, first = inspect.getsourcelines(plain)
    return "\n" * (first - 1) + textwrap.dedent("".join(lines)), inspect.unwrap(plain).__code__.co_filename


def names_read(source: str) -> frozenset[str]:
    """Return the names that some source reads; those that it only assigns are not among them."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.add(node.id)
    return frozenset(found)


def block_of(frame: FrameType) -> tuple[str, str]:
    """Return the body of the `with` statement that a frame is at, at its own line numbers, and its file.

    Raises UsageError if the source is not known.
    """
    file = frame.f_code.co_filename
    text = "".join(linecache.getlines(file, frame.f_globals))
    if not text:
        raise UsageError("`with advise()` needs the source of its block: use it in a file or a notebook cell")
    found: ast.With | None = None
    for node in ast.walk(ast.parse(text)):
        last = getattr(node, "end_lineno", 0) or 0
        if isinstance(node, ast.With) and node.lineno <= frame.f_lineno <= last:
            inside = node.body[0].lineno > frame.f_lineno or node.lineno == frame.f_lineno
            if inside and (found is None or node.lineno >= found.lineno):
                found = node
    if found is None:
        raise UsageError("`with advise()` is used as a statement")
    first, last = found.body[0].lineno, found.body[-1].end_lineno or found.body[-1].lineno
    # The lines keep their indentation, which the text of a string among them may lack.
    body = "\n" * (first - 2) + "if True:\n" + "".join(text.splitlines(keepends=True)[first - 1 : last])
    with contextlib.suppress(SyntaxError):
        ast.parse(body)
        return body, file
    raise UsageError("put the block of `with advise()` on lines of its own")
