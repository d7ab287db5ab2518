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

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(
        # Without flags `build` makes the sdist and then the wheel out of it: both are tried.
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)],
        check=True,
        capture_output=True,
    )
    return next(out.glob("*.whl"))


def test_the_wheel_puts_nothing_beside_the_package(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"advisor"}
    assert "advisor/_data/knowledge/metrics.yaml" in names
    assert "advisor/_data/kernels/tour/recorded/h200/tour.ncu-rep.xz" in names
    assert not [n for n in names if n.endswith((".pyc", ".ncu-rep"))]


def test_the_sdist_holds_what_the_tests_need(wheel: Path) -> None:
    with tarfile.open(next(wheel.parent.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "tests/conftest.py", "kernels/tour/truth.yaml"} <= names


def test_a_wheel_in_an_empty_environment_diagnoses_from_another_folder(
    wheel: Path, tmp_path: Path, tour_path: Path
) -> None:
    place = tmp_path / "venv"
    venv.create(place, with_pip=False)
    python = place / "bin" / "python"
    # The dependencies are those of this environment; the package itself is only in the new one.
    site = next((place / "lib").glob("python3*")) / "site-packages"
    dependencies = [p for p in sys.path if p.endswith("site-packages")]
    (site / "dependencies.pth").write_text("\n".join(dependencies) + "\n", encoding="utf-8")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    run = subprocess.run(
        [str(python), "-m", "advisor", "diagnose", str(tour_path), "--launch", "4", "--format", "json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
    )
    launch = json.loads(run.stdout)["launches"][0]
    assert launch["findings"][0]["id"] == "bank_conflicts"
    where = subprocess.run(
        [str(python), "-c", "import advisor.resources as r; print(r.folder('knowledge'))"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(site) in where.stdout
