"""A source is compiled without a GPU: NVRTC itself is asked, as the extra `compile` installs it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest
from standin_runs import source

from advisor.practice import compiling
from advisor.practice.compiling import ARCHITECTURES, Compiler, compile_all, compile_source, nvcc, nvrtc
from advisor.profiling.failures import compile_failure, remarks
from advisor.records.errors import InputError


@pytest.fixture(scope="module")
def lib() -> tuple[str, Compiler]:
    found = nvrtc()
    assert found is not None, "the extra `compile` belongs to the extra `dev`"
    return "NVRTC", found


def written(tmp_path: Path, text: str, name: str = "mine.cu") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


SPILLING = """// launch: many<<<1, 1024>>>(x, n)
extern "C" __global__ void __launch_bounds__(1024, 2) many(float* x, int n) {
  float a[64];
  for (int j = 0; j < 64; ++j) a[j] = x[threadIdx.x + j * n];
  for (int k = 0; k < n; ++k) {
#pragma unroll
    for (int j = 0; j < 64; ++j) a[j] = a[j] * a[(j + 7) % 64] + x[k];
  }
  for (int j = 0; j < 64; ++j) x[threadIdx.x + j * n] = a[j];
}
"""


def test_a_good_source_gives_registers_and_no_spills(tmp_path: Path, lib: tuple[str, Compiler]) -> None:
    build = compile_source(written(tmp_path, source()), "sm_90", lib)
    assert build.failure is None and build.compiler == "NVRTC"
    (kernel,) = build.kernels
    assert kernel.name == "scale" and kernel.registers is not None and 0 < kernel.registers < 64
    assert (kernel.spill_bytes, kernel.stack_bytes, kernel.shared_bytes) == (0, 0, 0)


def test_spills_and_shared_memory_are_reported(tmp_path: Path, lib: tuple[str, Compiler]) -> None:
    shared = source().replace(
        "  int i", "  __shared__ float t[512]; t[threadIdx.x] = a; __syncthreads(); a = t[n]; int i"
    )
    (tile,) = compile_source(written(tmp_path, shared), "sm_80", lib).kernels
    (many,) = compile_source(written(tmp_path, SPILLING, "many.cu"), "sm_80", lib).kernels
    assert tile.shared_bytes == 2048
    assert many.registers == 32 and many.spill_bytes is not None and many.spill_bytes > 0


@pytest.mark.parametrize("name", ["mine.cu", 'it "is" mine.cu', "mein Übung.cu"])
def test_errors_have_the_learners_own_lines(tmp_path: Path, lib: tuple[str, Compiler], name: str) -> None:
    text = source().replace("  if (i < n)", "  int unused;\n  if (j < n)")
    build = compile_source(written(tmp_path, text, name), "sm_90", lib)
    assert build.failure is not None and build.failure.kind == "compile"
    line = 1 + text[: text.index("(j < n)")].count("\n")
    assert build.failure.words == f'{name}:{line}: error: identifier "j" is undefined'
    assert [(r.line, r.severity) for r in build.failure.remarks] == [(line, "error"), (line - 1, "warning")]


def test_an_unknown_architecture_is_refused_in_words(tmp_path: Path, lib: tuple[str, Compiler]) -> None:
    build = compile_source(written(tmp_path, source()), "sm_12", lib)
    assert build.failure is not None and "mine.cu: does not compile: " in build.failure.words
    assert "architecture" in build.failure.words or "sm_12" in build.failure.words


@pytest.mark.parametrize("quick", [False, True])
def test_too_much_shared_memory_is_told(tmp_path: Path, lib: tuple[str, Compiler], quick: bool) -> None:
    text = source().replace("  int i", "  __shared__ float t[90000]; t[n] = a; __syncthreads(); a = t[0]; int i")
    build = compile_source(written(tmp_path, text), "sm_90", lib, quick)
    assert build.failure is not None and "too much shared data" in build.failure.words


def test_the_toolkits_headers_are_there(tmp_path: Path, lib: tuple[str, Compiler]) -> None:
    headers = "".join(f"#include <{name}>\n" for name in ("cuda_fp16.h", "mma.h", "cuda_pipeline.h"))
    assert compile_source(written(tmp_path, headers + source()), "sm_80", lib).failure is None


def test_a_launch_line_of_a_kernel_that_is_not_there_is_named(tmp_path: Path, lib: tuple[str, Compiler]) -> None:
    text = source(launch="scales<<<1, 256>>>(x, y, a, n)")
    build = compile_source(written(tmp_path, text), "sm_90", lib)
    assert build.failure is not None
    assert build.failure.words == "mine.cu:2: the file has no kernel 'scales': it has scale"


def test_what_python_launches_needs_no_launch_line(tmp_path: Path, lib: tuple[str, Compiler]) -> None:
    path = written(tmp_path, source().replace("// launch:", "//"))
    without = compile_source(path, "sm_90", lib)
    assert without.failure is not None and without.failure.words.startswith("mine.cu: no launch line")
    assert compile_source(path, "sm_90", lib, lines=False).failure is None
    wrong = written(tmp_path, source(launch="scales<<<1, 256>>>(x, y, a, n)"))
    assert compile_source(wrong, "sm_90", lib, lines=False).failure is not None


def test_without_a_compiler_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "compiler", lambda: None)
    build = compile_source(written(tmp_path, source()))
    assert build.failure is not None and build.failure.kind == "no_compiler"
    assert "pip install cuda-bindings" in build.failure.words


def test_nvcc_is_used_where_it_is_all_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in nvcc that says what nvcc says."""
    program = tmp_path / "nvcc"
    log = (
        "ptxas info    : Compiling entry function 'scale' for 'sm_86'\n"
        "ptxas info    : Function properties for scale\n"
        "    8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
        "ptxas info    : Used 10 registers, used 0 barriers, 380 bytes cmem[0]\n"
    )
    program.write_text(f"#!{sys.executable}\nimport sys\nsys.stdin.read()\nsys.stderr.write({log!r})\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = nvcc()
    assert found is not None
    build = compile_source(written(tmp_path, source()), "sm_86", ("nvcc", found))
    assert build.failure is None and build.compiler == "nvcc"
    (kernel,) = build.kernels
    assert (kernel.registers, kernel.stack_bytes, kernel.spill_bytes, kernel.shared_bytes) == (10, 8, 28, 0)


def test_a_compiler_that_never_ends_is_told(tmp_path: Path) -> None:
    def slow(text: str, name: str, arch: str, quick: bool) -> tuple[bool, str]:
        raise subprocess.TimeoutExpired("nvcc", 300)

    build = compile_source(written(tmp_path, source()), "sm_90", ("nvcc", slow))
    assert build.failure is not None and "did not finish within 300 s" in build.failure.words


def test_nvcc_ends_with_all_that_it_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its programs hold its output open: ending it alone would leave them at work, and their reader waiting."""
    program, pid = tmp_path / "nvcc", tmp_path / "pid"
    program.write_text(f"#!/bin/sh\n/bin/sh -c 'while :; do :; done' &\necho $! > {shlex.quote(str(pid))}\nwait\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(compiling, "_LIMIT_S", 2.0)
    found = nvcc()
    assert found is not None
    build = compile_source(written(tmp_path, source()), "sm_86", ("nvcc", found))
    assert build.failure is not None and "did not finish within 2 s" in build.failure.words
    stat = Path(f"/proc/{int(pid.read_text())}/stat")
    # A process that was killed takes a moment to die on a busy machine.
    deadline = time.monotonic() + 60
    while (state := _state(stat)) not in ("", "Z") and time.monotonic() < deadline:
        os.sched_yield()
    assert state in ("", "Z")


def _state(stat: Path) -> str:
    """The state of a process; empty when there is none."""
    try:
        return stat.read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def test_nvcc_takes_and_gives_bytes_that_no_locale_touches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "nvcc"
    program.write_text(f"#!{sys.executable}\nimport sys\nsys.stderr.buffer.write(sys.stdin.buffer.read() + b'\\xff')\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = nvcc()
    assert found is not None
    good, log = found("a → b, \udcff", "mine.cu", "sm_90", False)
    assert good and log == "a → b, \ufffd\ufffd"


def test_a_missing_source_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        compile_source(tmp_path / "none.cu")


def test_every_source_meets_every_architecture_in_order(tmp_path: Path) -> None:
    paths = [written(tmp_path, source(), f"{name}.cu") for name in "ab"]
    seen = []
    builds = compile_all([*paths, tmp_path / "c.cu"], ("sm_75", "sm_120"), done=lambda b: seen.append(b.arch))
    assert [(b.source.name, b.arch, b.failure and b.failure.kind) for b in builds] == [
        (name, arch, kind)
        for name, kind in (("a.cu", None), ("b.cu", None), ("c.cu", "source"))
        for arch in ("sm_75", "sm_120")
    ]
    assert len(seen) == 6 and compile_all([]) == ()


def test_a_quick_build_claims_no_registers(tmp_path: Path, lib: tuple[str, Compiler]) -> None:
    (kernel,) = compile_source(written(tmp_path, source()), "sm_90", lib, quick=True).kernels
    assert (kernel.name, kernel.registers, kernel.spill_bytes) == ("scale", None, None)


def test_the_architectures_are_those_that_are_promised() -> None:
    assert ARCHITECTURES == ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")


def test_a_log_without_a_known_line_still_gives_a_reason() -> None:
    assert compile_failure("nvrtc: error: invalid value for --gpu-architecture (-arch)", "/a/b.cu").words == (
        "b.cu: does not compile: nvrtc: error: invalid value for --gpu-architecture (-arch)"
    )
    assert compile_failure("", "/a/b.cu").words == "b.cu: does not compile: no reason given"
    assert remarks('a b.cu(7): catastrophic error: could not open source file "x.h"')[0].severity == "error"
