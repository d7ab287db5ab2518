"""The wheel holds everything: built, installed into an empty environment, and run from another folder."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from advisor.cli.json_schema import DOCUMENTS, TRANSCRIPT
from tests.read_once import made_once

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel() -> Path:
    def build(out: Path) -> None:
        subprocess.run(
            # Without flags `build` makes the sdist and then the wheel out of it: both are tried.
            [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)],
            check=True,
            capture_output=True,
        )

    return next(made_once("dist", build).glob("*.whl"))


def test_the_wheel_puts_nothing_beside_the_package(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    # `.data/data` is installed beside site-packages, in the prefix of the environment.
    shared = {name.partition(".data/data/")[2] for name in names if ".data/data/" in name}
    assert {name.split("/")[0] for name in names if ".dist-info" not in name and ".data/" not in name} == {"advisor"}
    assert {"share/man/man1/ncu-advisor-diagnose.1", "share/bash-completion/completions/ncu-advisor"} <= shared
    assert all(name.startswith("share/") for name in shared)
    assert "advisor/_data/knowledge/metrics.yaml" in names
    assert "advisor/_data/kernels/tour/recorded/h200/tour.ncu-rep.xz" in names
    assert not [n for n in names if n.endswith((".pyc", ".ncu-rep"))]


def test_the_wheel_holds_every_file_of_the_exercises(wheel: Path) -> None:
    """Manifests, cases, sources and recordings; a case and a step are Python files in a folder of data."""
    there = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("advisor/_data/kernels/")}
    files = (p.relative_to(ROOT) for p in (ROOT / "kernels").rglob("*") if p.is_file())
    wanted = {f"advisor/_data/{p.as_posix()}" for p in files if not any(x.startswith((".", "_")) for x in p.parts)}
    assert len(wanted) > 250
    assert wanted == there
    for name in (
        "exercise.yaml",
        "case.py",
        "1-tile.cu",
        "recorded/h200/record.json",
        "recorded/h200/profile.ncu-rep.xz",
    ):
        assert f"advisor/_data/kernels/bank-conflicts/{name}" in there
    assert {f"advisor/_data/kernels/heat-plate/{name}" for name in ("reading.yaml", "trace.sqlite.xz")} <= there


def test_the_wheel_holds_every_bundled_session(wheel: Path) -> None:
    there = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("advisor/_data/transcripts/")}
    wanted = {f"advisor/_data/transcripts/{path.name}" for path in (ROOT / "transcripts").glob("*.jsonl")}
    wanted |= {f"advisor/_data/transcripts/workloads/{p.name}" for p in (ROOT / "transcripts/workloads").glob("*.yaml")}
    assert len(wanted) > 30 and wanted <= there


def test_the_wheel_holds_the_schema_of_every_document(wheel: Path) -> None:
    there = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("advisor/_data/schemas/")}
    assert there == {f"advisor/_data/schemas/{name}.json" for name in (*DOCUMENTS, TRANSCRIPT)}


def test_the_metadata_of_both_distributions_is_valid(wheel: Path) -> None:
    command = [sys.executable, "-m", "twine", "check", "--strict", *map(str, wheel.parent.iterdir())]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("PASSED") == 2


def test_the_man_pages_and_completions_are_those_of_the_commands() -> None:
    done = subprocess.run(
        [sys.executable, "docs/man.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_sdist_holds_what_the_tests_need(wheel: Path) -> None:
    with tarfile.open(next(wheel.parent.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "tests/conftest.py", "kernels/tour/truth.yaml"} <= names


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a new environment that has the wheel."""
    place = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(place, with_pip=False)
    python = place / "bin" / "python"
    # The dependencies are those of this environment; the package itself is only in the new one.
    site = next((place / "lib").glob("python3*")) / "site-packages"
    dependencies = [p for p in sys.path if p.endswith("site-packages")]
    (site / "dependencies.pth").write_text("\n".join(dependencies) + "\n", encoding="utf-8")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return python


def run(python: Path, place: Path, *args: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    """A command in another folder, by a user without anything; it must end with `code`."""
    env = {"PATH": "/usr/bin:/bin", "HOME": str(place), "XDG_DATA_HOME": str(place / "data")}
    found = subprocess.run([str(python), *args], cwd=place, capture_output=True, text=True, env=env, check=False)
    assert found.returncode == code, found.stderr
    assert "Traceback" not in found.stderr
    return found


def test_a_wheel_in_an_empty_environment_diagnoses_from_another_folder(
    installed: Path, tmp_path: Path, tour_path: Path
) -> None:
    found = run(installed, tmp_path, "-m", "advisor", "diagnose", str(tour_path), "--launch", "4", "--format", "json")
    launch = json.loads(found.stdout)["launches"][0]
    assert launch["findings"][0]["id"] == "bank_conflicts"
    assert "texture_interface_bound" in run(installed, tmp_path, "-m", "advisor", "diagnose", "blur").stdout
    where = run(installed, tmp_path, "-c", "import advisor.records.resources as r; print(r.folder('knowledge'))")
    assert str(installed.parents[1]) in where.stdout


def test_a_wheel_replays_a_bundled_session_by_its_name(installed: Path, tmp_path: Path) -> None:
    name = sorted((ROOT / "transcripts").glob("*.jsonl"))[0].stem
    assert name in run(installed, tmp_path, "-m", "advisor", "replay").stdout
    assert "as saved" in run(installed, tmp_path, "-m", "advisor", "replay", "--check", name).stdout


def test_a_wheel_lets_a_learner_practise_without_a_gpu(installed: Path, tmp_path: Path) -> None:
    def practice(*args: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        return run(installed, tmp_path, "-m", "advisor", "practice", *args, code=code)

    assert "bank-conflicts" not in practice("list").stdout
    assert "bank-conflicts" in practice("list", "--names").stdout
    practice("predict", "heat-plate", "--cause", "sync_between_kernels", "--estimate", "18ms")
    assert "of 100" in practice("show", "heat-plate", "--profile").stdout
    assert "60 used, 132 on the GPU" in practice("show", "price-update").stdout
    assert "bank_conflicts" in practice("show", "bank-conflicts", "--profile", "--no-prediction").stdout
    practice("start", "bank-conflicts")
    title = "a-transpose-through-a-tile"
    assert (tmp_path / "data" / "ncu-advisor" / "practice" / title / f"{title}.cu").is_file()
    # A CuPy that cannot be had: whatever this machine has installed.
    (tmp_path / "cupy.py").write_text("raise ModuleNotFoundError('no cupy', name='cupy')", encoding="utf-8")
    for command in (["check", "bank-conflicts"], ["sweep", "bank-conflicts"], ["calibrate"]):
        found = practice(*command, code=2)
        assert "`pip install '.[cuda13]'`" in found.stderr.splitlines()[0]
