"""The tools for coding agents, called with the official client of the protocol."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client

from advisor.mcp_server.brief import CHARACTERS, brief
from advisor.mcp_server.reports import Reports
from advisor.mcp_server.server import build
from advisor.records.errors import UsageError
from advisor.view.blocks import Bullets, Code, Facts, Page, Paragraph, Section, facts
from tests.emulator.tools import needs_tools

KERNELS = Path(__file__).parents[2] / "kernels"
CONFLICTS = "bank-conflicts/recorded/h200/profile.ncu-rep.xz"
COPY = "good-copy/recorded/h200/profile.ncu-rep.xz"


async def call(client: Client, tool: str, **arguments: Any) -> tuple[str, bool]:
    result = await client.call_tool(tool, arguments)
    return "\n".join(part.text for part in result.content), bool(result.is_error)


@pytest.fixture(scope="module")
def server() -> Any:
    return build(KERNELS)


async def test_the_tools_only_read_and_describe_every_argument(server: Any):
    async with Client(server) as client:
        tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == [
        "diagnose", "why", "why_not", "what_if", "compare", "explain", "ask", "next_profile", "emulate"
    ]  # fmt: skip
    for tool in tools:
        assert tool.annotations is not None and tool.annotations.read_only_hint
        assert tool.description and "Returns" in tool.description
        assert all("description" in one for one in tool.input_schema["properties"].values()), tool.name


async def test_a_report_is_listed_and_a_launch_has_cause_fix_line_and_sources(server: Any):
    async with Client(server) as client:
        listed, _ = await call(client, "diagnose", report=CONFLICTS)
        one, _ = await call(client, "diagnose", report=CONFLICTS, launch=0)
    assert "| 0 | transpose |" in listed and "(bank_conflicts)" in listed
    assert "**Cause:** Shared-memory bank conflicts (bank_conflicts)" in one
    assert "1-tile.cu:10" in one and "[32][33]" in one
    assert "shared_wavefront_ratio = 16.5, test > 1.1" in one and "guide.step3.bank" in one


async def test_answers_are_short_and_the_same_on_repetition(server: Any):
    calls: list[tuple[str, dict[str, Any]]] = [
        ("diagnose", {"report": CONFLICTS}),
        ("diagnose", {"report": f"{CONFLICTS}#0"}),
        ("why", {"report": CONFLICTS}),
        ("why_not", {"report": CONFLICTS, "finding": "memory_latency"}),
        ("what_if", {"report": CONFLICTS, "values": {"l1_wavefronts_pct": 20}}),
        ("compare", {"base": f"{CONFLICTS}#0", "current": f"{CONFLICTS}#1"}),
        ("explain", {"word": "bank_conflicts"}),
        ("ask", {"report": CONFLICTS, "question": "is it memory bound"}),
        ("next_profile", {"report": CONFLICTS}),
    ]
    async with Client(server) as client:
        first = [await call(client, tool, **arguments) for tool, arguments in calls]
    async with Client(build(KERNELS)) as client:
        again = [await call(client, tool, **arguments) for tool, arguments in calls]
    assert first == again
    assert all(not wrong and 0 < len(text) <= CHARACTERS for text, wrong in first)


async def test_why_and_why_not_show_the_rule_its_numbers_and_sources(server: Any):
    async with Client(server) as client:
        why, _ = await call(client, "why", report=CONFLICTS, launch=0)
        why_not, _ = await call(client, "why_not", report=CONFLICTS, launch=0, finding="memory_latency")
        wrong, refused = await call(client, "why", report=CONFLICTS, launch=0, finding="memory_latency")
    assert "bank_conflicts.excess" in why and "shared_wavefront_ratio = 16.5" in why and "**source:**" in why
    assert "memory_latency.waiting did not fire" in why_not and "does not hold" in why_not
    assert refused and "call `why_not`" in wrong


async def test_a_changed_value_changes_the_diagnosis_and_says_that_it_was_assumed(server: Any):
    async with Client(server) as client:
        idle = {"l1_wavefronts_pct": 20, "stall_short_scoreboard_pct": 2, "stall_mio_throttle_pct": 2}
        text, _ = await call(client, "what_if", report=CONFLICTS, launch=0, values=idle)
        unknown, refused = await call(client, "what_if", report=CONFLICTS, values={"speed": 1})
        impossible, also = await call(client, "what_if", report=CONFLICTS, values={"dram_pct": -5})
    assert "Assuming l1_wavefronts_pct = 20" in text and "**Gone:** bank_conflicts" in text
    assert refused and "no metric is called 'speed'" in unknown
    assert also and "dram_pct" in impossible


async def test_a_question_that_is_not_understood_is_not_answered(server: Any):
    async with Client(server) as client:
        text, wrong = await call(client, "ask", report=COPY, question="what is the weather in Paris")
        fine, _ = await call(client, "ask", report=COPY, question="why is it slow")
    assert not wrong and "not" in text.lower() and "°" not in text
    assert "not held back by a fault" in fine


async def test_a_fast_kernel_is_not_given_a_fault(server: Any):
    async with Client(server) as client:
        text, _ = await call(client, "diagnose", report=COPY, launch=0)
    assert "near_memory_roofline" in text


async def test_files_outside_the_folder_are_refused(tmp_path: Path):
    inside = tmp_path / "inside"
    inside.mkdir()
    shutil.copy(KERNELS / COPY, tmp_path / "secret.ncu-rep.xz")
    (inside / "link.ncu-rep.xz").symlink_to(tmp_path / "secret.ncu-rep.xz")
    async with Client(build(inside)) as client:
        for name in ("../secret.ncu-rep.xz", str(tmp_path / "secret.ncu-rep.xz"), "link.ncu-rep.xz", "/etc/passwd"):
            for tool, arguments in (("diagnose", {"report": name}), ("compare", {"base": name, "current": name})):
                text, wrong = await call(client, tool, **arguments)
                assert wrong and "outside the folder" in text, name
        for name in (
            "absent.ncu-rep",
            "a\0b",
            "a\0b#1",
            "x" * 4000 + "#1",
            "x" * 5000,
            "x" * 4000,
            "x/" * 2000,
            ".",
            "",
        ):
            text, wrong = await call(client, "diagnose", report=name)
            assert (
                wrong
                and "Traceback" not in text
                and ("tool diagnose: " in text or len(name) > 4096)
                and len(text) < 500
            ), name


async def test_a_report_that_is_removed_meanwhile_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "gone.ncu-rep").write_bytes(b"NVR\0")
    side = Reports.side

    def removed(self: Reports, text: str) -> Any:
        found = side(self, text)
        (tmp_path / "gone.ncu-rep").unlink()
        return found

    monkeypatch.setattr(Reports, "side", removed)
    async with Client(build(tmp_path)) as client:
        text, wrong = await call(client, "diagnose", report="gone.ncu-rep")
    assert wrong and text.endswith("gone.ncu-rep: No such file or directory") and "\n" not in text


async def test_an_unreadable_report_is_one_line(tmp_path: Path):
    (tmp_path / "cut.ncu-rep").write_bytes(b"NVR\0garbage")
    async with Client(build(tmp_path)) as client:
        text, wrong = await call(client, "diagnose", report="cut.ncu-rep")
    assert wrong and "cut.ncu-rep" in text and "\n" not in text


async def test_a_report_that_changed_is_read_again(tmp_path: Path):
    report = tmp_path / "now.ncu-rep.xz"
    shutil.copy(KERNELS / CONFLICTS, report)
    async with Client(build(tmp_path)) as client:
        before, _ = await call(client, "diagnose", report="now.ncu-rep.xz")
        shutil.copy(KERNELS / COPY, report)
        after, _ = await call(client, "diagnose", report="now.ncu-rep.xz")
    assert "transpose" in before and "transpose" not in after


async def test_the_command_serves_over_standard_input_and_output():
    command = StdioServerParameters(command=sys.executable, args=["-m", "advisor", "mcp", "--root", str(KERNELS)])
    async with Client(stdio_client(command)) as client:
        text, wrong = await call(client, "explain", word="sector")
    assert not wrong and "32 aligned bytes" in text


def test_a_root_that_is_no_folder_is_refused(tmp_path: Path):
    with pytest.raises(UsageError, match="there is no such folder"):
        build(tmp_path / "absent")


def test_a_long_page_keeps_its_beginning_closes_code_and_names_what_is_left_out():
    page = Page(
        "title",
        (Paragraph("first"), facts(("Class", "DRAM-bound"))),
        (
            Section("Code", (Code("", 1, tuple(f"line {n}" for n in range(500))),)),
            Section("List", (Bullets(tuple("x" * 50 for _ in range(500))),)),
            Section("Short", (Paragraph("the end"),)),
        ),
    )
    text = brief(page, 2000)
    assert len(text) <= 2000
    assert "first" in text and "DRAM-bound" in text
    assert text.count("```") % 2 == 0
    assert "Left out for length: the rest of 'Code'" in text and "List" in text.splitlines()[-1]


def test_ids_have_no_backslashes_but_code_keeps_its_own():
    page = Page("", (Paragraph("near_memory_roofline [x]"), Code("", 1, (r"printf(\"a\_b\")",))), ())
    text = brief(page)
    assert "near_memory_roofline [x]" in text and r"a\_b" in text


def test_a_page_that_fits_is_left_whole():
    page = Page("t", (Facts(()),), (Section("s", (Paragraph("all"),)),))
    assert "Left out" not in brief(page)


WALK = """#include <cuda_fp16.h>
extern "C" __global__ void walk(const float* in, float* out, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += in[row * n + i];
  out[row] = sum;
}
"""
SHAPE: dict[str, Any] = {"source": "walk.cu", "grid": "64", "block": "128"}
ARGUMENTS = ["float[524288]", "float[8192]=zeros", "int=64"]


@needs_tools
async def test_a_source_is_counted_without_a_gpu(tmp_path: Path):
    (tmp_path / "walk.cu").write_text(WALK)
    async with Client(build(tmp_path)) as client:
        text, wrong = await call(client, "emulate", **SHAPE, arguments=ARGUMENTS)
        again, _ = await call(client, "emulate", **SHAPE, arguments=ARGUMENTS)
        modelled, _ = await call(client, "emulate", **SHAPE, arguments=ARGUMENTS, gpu="H100-SXM")
        few, refused = await call(client, "emulate", **SHAPE, arguments=ARGUMENTS[:2])
        other, also = await call(client, "emulate", **SHAPE, arguments=ARGUMENTS, kernel="run")
    assert not wrong and text == again and len(text) <= CHARACTERS
    assert "Uncoalesced global access (medium confidence)" in text and "walk.cu:5" in text and "are unknown" in text
    assert "Modelled for H100" in modelled and str(tmp_path) not in modelled
    assert refused and "\n" not in few and also and "run" in other


@needs_tools
async def test_a_kernel_that_never_ends_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("advisor.mcp_server.tools._EMULATED_S", 1.0)
    (tmp_path / "walk.cu").write_text("__global__ void wait(volatile int* flag) { while (!*flag) {} }")
    async with Client(build(tmp_path)) as client:
        text, wrong = await call(client, "emulate", **SHAPE, arguments=["int[1]=zeros"])
    assert wrong and "1 s" in text and "\n" not in text


async def test_a_compiler_reads_no_file_outside_the_folder(tmp_path: Path):
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.h").write_text("secret words")
    (inside / "link.h").symlink_to(tmp_path / "secret.h")
    for line in (
        f'#include "{tmp_path}/secret.h"',
        f"#include <{tmp_path}/secret.h>",
        '#include "link.h"',
        "#include <../secret.h>",
        '# /* */ include /* */ "link.h"',
        '#inc\\\nlude "link.h"',
        '#inc\\ \r\nlude "link.h"',
        '%:include "link.h"',
        '??=include "link.h"',
        '#inc??/\nlude "link.h"',
        '#\0include "link.h"',
        '#define S "link.h"\n#include S',
        '#include_next "link.h"',
        '#embed "link.h"',
        '#if __has_include("link.h")\n#error yes\n#endif',
        '#if __has_\\\ninclude("link.h")\n#error yes\n#endif',
        '#define J(a, b) a##b\n#if J(__has, _include)("link.h")\n#error yes\n#endif',
        'const char* s = "/*";\n#include "link.h"\nconst char* t = "*/";',
        'int a;\r#include "link.h"',
    ):
        (inside / "walk.cu").write_bytes(f"{line}\n__global__ void k() {{}}".encode())
        async with Client(build(inside)) as client:
            text, wrong = await call(client, "emulate", **SHAPE, arguments=[])
        assert wrong and "headers of the CUDA toolkit" in text and "secret words" not in text, line


async def test_without_its_extra_the_emulator_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("advisor.emulator.compile.cubin_compiler", lambda: None)
    (tmp_path / "walk.cu").write_text(WALK)
    async with Client(build(tmp_path)) as client:
        text, wrong = await call(client, "emulate", **SHAPE, arguments=ARGUMENTS)
    assert wrong and "emulate" in text and "install" in text and "\n" not in text
