"""The action for GitHub, the template for GitLab, the problem matcher and the hook do what they say."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.lint.base import Mistake
from advisor.records import resources

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(os.name != "posix", reason="the steps are for bash")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder whose baseline is the fast launch of an exercise, and whose report has the slow one too."""
    recorded = resources.folder("kernels") / "bank-conflicts" / "recorded" / "h200" / "profile.ncu-rep.xz"
    shutil.copy(recorded, tmp_path / "report.ncu-rep.xz")
    return tmp_path


def run(script: str, place: Path, shell: str = "bash", **given: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **given, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    flags = ["-e", "-o", "pipefail"] if shell == "bash" else ["-e"]
    return subprocess.run(
        [shell, *flags, "-c", script], cwd=place, env=env, capture_output=True, text=True, check=False
    )


def action_steps() -> dict[str, dict[str, Any]]:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert all(step.get("shell") == "bash" for step in action["runs"]["steps"] if "run" in step)
    return {step["name"]: step for step in action["runs"]["steps"]}


def test_no_input_is_pasted_into_a_script() -> None:
    """An input with quotes or `$(…)` would be run: each goes through the environment."""
    for step in action_steps().values():
        assert "${{" not in step.get("run", "")


def test_a_second_use_in_one_workflow_has_a_name_of_its_own() -> None:
    steps = action_steps()
    name = "${{ inputs.name }}"
    assert steps["diagnose"]["env"]["NAME"] == name
    assert steps["upload findings"]["with"]["category"] == name
    assert steps["upload files"]["with"]["name"] == name


def test_the_action_diagnoses_compares_and_fails(here: Path) -> None:
    steps = action_steps()
    files = {name: str(here / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH")}
    common = {**files, "RUNNER_TEMP": str(here / "a b"), "KERNEL": "", "KNOWLEDGE": "\n"}
    (here / "a b").mkdir()
    done = run(steps["install"]["run"], here, **common, INSTALL="none", SOURCE=str(ROOT))
    assert done.returncode == 0
    matcher = done.stdout.strip().removeprefix("::add-matcher::")
    assert json.loads(Path(matcher).read_text(encoding="utf-8"))["problemMatcher"]
    done = run(steps["diagnose"]["run"], here, **common, NAME="second", REPORT="report.ncu-rep.xz")
    assert done.returncode == 0, done.stderr
    folder = Path((here / "GITHUB_OUTPUT").read_text(encoding="utf-8").strip().removeprefix("folder="))
    assert folder == here / "a b" / "second-results"
    assert json.loads((folder / "diagnosis.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"
    sides = {"BASELINE": "report.ncu-rep.xz#1", "REPORT": "report.ncu-rep.xz#0", "FOLDER": str(folder)}
    for fail_on, code in (("duration>5%\nfinding:bank_conflicts", 3), ("duration<-5%", 0)):
        done = run(steps["compare"]["run"], here, **common, **sides, FAIL_ON=fail_on, BEYOND_NOISE="false")
        assert done.returncode == code, done.stderr
    assert "<testsuite" in (folder / "compare.xml").read_text(encoding="utf-8")
    assert "bank" in (here / "GITHUB_STEP_SUMMARY").read_text(encoding="utf-8").casefold()


@pytest.mark.parametrize(("fail_on", "code"), [("duration>5%\nfinding:bank_conflicts", 3), ("duration<-5%", 0)])
def test_the_template_for_gitlab_compares_and_fails(here: Path, fail_on: str, code: int) -> None:
    job = yaml.safe_load((ROOT / "docs" / "ci" / "kernels.gitlab-ci.yml").read_text(encoding="utf-8"))[".ncu-advisor"]
    sides = {"BASELINE": "report.ncu-rep.xz#1", "REPORT": "report.ncu-rep.xz#0", "FAIL_ON": fail_on}
    done = run(job["script"][-1], here, "sh", **sides)
    assert done.returncode == code, done.stderr
    assert (here / job["artifacts"]["reports"]["junit"]).is_file()
    assert set(job["variables"]) >= {"REPORT", "BASELINE", "FAIL_ON"}


def test_the_problem_matcher_reads_what_the_lint_prints() -> None:
    matcher = json.loads((ROOT / "docs" / "ci" / "problem-matcher.json").read_text(encoding="utf-8"))
    (pattern,) = matcher["problemMatcher"][0]["pattern"]
    line = str(Mistake(Path("pack/observations/own.yaml"), 12, "no such metric: 'x'", "warning"))
    found = re.match(pattern["regexp"], line)
    assert found is not None
    parts = [found[pattern[name]] for name in ("file", "line", "severity", "message")]
    assert parts == ["pack/observations/own.yaml", "12", "warning", "no such metric: 'x'"]


def test_the_hook_runs_a_command_that_exists() -> None:
    from advisor.cli.main import main

    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    program, *arguments = hook["entry"].split()
    scripts = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'{program} = "advisor.cli.main:main"' in scripts
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--help"])
    assert ended.value.code == 0


def test_a_check_that_fails_stops_ci() -> None:
    """`set -e` ignores what fails before the last command of a list, so a check is a command of its own."""
    checks = [
        line.strip() for line in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines() if "step" in line
    ]
    assert len(checks) > 8
    assert not [line for line in checks if "&&" in line or "||" in line]
