"""Sources and cubins that crash, stop or starve a compiler end in one line. More of them: bench/hostile_commands."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from advisor.emulator import nvrtc
from advisor.emulator.compile import compile_cubin
from advisor.emulator.cubin import from_elf, kernels, read_cubin
from advisor.emulator.program import RefusedError
from advisor.readers.code import Elf
from tests.bench.hostile_commands import damaged_cubins, whole_cubin
from tests.emulator.tools import needs_tools, run

PLAIN = "__global__ void k(float *a) { a[threadIdx.x] *= 2.0f; }\n"
LAUNCH = ("--grid", "1", "--block", "32", "--arg", "float[32]")

needs_nvrtc = pytest.mark.skipif(not nvrtc.CHILD.starts(), reason="needs NVRTC")


@needs_nvrtc
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_source_on_which_the_compiler_never_ends_is_refused_and_the_next_one_compiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    with monkeypatch.context() as patch:
        patch.setattr(nvrtc, "_COMPILE_S", 1.0)
        patch.setattr(nvrtc, "_MOST_S", 2.0)
        with pytest.raises(RefusedError, match="did not end within 1 s"):
            compile_cubin(f'#include "{tmp_path}/pipe"\n{PLAIN}', "k.cu", "sm_90")
    assert kernels(compile_cubin(PLAIN, "k.cu", "sm_90"))


@needs_nvrtc
@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_compiler_that_has_died_is_started_again() -> None:
    compile_cubin(PLAIN, "k.cu", "sm_90")
    child = nvrtc.CHILD._child
    assert child is not None
    os.kill(child.pid, signal.SIGKILL)
    assert kernels(compile_cubin(PLAIN, "k.cu", "sm_90"))
    assert nvrtc.CHILD._child is not None and nvrtc.CHILD._child.pid != child.pid


@needs_nvrtc
@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_source_that_crashes_the_compiler_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(child: nvrtc.Child, seconds: float) -> bytes | None:
        os.kill(child.pid, signal.SIGSEGV)
        return real(child, seconds)

    compile_cubin(PLAIN, "k.cu", "sm_90")
    assert nvrtc.CHILD.starts()
    real = nvrtc._next
    monkeypatch.setattr(nvrtc.NvrtcChild, "_started", lambda self: self._child)
    monkeypatch.setattr(nvrtc, "_next", crash)
    monkeypatch.setattr(nvrtc.CHILD, "_owner", 0)  # a child that was not kept, so that it is not tried again
    child = nvrtc.CHILD._child
    assert child is not None
    with pytest.raises(RefusedError, match=rf"crashed or needs more than 2 GB \(signal {signal.SIGSEGV}\)"):
        compile_cubin(PLAIN, "k.cu", "sm_90")


@needs_nvrtc
def test_a_byte_order_mark_is_no_error() -> None:
    assert kernels(compile_cubin(f"\ufeff{PLAIN}", "k.cu", "sm_90"))


@needs_tools
def test_damaged_cubins_are_decoded_or_refused_in_one_line() -> None:
    for kind, data in damaged_cubins(35, 7):
        try:
            known = kernels(data)
            read_cubin(data, known[0] if known else "k")
        except RefusedError as refused:
            assert "\n" not in str(refused) and "/tmp" not in str(refused), kind


@needs_tools
@pytest.mark.parametrize(
    ("section", "what"),
    [(".nv.constant3", "constant bank 3"), (".nv.shared._Z1kPfPKii", "shared memory")],
)
def test_a_section_of_absurd_size_is_refused_before_it_is_allocated(section: str, what: str) -> None:
    data = bytearray(whole_cubin())
    row = int.from_bytes(data[0x28:0x30], "little") + 64 * Elf(bytes(data)).names.index(section)
    data[row + 4 : row + 8] = (8).to_bytes(4, "little")  # no bytes in the file
    data[row + 32 : row + 40] = (1 << 40).to_bytes(8, "little")
    with pytest.raises(RefusedError, match=f"bytes of {what}: no GPU has over"):
        from_elf(Elf(bytes(data)), "_Z1kPfPKii", [])


@pytest.mark.parametrize("command", ["emulate", "fix"])
def test_what_is_no_source_is_one_line(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    large, text = tmp_path / "large.cu", tmp_path / "latin.cu"
    large.write_bytes(b" " * ((16 << 20) + 1))
    text.write_bytes(b"// caf\xe9\n")
    for path, words in (
        (large, "too large"),
        (text, "not UTF-8 text"),
        (tmp_path, "a folder"),
        (tmp_path / "none.cu", "no such file"),
        (text / "k.cu", "no such file"),
        (Path(os.devnull), "a pipe or a device"),
    ):
        assert run(command, str(path), *LAUNCH) == 2
        (line,) = capsys.readouterr().err.strip().splitlines()
        assert words in line
