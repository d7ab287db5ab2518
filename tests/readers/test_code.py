"""Line tables with inlining, decoded from programs written by hand and from a recorded report; damage is harmless."""

from __future__ import annotations

import lzma
import random
from pathlib import Path

import pytest

from advisor.readers.code import BadCodeError, Code, Elf, Frame, LineTable, Symbol
from advisor.readers.container import code_of, walk
from advisor.readers.launch_code import read_code
from advisor.records import resources

REPORT = resources.folder("kernels") / "constant-lookup" / "recorded" / "h200" / "profile.ncu-rep.xz"
# Lengths, version 2, steps of one byte, line base -5 and range 14, nine standard operations, a folder and two files.
HEADER = (
    b"\x00" * 4
    + bytes([1, 1, 0xFB, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1])
    + b"/src\0\0"
    + b"k.cu\0\1\0\0lib/f.h\0\0\0\0\0"
)
START, END = b"\0\x09\2" + b"\0" * 8, b"\0\1\1"


class Table:
    """The parts of an ELF file that a line table is read from."""

    def __init__(self, *programs: bytes, names: bytes = b"", version: int = 2) -> None:
        body = version.to_bytes(2, "little") + HEADER + b"".join(programs)
        self._parts = {".debug_line": len(body).to_bytes(4, "little") + body, ".debug_str": names}

    def section(self, name: str) -> bytes:
        return self._parts[name]

    def symbols(self) -> list[Symbol]:
        return [Symbol("", 0, 0), Symbol("kernel", 7, 0x40)]

    def relocations(self, name: str) -> dict[int, tuple[int, int]]:
        return {self.section(name).index(START) + 3: (1, 0)}


def row(advance: int, line: int, *, call: tuple[int, int] | None = None, file: int | None = None) -> bytes:
    """A row `advance` bytes on and `line` lines down, perhaps of inlined code."""
    inlined = b"" if call is None else bytes([0, 3, 0x90, *call])
    named = b"" if file is None else bytes([4, file])
    return inlined + named + bytes([2, advance, 3, line & 0x7F, 1])


def decoded(*programs: bytes, names: bytes = b"", version: int = 2) -> LineTable:
    return LineTable(Table(*programs, names=names, version=version))  # type: ignore[arg-type]


def test_rows_name_their_file_and_the_calls_around_them() -> None:
    table = decoded(
        START,
        row(0, 9),  # row 1: line 10
        row(16, -6, call=(1, 0)),  # row 2: line 4, inlined at row 1
        row(0, -2, call=(2, 5), file=2),  # row 3: line 2 of another file, inlined at row 2
        row(16, 9, call=(0, 0), file=1),  # row 4: line 11, the kernel's own
        bytes([2, 16]),
        END,
        names=b"_Z3a\0_Z3b\0",
    )
    assert table.frames(7, 0x40) == (Frame("/src/k.cu", 10),)
    inner = (Frame("lib/f.h", 2, "_Z3b"), Frame("/src/k.cu", 4, "_Z3a"), Frame("/src/k.cu", 10))
    assert table.frames(7, 0x50) == table.frames(7, 0x58) == inner
    assert table.frames(7, 0x60) == (Frame("/src/k.cu", 11),)
    assert table.frames(7, 0x70) == table.frames(7, 0x3F) == table.frames(6, 0x50) == ()


def test_a_call_that_leads_nowhere_or_in_a_circle_ends() -> None:
    table = decoded(START, row(0, 9, call=(1, 0)), row(16, 1, call=(9, 0)), bytes([2, 16]), END)
    assert table.frames(7, 0x40) == (Frame("/src/k.cu", 10),)
    assert table.frames(7, 0x50) == (Frame("/src/k.cu", 11),)


@pytest.mark.parametrize("program", [b"\0\x09\2", bytes([2, 0x80]), b"\3" + b"\xff" * 12])
def test_a_program_that_breaks_off_is_refused(program: bytes) -> None:
    with pytest.raises(BadCodeError):
        decoded(START, program)


def test_unknown_versions_and_other_files_are_refused() -> None:
    with pytest.raises(BadCodeError, match="version 5"):
        decoded(START, END, version=5)
    with pytest.raises(BadCodeError, match="64-bit ELF"):
        Elf(b"\x7fELF\1\1" + b"\0" * 80)
    with pytest.raises(BadCodeError, match="ends inside"):
        Elf(b"\x7fELF\2\1" + b"\0" * 20)


def record() -> bytes:
    data = lzma.decompress(REPORT.read_bytes())
    return code_of(data, walk(data), 0)  # type: ignore[arg-type]


def test_damaged_code_says_nothing_and_never_raises() -> None:
    whole, dice = record(), random.Random(7)
    for _ in range(150):
        bad = bytearray(whole[: dice.randrange(len(whole))] if dice.random() < 0.3 else whole)
        for at in dice.choices(range(len(bad)), k=dice.randrange(1, 30)) if bad else ():
            bad[at] = dice.randrange(256)
        code = Code(bytes(bad))
        assert all(frame.line > 0 for pc in range(0, 4096, 16) for frame in code.frames(pc))
    assert Code(b"").frames(0) == () and Code(b"").ptx_line(0) == 0


def test_a_recorded_report_gives_lines_calls_ptx_and_its_source() -> None:
    code = read_code(REPORT, 0, ["inst_executed"])
    loads = [i for i, sass in enumerate(code.table["sass"]) if sass.startswith("LDC R") and "c[0x3]" in sass]
    assert len(loads) == 12
    text = (resources.folder("kernels") / "constant-lookup" / "1-constant.cu").read_text(encoding="utf-8").splitlines()
    for at in loads:
        line, ((file, call),) = int(code.table["line"][at]), code.calls[at]
        assert "linear[rgba & 255]" in text[line - 1] and "of_pixel(p.x)" in text[call - 1]
        assert Path(file).name == "1-constant.cu" and code.functions[at] == "_Z8of_pixelj"
        assert code.ptx[code.ptx_lines[at] - 1].strip().startswith("ld.const.f32")
    assert [Path(name).name for name in code.sources] == ["1-constant.cu"]
