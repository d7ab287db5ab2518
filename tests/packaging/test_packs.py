"""Knowledge packs: found by their entry points without running their code, left out visibly when they are wrong."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from advisor.knowledge import packs
from advisor.lint import lint as whole
from advisor.lint.base import Mistake
from advisor.lint.packs import sound_packs

EXAMPLE = Path(__file__).parents[2] / "examples" / "knowledge-pack"
Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """A function that installs a distribution with one entry point, whose code must not be run."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.setattr(sys, "path", [*sys.path, str(site)])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def made(name: str, value: str, *, package: str = "", team: bool = True, listed: bytes | None = None) -> Path:
        about = site / f"{name}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
        text = listed or f"[{packs.GROUP}]\n{name} = {value}\n".encode()
        (about / "entry_points.txt").write_bytes(text)
        folder = site / (package or name)
        (folder / "knowledge").mkdir(parents=True)
        (folder / "__init__.py").write_text("raise SystemExit('the code of a pack was run')\n", encoding="utf-8")
        if team:
            (folder / "knowledge" / "team.yaml").write_text("prefix: acme\n", encoding="utf-8")
        packs._entries.cache_clear()
        return folder / "knowledge"

    return made


def test_a_pack_is_found_and_its_code_is_not_run(install: Install) -> None:
    folder = install("one", "one.knowledge")
    assert packs.installed() == (packs.Pack("one", folder),)
    assert "one" not in sys.modules


def test_installed_packs_can_be_left_out(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install("one", "one.knowledge")
    monkeypatch.setenv(packs.SWITCH, "off")
    assert packs.installed() == ()


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("nowhere_at_all.knowledge", "no folder of that name"),
        ("one", "no folder of that name"),
        ("one.knowledge:load", "not the name of a package"),
        ("../../etc", "not the name of a package"),
        ("one..knowledge", "not the name of a package"),
        ("os.path", "no folder of that name"),
        ("\x1b[31mred", "not the name of a package"),
        ("x" * 10_000, "no folder of that name"),
    ],
)
def test_a_wrong_pack_is_named_in_one_line_and_left_out(install: Install, value: str, why: str) -> None:
    install("one", value)
    said: list[str] = []
    assert sound_packs((), said.append) == ()
    (line,) = said
    assert "'one' is left out" in line and why in line
    assert line.isprintable() and len(line) < 500


def test_completion_looks_for_no_packs(install: Install, capsys: pytest.CaptureFixture[str]) -> None:
    from click.shell_completion import ShellComplete

    from advisor.cli.main import cli

    install("one", "nowhere_at_all.knowledge")
    found = ShellComplete(cli, {}, "ncu-advisor", "_NCU_ADVISOR_COMPLETE").get_completions(["diagnose"], "--knowl")
    assert [item.value for item in found] == ["--knowledge"]
    assert capsys.readouterr() == ("", "")
    assert packs._entries.cache_info().misses == 0


def test_two_packs_of_the_same_name_are_both_found(install: Install) -> None:
    one = install("one", "one.knowledge")
    two = install("two", "", listed=f"[{packs.GROUP}]\none = two.knowledge\n".encode())
    assert packs.installed() == (packs.Pack("one", one), packs.Pack("one", two))


def test_a_distribution_that_is_there_twice_is_one_pack(install: Install) -> None:
    folder = install("one", "one.knowledge")
    shutil.copytree(folder.parents[1] / "one-1.0.dist-info", folder.parents[1] / "one-0.9.dist-info")
    packs._entries.cache_clear()
    assert packs.installed() == (packs.Pack("one", folder),)


def test_a_pack_that_cannot_be_read_is_left_out_visibly(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install("one", "one.knowledge")

    def denied(path: Path) -> bool:
        raise PermissionError(13, "denied", str(path))

    monkeypatch.setattr(Path, "is_file", denied)  # a real folder without rights is readable to root
    (pack,) = packs.installed()
    assert pack.folder is None and "PermissionError" in pack.problem


@pytest.mark.parametrize("listed", [b"\xff\xfe" + packs.GROUP.encode(), f"[{packs.GROUP}\none".encode(), b"\0"])
def test_damaged_metadata_of_another_distribution_hides_no_pack(install: Install, listed: bytes) -> None:
    folder = install("one", "one.knowledge")
    install("damaged", "", listed=listed)
    assert [pack.folder for pack in packs.installed() if pack.name == "one"] == [folder]


def test_a_pack_with_a_mistake_is_left_out_and_the_others_stay(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = install("bad", "bad.knowledge"), install("good", "good.knowledge")
    checked: list[Path] = []

    def lint(folders: list[Path], *, about: list[Path]) -> tuple[Mistake, ...]:
        assert about == folders[-1:]
        checked.append(folders[-1])
        return (Mistake(bad / "observations" / "x.yaml", 3, "no such metric: 'x'", "error"),) if bad in folders else ()

    monkeypatch.setattr(whole, "lint", lint)
    said: list[str] = []
    assert sound_packs((), said.append) == (good,)
    assert said == [
        f"the knowledge pack 'bad' is left out: {bad}/observations/x.yaml:3: error: no such metric: 'x' "
        "(NCU_ADVISOR_PACKS=off hides this)"
    ]
    sound_packs((), said.append)
    assert checked == [bad, good]  # the verdicts are kept
    (good / "team.yaml").write_text("prefix: other\n", encoding="utf-8")
    sound_packs((), said.append)
    assert checked == [bad, good, good]
    assert said[0] == said[1] == said[2]


def test_the_example_is_built_installed_and_used(tmp_path: Path, tour_path: Path) -> None:
    source = shutil.copytree(EXAMPLE, tmp_path / "source")
    command = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(tmp_path), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "site"), "XDG_CACHE_HOME": str(tmp_path / "cache")}

    def run(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "advisor", *arguments]
        return subprocess.run(command, env={**env, **more}, cwd=tmp_path, capture_output=True, text=True, check=False)

    found = run("explain", "acme.missed_frame")
    assert found.returncode == 0, found.stderr
    assert "Kernel longer than a frame" in found.stdout
    without = run("explain", "acme.missed_frame", NCU_ADVISOR_PACKS="off")
    assert "Kernel longer than a frame" not in without.stdout
    why = run("diagnose", str(tour_path), "--launch", "0", "--why-not", "acme.missed_frame")
    assert why.returncode == 0, why.stderr
    assert "> 16666667 does not hold" in why.stdout
