"""Compare a report of forty.cu with the emulated counts, and its results with the emulated results.

    python -m tests.bench.emulated.forty.compare REPORT [RESULTS]

RESULTS is what the program printed. Its sums of y and z are compared with those of the memory after all blocks were
emulated; they differ where a floating-point operation or the order of atomic operations does.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from advisor.emulator.check import run_whole
from advisor.emulator.counts import Problem
from advisor.emulator.launch import Argument, Pointer
from advisor.emulator.memory import Fill
from advisor.emulator.program import Program
from advisor.emulator.report import read_launch, unpacked
from advisor.emulator.state import FaultError
from advisor.practice.emulated import fill_of
from advisor.practice.validation import Row, totals
from advisor.records.errors import AdvisorError
from advisor.view.pages.emulated_validation import validation_page
from advisor.view.writers.terminal import terminal_text
from tests.bench.emulated.compare import compared_row

COUNT = 1 << 18
Array = np.ndarray[Any, Any]
_LAUNCH = re.compile(r"^LAUNCH\(([\w<>]+), \((.*?)\), \((.*?)\), (\d+), (.*)\)$", re.MULTILINE)
_STRUCTURE = re.compile(r"\w+\{(.*)\}")
_INPUTS: dict[str, Callable[[Array], Array]] = {
    "x": lambda v: (v >> 8).astype(np.float32) / np.float32(1 << 24),
    "k": lambda v: (v >> 8).astype(np.int32),
    "d": lambda v: v / 4294967296.0,
    "h": lambda v: ((v >> 21) / 2048.0).astype(np.float16),
    "b": lambda v: (v >> 24).astype(np.uint8),
}


@dataclass(frozen=True)
class Launch:
    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int
    arguments: tuple[Argument, ...]

    def problem(self, arrays: dict[str, tuple[int, Fill | None]], program: Program) -> Problem:
        """Return the launch with the code of a report."""
        return Problem(program, self.grid, self.block, self.arguments, arrays, self.shared)


def launches() -> list[Launch]:
    """Return the launches of launches.h."""
    text = Path(__file__).with_name("launches.h").read_text(encoding="utf-8")
    out = []
    for kernel, grid, block, shared, words in _LAUNCH.findall(text):
        # The commas in a structure's braces do not separate arguments.
        parts = re.findall(r"\w+\{.*?\}|[^,\s]+", words)
        out.append(Launch(kernel, _shape(grid), _shape(block), int(shared), tuple(map(argument, parts))))
    return out


def _shape(text: str) -> tuple[int, int, int]:
    x, y, z = map(int, text.split(","))
    return x, y, z


def argument(text: str) -> Argument:
    """Return an argument written as in C++: an array's name, a literal, or a structure of literals of four bytes."""
    if text in {*_INPUTS, "y", "z"}:
        return Pointer(text)
    if structure := _STRUCTURE.fullmatch(text):
        content = b"".join(_literal(word.strip()).tobytes() for word in structure[1].split(","))
        return np.frombuffer(content, np.dtype((np.void, len(content))))[0]
    return _literal(text)


def _literal(text: str) -> np.generic:
    if text.endswith("f"):
        return np.float32(text[:-1])
    if text.endswith("u"):
        return np.uint32(int(text[:-1]))
    return np.float64(text) if "." in text else np.int32(int(text))


def hashed(salt: int) -> Array:
    """Return the 32-bit values from which forty.cu makes the inputs of a salt."""
    v = np.arange(salt, salt + COUNT, dtype=np.uint32)
    v = (v ^ v >> 16) * np.uint32(0x7FEB352D)
    v = (v ^ v >> 15) * np.uint32(0x846CA68B)
    return v ^ v >> 16


def arrays() -> dict[str, tuple[int, Fill | None]]:
    """Return all arrays of forty.cu."""
    out: dict[str, tuple[int, Fill | None]] = {}
    for number, (name, value) in enumerate(_INPUTS.items()):
        content = value(hashed(number << 20))
        out[name] = (content.nbytes, fill_of(content))
    return {**out, "y": (4 * COUNT, None), "z": (4 * COUNT, None)}


def summed(content: Array) -> int:
    """Return the sum of an array's 32-bit words, weighted by their places, as forty.cu prints it."""
    words = content.view(np.uint32).astype(np.uint64)
    return int((words * (np.arange(COUNT, dtype=np.uint64) % np.uint64(1021) + np.uint64(1))).sum(dtype=np.uint64))


def compared_results(report: Path, index: int, one: Launch, printed: list[str]) -> str:
    """Return whether y and z after the emulation are what the program printed."""
    try:
        done = run_whole(one.problem(arrays(), read_launch(report, index).program))
    except FaultError as e:
        return f"error: {e.words}"
    except AdvisorError as e:
        return f"refused: {e}"
    equal = [summed(done.memory.content(name)) == int(there) for name, there in zip("yz", printed, strict=True)]
    return "equal" if all(equal) else "different"


def main(report: Path, results: Path | None) -> None:
    """Print the table of counts, and that of results."""
    made, found, lines = arrays(), launches(), []
    rows: list[Row] = []
    words = [line.split() for line in results.read_text(encoding="utf-8").splitlines()] if results else []
    printed = {kernel: sums for kernel, *sums in words}
    with unpacked(report) as path:
        for index, one in enumerate(found):
            rows.append(compared_row(path, index, one.kernel, partial(one.problem, made)))
            if one.kernel in printed:
                lines.append(f"{one.kernel}: {compared_results(path, index, one, printed[one.kernel])}")
    print(terminal_text(validation_page(rows, totals(rows)), width=120))
    if lines:
        right = sum(line.endswith(": equal") for line in lines)
        print("\nResults after all blocks, against those that the program printed")
        print("\n".join(lines))
        print(f"{right} of {len(lines)} equal")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
