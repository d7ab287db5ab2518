from __future__ import annotations

import math
import time
from pathlib import Path

import pytest

from advisor.readers.frame import Launch
from advisor.readers.ptxas import complete, function_name, parse
from advisor.readers.read import read
from advisor.records.errors import InputError

LOG = """ptxas info    : 0 bytes gmem, 4 bytes cmem[3]
ptxas info    : Compiling entry function '_Z5saxpyifPfS_' for 'sm_86'
ptxas info    : Function properties for _Z5saxpyifPfS_
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 0 barriers, 380 bytes cmem[0]
ptxas info    : Compiling entry function '_ZN2at6native6kernelIfEEvPT_' for 'sm_86'
ptxas info    : Function properties for _ZN2at6native6kernelIfEEvPT_
    96 bytes stack frame, 128 bytes spill stores, 132 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 4096+16 bytes smem, 380 bytes cmem[0]
ptxas info    : Function properties for _ZN6helperEv
    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
"""


def test_registers_spills_stack_and_shared_memory_are_read() -> None:
    saxpy, kernel = parse(LOG.splitlines())
    assert (saxpy.name, saxpy.arch, saxpy.registers, saxpy.shared_bytes) == ("saxpy", "sm_86", 12, 0)
    assert (kernel.name, kernel.registers, kernel.stack_bytes) == ("kernel", 32, 96)
    assert (kernel.spill_store_bytes, kernel.spill_load_bytes, kernel.shared_bytes) == (128, 132, 4112)


@pytest.mark.parametrize(
    ("mangled", "name"),
    [
        ("saxpy", "saxpy"),
        ("_Z5saxpyifPfS_", "saxpy"),
        ("_ZN2at6native6kernelIfEEvPT_", "kernel"),
        ("_ZN7cutlass6KernelINS_4gemm6kernel4GemmILi128ELb1EEEEEvT_", "Kernel"),
        ("_Z14sgemm_2d_tilesILi128ELi8EEvPKf", "sgemm_2d_tiles"),
        ("_ZN2nsIfE3runEv", "run"),
        ("_Z", "_Z"),
    ],
)
def test_the_function_is_found_in_a_mangled_name(mangled: str, name: str) -> None:
    assert function_name(mangled) == name


def test_what_a_report_lacks_is_filled_in_and_what_it_has_is_kept(tmp_path: Path) -> None:
    log, text = tmp_path / "build.log", tmp_path / "ncu.txt"
    log.write_text(LOG)
    text.write_text(
        "  saxpy(int) (64, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 8.6\n    Section: GPU Speed Of Light\n"
        "  kernel(float *) (64, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 8.6\n"
        "    Section: Launch Statistics\n"
        "    --------------------- --------------- ------------\n"
        "    Metric Name               Metric Unit Metric Value\n"
        "    --------------------- --------------- ------------\n"
        "    Registers Per Thread  register/thread           40\n"
        "    --------------------- --------------- ------------\n"
    )
    frame = read(text, ptxas=log).frame
    assert list(frame["registers_per_thread"]) == [12.0, 40.0]
    assert list(frame["shared_static_bytes"]) == [0.0, 4112.0]
    assert frame["spill_inst"][0] == 0.0
    assert math.isnan(frame["spill_inst"][1])


def test_a_kernel_that_cannot_be_told_apart_is_left_alone_and_said() -> None:
    log = LOG + LOG.replace("Used 12", "Used 14")
    launch = Launch(0, "saxpy", "saxpy(int)", cc="8.6")
    (problem,) = complete([launch], parse(log.splitlines()))
    assert "saxpy" in problem
    assert launch.known == {}


def test_the_architecture_of_the_launch_is_chosen() -> None:
    log = LOG + LOG.replace("sm_86", "sm_90").replace("Used 12", "Used 14")
    launch = Launch(0, "saxpy", "saxpy(int)", cc="9.0")
    assert complete([launch], parse(log.splitlines())) == []
    assert launch.known["registers_per_thread"] == 14.0


def test_a_log_without_kernels_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "build.log"
    log.write_text("nvcc warning: nothing here\n")
    with pytest.raises(InputError, match="Xptxas"):
        read(Path(__file__).parents[1] / "data" / "tour_details.txt", ptxas=log)


def test_a_line_of_a_million_digits_is_read_in_no_time() -> None:
    started = time.process_time()
    found = parse([*LOG.splitlines()[:3], "16 by" + "9" * 300_000, "+1" * 100_000, *LOG.splitlines()[3:5]])
    assert [(one.registers, one.shared_bytes) for one in found] == [(12, 0)]
    assert time.process_time() - started < 2
