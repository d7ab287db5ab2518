"""The example workflow for a runner without a GPU does what it says, end to end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.emulator.compile import cubin_compiler
from advisor.emulator.cubin import nvdisasm

WORKFLOW = Path(__file__).parents[2] / "docs" / "ci" / "counts-without-a-gpu.yml"
KERNEL = """
extern "C" __global__ void scale(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.f * x[INDEX];
}
"""


@pytest.mark.skipif(os.name != "posix", reason="the steps are for bash")
@pytest.mark.skipif(nvdisasm() is None or cubin_compiler() is None, reason="needs the extra `emulate`")
@pytest.mark.parametrize(("base", "change", "expected"), [("i", "8 * i", 3), ("8 * i", "i", 0)])
def test_the_workflow_fails_a_change_that_moves_more_sectors(
    tmp_path: Path, base: str, change: str, expected: int
) -> None:
    workflow: dict[str, Any] = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    steps = {step["name"]: step["run"] for step in workflow["jobs"]["counts"]["steps"] if "run" in step}
    for folder, index in (("base", base), ("change", change)):
        source = tmp_path / folder / workflow["env"]["SOURCE"]
        source.parent.mkdir(parents=True)
        source.write_text(KERNEL.replace("INDEX", index), encoding="utf-8")
    summary = tmp_path / "summary.md"
    given = {**os.environ, **workflow["env"], "GITHUB_STEP_SUMMARY": str(summary)}
    given["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{given['PATH']}"

    def run(step: str) -> subprocess.CompletedProcess[str]:
        command = ["bash", "-e", "-o", "pipefail", "-c", steps[step]]
        return subprocess.run(command, cwd=tmp_path, env=given, capture_output=True, text=True, timeout=300)

    assert run("count").returncode == 0
    done = run("compare")
    assert done.returncode == expected, done.stderr
    assert ("global_sectors +350 %" in done.stderr) == (expected == 3)
    assert "inst\\_executed" in summary.read_text(encoding="utf-8")
