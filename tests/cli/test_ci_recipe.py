"""The README's recipe for CI, run for real on recorded reports: it passes, and fails on the slower one."""

from __future__ import annotations

import re
import shlex
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.cli.main import main
from advisor.compare.compare import compare_diagnoses
from advisor.compare.thresholds import check, parse
from advisor.records import resources
from tests.changed import replace

README = Path(__file__).parents[2] / "README.md"
SLOW, FAST = 0, 1


def blocks(language: str) -> list[str]:
    section = README.read_text(encoding="utf-8").partition("## Reports and CI")[2].partition("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)


def recipe() -> list[str]:
    """The arguments of the recipe's comparison."""
    line = next(line for line in blocks("sh")[1].splitlines() if line.startswith("ncu-advisor compare"))
    return shlex.split(line)[1:]


def run(arguments: list[str]) -> int:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    return int(caught.value.code or 0)


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the report of the baseline and that of a change: two launches of one kernel, slow and fast."""
    recorded = resources.folder("kernels") / "bank-conflicts" / "recorded" / "h200" / "profile.ncu-rep.xz"
    for name in ("baseline", "current"):
        shutil.copy(recorded, tmp_path / f"{name}.ncu-rep.xz")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def named(arguments: list[str], base: int, current: int) -> list[str]:
    launches = {"baseline.ncu-rep": f"baseline.ncu-rep.xz#{base}", "current.ncu-rep": f"current.ncu-rep.xz#{current}"}
    return [launches.get(word, word) for word in arguments]


def test_the_recipe_passes_where_nothing_became_slower(scratch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(named(recipe(), FAST, FAST)) == 0
    assert run(named(recipe(), SLOW, FAST)) == 0
    assert capsys.readouterr() == ("", "")
    assert ET.parse(scratch / "compare.xml").getroot().get("failures") == "0"


def test_the_recipe_fails_on_the_slower_kernel_and_says_which(
    scratch: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(named(recipe(), FAST, SLOW)) == 3
    err = capsys.readouterr().err.splitlines()
    assert len(err) == 1
    assert re.match(
        r"ncu-advisor: crossed: duration>5% on transpose: duration_ns \+\d+ % \(\d+ µs, now \d+ µs\)", err[0]
    )
    root = ET.parse(scratch / "compare.xml").getroot()
    assert root.get("failures") == "1" and "duration>5%" in root.find(".//failure").get("message", "")


def test_the_examples_are_yaml_and_compare_as_the_recipe_does() -> None:
    github, gitlab = (yaml.safe_load(text) for text in blocks("yaml"))
    steps = [step["run"] for step in github["jobs"]["kernels"]["steps"] if "run" in step]
    thresholds = recipe()[3:6]
    for lines in (steps, gitlab["kernels"]["script"]):
        last = shlex.split(next(line for line in lines if "--fail-on" in line))
        assert last[:4] == ["ncu-advisor", *recipe()[:3]] and last[4:7] == thresholds
    assert gitlab["kernels"]["artifacts"]["reports"]["junit"] == recipe()[-1]


@pytest.mark.parametrize("text", blocks("sh") + blocks("yaml"), ids=["pages", "recipe", "github", "gitlab"])
def test_every_command_of_the_section_does_what_it_says(text: str, scratch: Path) -> None:
    lines = [line[line.index("ncu-advisor ") :] for line in text.splitlines() if "ncu-advisor " in line]
    assert lines
    for line in lines:
        command, *words = shlex.split(line.partition(" >>")[0], comments=True)[1:]
        end = ".xz" if command == "diagnose" else f".xz#{FAST}"
        reports = [f"current.ncu-rep{end}" if word.endswith(".ncu-rep") else word for word in words]
        assert run([command, *reports]) == 0, line
        if "--out" in words:
            assert (scratch / words[words.index("--out") + 1]).stat().st_size > 500


def times(tour: Any, *durations: float) -> Any:
    launch = tour.diagnosis.launches[4]
    return replace(
        tour.diagnosis, launches=tuple(replace(launch, index=n, duration_ns=d) for n, d in enumerate(durations))
    )


def crossed(tour: Any, base: Any, current: Any, *, beyond_noise: bool) -> bool | None:
    (pair,) = compare_diagnoses(base, current, tour.catalog).pairs
    return check(parse("duration>5%", tour.catalog), pair, tour.catalog, beyond_noise=beyond_noise).crossed


def test_what_several_noisy_runs_cannot_tell_does_not_fail_a_build(tour: Any) -> None:
    noisy = times(tour, 80e3, 100e3, 125e3, 92e3, 110e3, 85e3, 118e3)
    shifted = times(tour, 88e3, 108e3, 133e3, 100e3, 118e3, 93e3, 126e3)
    assert crossed(tour, noisy, shifted, beyond_noise=False) is True
    assert crossed(tour, noisy, shifted, beyond_noise=True) is False


def test_the_same_change_fails_it_where_the_runs_agree(tour: Any) -> None:
    steady = times(tour, *(100e3 + 50 * n for n in range(7)))
    shifted = times(tour, *(108e3 + 50 * n for n in range(7)))
    assert crossed(tour, steady, shifted, beyond_noise=True) is True


def test_beyond_noise_without_a_time_to_judge_is_a_mistake(scratch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["compare", "a", "b", "--beyond-noise", "--fail-on", "finding:bank_conflicts"]
    assert run(arguments) == 2
    assert "--beyond-noise applies to times" in capsys.readouterr().err
