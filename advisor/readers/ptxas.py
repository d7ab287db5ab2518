"""Read the log of `ptxas -v` (nvcc -Xptxas -v): registers, stack, spills and shared memory of each kernel."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from advisor.readers.frame import Launch
from advisor.records.magnitudes import whole

_ENTRY = re.compile(r"Compiling entry function '([^']+)'(?: for '(sm_\d+\w?)')?")
_PROPERTIES = re.compile(r"Function properties for '?([\w$.]+)'?")
# A long run of digits is tried once, not from each of its places.
_SPILLS = re.compile(r"(?<!\d)(\d++) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(?<![\d+])([\d+]++) bytes smem")
_PLAIN = re.compile(r"_Z(\d+)")
_NESTED = re.compile(r"_ZN?[KVO]*")


class Compiled(Struct, frozen=True):
    """A kernel compiled for one architecture; bytes per thread (stack, spills) or per block (static shared memory)."""

    mangled: str
    name: str
    arch: str
    registers: int | None = None
    stack_bytes: int | None = None
    spill_store_bytes: int | None = None
    spill_load_bytes: int | None = None
    shared_bytes: int | None = None


def function_name(mangled: str) -> str:
    """Return the function's own name in an Itanium-mangled name, without a demangler: the last of its scopes.

    >>> function_name("_ZN2at6native6kernelIfEEvPT_")
    'kernel'
    """
    match = _NESTED.match(mangled)
    if not match:
        return mangled
    at, name, nested = match.end(), "", mangled.startswith("_ZN")
    while digits := re.compile(r"\d+").match(mangled, at):
        length = whole(digits.group()) or len(mangled)
        at = digits.end() + length
        name = mangled[digits.end() : at]
        if not nested:
            break
        if at < len(mangled) and mangled[at] == "I":
            at = _skip_arguments(mangled, at)
    return name or mangled


def _skip_arguments(mangled: str, at: int) -> int:
    """Return the position after a list of template arguments `I…E`; the end of the name if unknown."""
    depth = 0
    while at < len(mangled):
        if digits := re.compile(r"\d+").match(mangled, at):
            inside_literal = at > 1 and mangled[at - 2] == "L"
            at = digits.end() if inside_literal else digits.end() + (whole(digits.group()) or len(mangled))
            continue
        if mangled[at] in "INLXJ":
            depth += 1
        elif mangled[at] == "E":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return at


def parse(lines: Iterable[str]) -> tuple[Compiled, ...]:
    """Return the kernels of a log, in its order, without functions that are not kernels."""
    found: list[dict[str, object]] = []
    about: dict[str, object] | None = None
    for line in lines:
        if match := _ENTRY.search(line):
            about = {"mangled": match[1], "name": function_name(match[1]), "arch": match[2] or ""}
            found.append(about)
        elif (match := _PROPERTIES.search(line)) and found:
            about = found[-1] if match[1] == found[-1]["mangled"] else None
        elif about is not None:
            if match := _SPILLS.search(line):
                stack, stores, loads = (whole(part) for part in match.groups())
                about.update(stack_bytes=stack, spill_store_bytes=stores, spill_load_bytes=loads)
            if match := _USED.search(line):
                about["registers"] = whole(match[1])
                shared = _SHARED.search(line)
                # "4096+16 bytes smem" in old logs: the declared size and the size added by the compiler.
                about["shared_bytes"] = sum(whole(part) or 0 for part in shared[1].split("+")) if shared else 0
    return tuple(Compiled(**entry) for entry in found)  # type: ignore[arg-type]


def complete(launches: Sequence[Launch], compiled: Sequence[Compiled]) -> list[str]:
    """Add the log's values to launches whose report lacks them; return messages on kernels without a match.

    Kernels match launches by function name and, if the log has several architectures, by architecture. Instances of a
    template with different numbers match no launch, since their names are the same.
    """
    problems: dict[str, None] = {}
    for launch in launches:
        same = [c for c in compiled if c.name == launch.kernel]
        arch = f"sm_{launch.cc.replace('.', '')}"
        same = [c for c in same if c.arch.rstrip("af") == arch] or same
        numbers = {(c.registers, c.stack_bytes, c.spill_store_bytes, c.spill_load_bytes, c.shared_bytes) for c in same}
        if not same:
            problems[f"the ptxas log has no kernel {launch.kernel}"] = None
        elif len(numbers) > 1:
            problems[f"the ptxas log has {len(same)} different kernels {launch.kernel}, so none is used"] = None
        else:
            _add(launch, same[0])
    return list(problems)


def _add(launch: Launch, c: Compiled) -> None:
    for name, value in (
        ("registers_per_thread", c.registers),
        ("shared_static_bytes", c.shared_bytes),
        ("ptxas_stack_bytes", c.stack_bytes),
        ("ptxas_spill_store_bytes", c.spill_store_bytes),
        ("ptxas_spill_load_bytes", c.spill_load_bytes),
    ):
        if value is not None:
            launch.known.setdefault(name, float(value))
    if c.spill_store_bytes == 0 and c.spill_load_bytes == 0:
        launch.known.setdefault("spill_inst", 0.0)
