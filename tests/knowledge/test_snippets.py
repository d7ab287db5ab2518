"""The code before and after each fix: its shape, and that it compiles.

Device code is compiled with NVRTC; host code is checked against the headers of the CUDA toolkit with each launch
written as a call; Python is parsed.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from advisor.knowledge.libraries import libraries
from advisor.knowledge.loader import load
from advisor.knowledge.schemas import DiagnosisDef, FixDef
from advisor.practice.compiling import nvrtc
from advisor.readers import ptxas
from advisor.readers.ptxas import Compiled
from advisor.records import resources

FOLDERS = ("diagnoses", "timeline")
# Their fix is another measurement or report.
WITHOUT = {
    "unexplained",
    "unexplained_collect_deciding",
    "unexplained_find_failed_counters",
    "dominant_kernel",
    "healthy_pipeline",
}
CXX = shutil.which("c++") or shutil.which("g++")


def fixes() -> dict[str, FixDef]:
    """All fixes of diagnoses and timeline patterns: the general one by the id of the entry, others with their own."""
    root = resources.folder("knowledge")
    entries = [load(path, DiagnosisDef) for folder in FOLDERS for path in sorted((root / folder).glob("*.yaml"))]
    found = {fix.id: fix for fix in libraries().fix}
    for entry in entries:
        found |= {f"{entry.id}_{fix.id}" if fix.conditional else entry.id: fix for fix in entry.fixes}
    return found


def snippets(code: str) -> dict[str, str]:
    """Every `before` and `after` of one kind of code; the name also serves as a C++ namespace."""
    found = {}
    for id_, fix in fixes().items():
        if fix.before and fix.code == code:
            found |= {f"{id_}_before": fix.before, f"{id_}_after": fix.after}
    return found


@pytest.mark.parametrize("id_", sorted(fixes()))
def test_a_fix_shows_code_before_and_after(id_: str) -> None:
    fix = fixes()[id_]
    assert bool(fix.before) == bool(fix.after) == (id_ not in WITHOUT)
    if not fix.before:
        return
    assert fix.before.split() != fix.after.split()
    for text in (fix.before, fix.after):
        lines = text.rstrip().split("\n")
        assert 4 <= len(lines) <= 12
        assert max(map(len, lines)) <= 76
        assert "\t" not in text and not any(line != line.rstrip() for line in lines)
        assert text.isascii() and "TODO" not in text and "..." not in text


def joined(parts: dict[str, str]) -> str:
    """One source of all snippets, each in its namespace; a message names the snippet and its line."""
    includes = dict.fromkeys(
        line for text in parts.values() for line in text.split("\n") if line.startswith("#include")
    )
    spaces = []
    for name, text in parts.items():
        own = "\n".join("" if line.startswith("#include") else line for line in text.split("\n"))
        spaces.append(f'namespace {name} {{\n#line 1 "{name}"\n{own}\n}}')
    return "\n".join([*includes, *spaces]) + "\n"


def test_device_code_is_whole_functions() -> None:
    for name, text in snippets("kernel").items():
        assert "__global__ void" in text or "__device__" in text, name
    for name, text in (snippets("host") | snippets("python")).items():
        assert "__global__" not in text and "__device__" not in text, name


@pytest.fixture(scope="module")
def build() -> tuple[bool, str]:
    """All device code, compiled in one run: whether it succeeded, and the log."""
    compiler = nvrtc()
    assert compiler is not None, "the extra `compile` belongs to the extra `dev`"
    return compiler(joined(snippets("kernel")), "snippets.cu", "sm_90", False)


@pytest.mark.heavy
def test_device_code_compiles(build: tuple[bool, str]) -> None:
    good, log = build
    assert good, log
    assert "warning" not in log.lower(), log


@pytest.mark.heavy
def test_the_compiler_confirms_what_the_code_says(build: tuple[bool, str]) -> None:
    def kernel(name: str) -> Compiled:
        (found,) = (k for k in ptxas.parse(build[1].splitlines()) if name in k.mangled)
        return found

    spilled, fixed = kernel("register_spilling_before"), kernel("register_spilling_after")
    assert spilled.registers == 64 and spilled.spill_store_bytes and fixed.spill_store_bytes == 0
    assert kernel("local_memory_arrays_before").stack_bytes
    wide, narrow = kernel("low_occupancy_registers_before"), kernel("low_occupancy_registers_after")
    assert wide.registers and 65536 // 256 // 2 < wide.registers < 256
    assert narrow.registers and narrow.registers <= 65536 // 256 // 2 and narrow.spill_store_bytes == 0
    large, small = kernel("low_occupancy_shared_memory_before"), kernel("low_occupancy_shared_memory_after")
    assert (large.shared_bytes, small.shared_bytes) == (32 * 1024, 8 * 1024)


# What host code may use without a declaration.
HOST = """
#include <cuda_runtime.h>
#include <cstdlib>
#include <future>
using MPI_Request = int; using MPI_Status = int; using MPI_Comm = int; using MPI_Datatype = int;
const MPI_Comm MPI_COMM_WORLD = 0; const MPI_Datatype MPI_FLOAT = 0;
MPI_Status *MPI_STATUS_IGNORE, *MPI_STATUSES_IGNORE;
int MPI_Irecv(void*, int, MPI_Datatype, int source, int tag, MPI_Comm, MPI_Request*);
int MPI_Isend(const void*, int, MPI_Datatype, int to, int tag, MPI_Comm, MPI_Request*);
int MPI_Waitall(int, MPI_Request*, MPI_Status*);
int MPI_Sendrecv(const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);
void launch(dim3, dim3, size_t = 0, cudaStream_t = nullptr);
template <class F> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*, F*, int, size_t);
void step(float* in, float* out, int n), finish(float* in, float* out, int n), layer(float* field, int k);
void update_all(float* field, float* halo, int n), update_border(float* field, float* halo, int n);
void update_interior(float* field, int n), fill(float* x, int step);
void write_frame(float* frame, int step), write_after(cudaEvent_t, float* frame, int step);
float *in, *out, *field, *edge, *halo, *host, *host_in, *host_out;
int n, m, steps, layers, pieces, blocks, next, previous;
size_t bytes;
cudaStream_t stream, first, second, streams[2];
cudaEvent_t copied, ready, done;
cudaGraph_t graph;
cudaGraphExec_t exec;
"""
LAUNCH = re.compile(r"(\w+)<<<([^;]*?)>>>\(")


@pytest.mark.heavy
@pytest.mark.skipif(CXX is None, reason="host code is parsed by a C++ compiler")
def test_host_code_compiles(tmp_path: Path) -> None:
    from cuda import pathfinder

    parts = {name: f"void run() {{\n#line 1\n{text}}}" for name, text in snippets("host").items()}
    path = tmp_path / "host.cpp"
    path.write_text(HOST + LAUNCH.sub(r"launch(\2), \1(", joined(parts)), encoding="utf-8")
    headers = pathfinder.find_nvidia_header_directory("cudart")
    command = [str(CXX), "-fsyntax-only", "-std=c++17", f"-isystem{headers}", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr


def test_python_parses() -> None:
    for text in snippets("python").values():
        ast.parse(text)
